// Sets up a new table on the wallet's chain: how far it is, and what went wrong.
import { explorerLink, knownChains } from "../chains.ts";
import { stopWaiting } from "../pending.ts";
import { state } from "../state.ts";
import { fill, text } from "../text.ts";
import { deploy } from "../transactions.ts";
import { chainName, noticeText } from "../words.ts";
import { Button, OutsideLink } from "./Button.tsx";
import { Card } from "./Card.tsx";
import { openWallets } from "./dialogs.ts";
import { FreeCoins } from "./FreeCoins.tsx";

export function Deploy() {
  const { connection, pending, notice, mayStop } = state;
  const chain = connection?.chain ?? null;
  let hint = chain === null ? text.home.deployNeedsWallet : "";
  if (pending !== null) hint = pending.phase === "asking" ? text.home.deployAsking : text.home.deploySent;
  const href = pending?.action.kind === "deploy" ? explorerLink(pending.action.chain, pending.hash) : null;
  return (
    <Card class="deploy" title={text.home.deployTitle}>
      <p>{text.home.deployText}</p>
      <p class="hint" role="status">
        {hint && `${hint} `}
        {href !== null && <OutsideLink href={href}>{text.status.transaction}</OutsideLink>}
        {pending !== null && mayStop && (
          <Button class="link" press={stopWaiting}>
            {text.status.stopWaiting}
          </Button>
        )}
      </p>
      {/* Before a wallet is connected, those of a testnet to begin with. */}
      <FreeCoins chain={chain ?? knownChains[0]?.id ?? 0} />
      <p class="hint error" role="alert">
        {notice && noticeText(notice)}
      </p>
      <Button class="primary" able={pending === null} press={() => (chain === null ? openWallets() : deploy())}>
        {chain === null ? text.home.deploy : fill(text.home.deployOn, { chain: chainName(chain) })}
      </Button>
    </Card>
  );
}
