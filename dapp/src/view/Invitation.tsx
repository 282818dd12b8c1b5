// For the reader of an invitation: the one button that starts the game, and on a phone the way into a wallet.
import { hasWallet } from "../player.ts";
import type { Address } from "../rules.ts";
import { openTable, state } from "../state.ts";
import { text } from "../text.ts";
import { isPhone } from "../walletapps.ts";
import { Button } from "./Button.tsx";
import { FreeCoins } from "./FreeCoins.tsx";
import { accept } from "./play.ts";
import { WalletApps } from "./WalletApps.tsx";

export function Invitation({ inviter }: { inviter: Address }) {
  const chain = openTable()?.chain;
  if (chain === undefined) return null;
  if (isPhone() && !hasWallet(state) && !state.returning) return <WalletApps />;
  return (
    <>
      <Button class="primary" press={() => accept(inviter)}>
        {text.invite.play}
      </Button>
      <FreeCoins chain={chain} />
    </>
  );
}
