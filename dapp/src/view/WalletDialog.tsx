import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { toFailure } from "../failures.ts";
import { hasWallet } from "../player.ts";
import { state } from "../state.ts";
import { text } from "../text.ts";
import { isPhone } from "../walletapps.ts";
import { connect, disconnect, type Wallet } from "../wallets.ts";
import { failureText, short } from "../words.ts";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";
import { closeDialog, openDialog } from "./dialogs.ts";
import { FullAddress } from "./Person.tsx";
import { WalletApps } from "./WalletApps.tsx";
import "./WalletDialog.css";

export function WalletDialog({ wish }: { wish: (() => void) | null }) {
  const problem = useSignal("");
  const choose = async (wallet: Wallet): Promise<void> => {
    problem.value = text.wallet.connecting;
    const mine = openDialog.value;
    try {
      if (!(await connect(wallet))) {
        problem.value = text.failure.busy;
        return;
      }
    } catch (error) {
      const failure = toFailure(error);
      problem.value = failure.kind === "declined" ? text.wallet.declined : failureText(failure);
      return;
    }
    // Not if the player has closed the dialog while the wallet asked.
    if (openDialog.value !== mine) return;
    closeDialog();
    wish?.();
  };
  // On a phone the page is in a wallet's own browser, so there is nothing to choose.
  useEffect(() => {
    const [only, second] = state.wallets;
    if (wish && only && !second && isPhone()) void choose(only);
  }, []);
  const { connection } = state;
  const own = connection?.accounts[0];
  const leave = (): void => {
    disconnect();
    closeDialog();
  };
  return (
    <Dialog title={text.wallet.title}>
      {hasWallet(state) ? <p>{text.wallet.choose}</p> : <WalletApps />}
      <ul class="wallets stack">
        {state.wallets.map((wallet) => (
          <li key={wallet.id}>
            <WalletButton wallet={wallet} choose={choose} />
          </li>
        ))}
      </ul>
      {own && <FullAddress address={own} chain={connection.chain} />}
      <p class="hint error" role="alert">
        {problem}
      </p>
      <div class="row">
        {connection && <Button press={leave}>{text.wallet.disconnect}</Button>}
        <Button press={closeDialog}>{text.wallet.close}</Button>
      </div>
    </Dialog>
  );
}

function WalletButton({ wallet, choose }: { wallet: Wallet; choose: (wallet: Wallet) => Promise<void> }) {
  const { connection } = state;
  const account = wallet.provider === connection?.wallet.provider ? connection.accounts[0] : undefined;
  return (
    <Button class="quiet wallet row" press={() => choose(wallet)}>
      {wallet.icon === null ? <span class="no-icon" /> : <img src={wallet.icon} alt="" />}
      <span>
        <bdi>{wallet.name || text.wallet.unnamed}</bdi>
        {account && <span class="hint">{`${text.wallet.connected} · ${short(account)}`}</span>}
      </span>
    </Button>
  );
}
