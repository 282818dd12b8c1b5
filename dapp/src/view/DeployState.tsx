// A deployment: what it costs, how far it is, and what went wrong.
import { explorerLink, PRACTICE_CHAIN } from "../chains.ts";
import { stopWaiting } from "../pending.ts";
import { state } from "../state.ts";
import { text } from "../text/index.ts";
import { noticeText } from "../words.ts";
import { Button, OutsideLink } from "./Button.tsx";
import { TableCost } from "./Cost.tsx";

/** The chain on which the wallet would deploy a table. The practice chain has its table already. */
export const deployChain = (): number | null => {
  const chain = state.connection?.chain;
  return chain === undefined || chain === PRACTICE_CHAIN ? null : chain;
};

export function DeployState({ chain, needs }: { chain: number | null; needs?: string }) {
  const { pending, notice, mayStop } = state;
  let hint = needs ?? "";
  if (pending !== null) hint = pending.phase === "asking" ? text.home.deployAsking : text.home.deploySent;
  const href = pending?.action.kind === "deploy" ? explorerLink(pending.action.chain, pending.hash) : null;
  return (
    <>
      <p class="hint" role="status">
        {hint && `${hint} `}
        {href !== null && <OutsideLink href={href}>{text.status.transaction}</OutsideLink>}
        {pending !== null && mayStop && (
          <Button class="link" press={stopWaiting}>
            {text.status.stopWaiting}
          </Button>
        )}
      </p>
      <TableCost chain={chain} />
      <p class="hint error" role="alert">
        {notice && noticeText(notice)}
      </p>
    </>
  );
}
