// Whose turn it is, or how the game ended.
import { state } from "../state.ts";
import { statusText } from "../words.ts";
import "./Status.css";

export function Status() {
  const { title, hint } = statusText(state);
  return (
    <div class="status">
      <h1 tabIndex={-1}>{title}</h1>
      <p>{hint}</p>
    </div>
  );
}
