// Under the board: what is wrong, what is on its way, and the one thing to do next.
import { explorerLink } from "../chains.ts";
import { inviterOf } from "../invitation.ts";
import { stopWaiting } from "../pending.ts";
import { change, openTable, state } from "../state.ts";
import { text } from "../text.ts";
import { Button, OutsideLink } from "./Button.tsx";
import { Invitation } from "./Invitation.tsx";
import { nextStep } from "./play.ts";
import "./NextStep.css";

export function NextStep() {
  const inviter = inviterOf(state);
  const { words, bad, notice, button } = nextStep();
  return (
    <div class="next row">
      <Waiting />
      {words && (
        <div class={bad ? "notice row bad" : "notice row"}>
          <p>{words}</p>
          {notice && (
            <Button class="close" label={text.dismiss} press={() => change({ notice: null })}>
              ×
            </Button>
          )}
        </div>
      )}
      {inviter !== null && state.pending === null && <Invitation inviter={inviter} />}
      {button && (
        <Button class="primary" press={button.press}>
          {button.label}
        </Button>
      )}
    </div>
  );
}

/** The player's transaction that no block includes yet. */
function Waiting() {
  const { pending, mayStop } = state;
  const table = openTable();
  if (pending === null || table === null) return null;
  const href = explorerLink(table.chain, pending.hash);
  if (href === null && !mayStop) return null;
  return (
    <p class="row">
      {href !== null && <OutsideLink href={href}>{text.status.transaction}</OutsideLink>}
      {mayStop && (
        <Button class="link" press={stopWaiting}>
          {text.status.stopWaiting}
        </Button>
      )}
    </p>
  );
}
