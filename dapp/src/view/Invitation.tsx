// For the reader of an invitation: who invites, and the one button that starts the game.
import type { Address } from "../rules.ts";
import { openTable, state } from "../state.ts";
import { text } from "../text/index.ts";
import { hasWallet } from "../words.ts";
import { isPhone } from "../walletapps.ts";
import { Button } from "./Button.tsx";
import { GameCost } from "./Cost.tsx";
import { Person } from "./Person.tsx";
import { accept } from "./play.ts";
import { WalletApps } from "./WalletApps.tsx";
import "./Invitation.css";

export function Invitation({ inviter }: { inviter: Address }) {
  const table = openTable();
  if (table === null) return null;
  return (
    <div class="invitation">
      <p>
        <Person address={inviter} />
      </p>
      {isPhone() && !hasWallet(state) && !state.returning ? (
        <WalletApps />
      ) : (
        <Button class="primary large" press={() => accept(inviter)}>
          {text.invite.play}
        </Button>
      )}
      <GameCost chain={table.chain} />
    </div>
  );
}
