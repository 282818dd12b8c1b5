// Whose turn it is, or how the game ended.
import { inviterOf } from "../invitation.ts";
import { state } from "../state.ts";
import { statusText } from "../words.ts";
import { Face } from "./Face.tsx";
import "./Status.css";

export function Status() {
  const { title, hint } = statusText(state);
  const inviter = inviterOf(state);
  return (
    <div class="status">
      <h1 tabIndex={-1}>{title}</h1>
      <p class="hint">
        {inviter !== null && state.pending === null && <Face address={inviter} />} {hint}
      </p>
    </div>
  );
}
