import { go } from "../link.ts";
import { hasWallet } from "../player.ts";
import { state } from "../state.ts";
import { fill, text } from "../text.ts";
import { chainName, short } from "../words.ts";
import { Button, LocalLink } from "./Button.tsx";
import { openWallets } from "./dialogs.ts";
import { Person } from "./Person.tsx";
import "./Header.css";

export function Header() {
  const { connection } = state;
  const account = connection?.accounts[0];
  const words = hasWallet(state) ? text.header.connect : text.header.noWallet;
  return (
    <header class="top row apart">
      <LocalLink class="brand row" href="./" go={() => go(null)}>
        <svg viewBox="0 0 32 32" stroke-width="2.6" aria-hidden="true">
          <path class="ink-x" d="M4 5.5c3.4 2.6 6 5.3 8.4 8.5M12.2 5C9.4 8 6.8 11 4.4 14.5" />
          <path
            class="ink-o"
            d="M24 18.5c3.6-.4 5.2 2 4.7 5-.5 2.8-2.8 4.7-5.3 4-2.9-.8-4-3.5-3.1-6 .6-1.8 1.9-2.9 4.2-2.9"
          />
          <path stroke-width="1.5" d="M16.3 3c.3 9-.4 17-.1 26M3 16.3c9-.4 17 .3 26-.1" />
        </svg>
        <span>{text.title}</span>
      </LocalLink>
      {account ? (
        <Button
          class="quiet account row"
          label={fill(text.wallet.label, { account: short(account), chain: chainName(connection?.chain ?? 0) })}
          press={() => openWallets()}
        >
          <Person address={account} />
        </Button>
      ) : (
        <Button class="quiet account row" press={() => openWallets()}>
          {words}
        </Button>
      )}
    </header>
  );
}
