// Sets up a new table on the wallet's chain.
import { chainById, explorerLink, PRACTICE_CHAIN } from "../chains.ts";
import { state } from "../state.ts";
import { fill, text } from "../text/index.ts";
import { deploy, stopWaiting } from "../transactions.ts";
import { chainName, noticeText } from "../words.ts";
import { Button, OutsideLink } from "./Button.tsx";
import { Card } from "./Card.tsx";
import { openWallets } from "./dialogs.ts";

export function Deploy() {
  const { pending, notice, mayStop } = state;
  // The practice chain has its table already.
  const chain = state.connection?.chain === PRACTICE_CHAIN ? undefined : state.connection?.chain;
  const currency = (chain !== undefined && chainById(chain)?.currency.symbol) || text.home.coin;
  let hint = fill(text.home.deployNeedsWallet, { currency });
  if (pending !== null) hint = pending.phase === "asking" ? text.home.deployAsking : text.home.deploySent;
  const href = pending?.action.kind === "deploy" ? explorerLink(pending.action.chain, pending.hash) : null;
  return (
    <Card class="deploy" title={text.home.deployTitle}>
      <p>{text.home.deployText}</p>
      <p class="hint" role="status">
        {hint} {href !== null && <OutsideLink href={href}>{text.status.transaction}</OutsideLink>}
      </p>
      <p class="field-error" role="alert">
        {notice && noticeText(notice)}
      </p>
      <div class="actions">
        <Button class="primary" able={pending === null} press={() => (chain === undefined ? openWallets() : deploy())}>
          {chain === undefined ? text.home.deploy : fill(text.home.deployOn, { chain: chainName(chain) })}
        </Button>
        {pending !== null && mayStop && <Button press={stopWaiting}>{text.status.stopWaiting}</Button>}
      </div>
    </Card>
  );
}
