// Which dialog is open. One at most.
import { signal } from "@preact/signals";
import { state } from "../state.ts";

export type OpenDialog =
  /** `wish` is what the player wanted to do when the page asked for a wallet. */
  { kind: "wallets"; wish: (() => void) | null } | { kind: "newGame" } | { kind: "forfeit" };

export const openDialog = signal<OpenDialog | null>(null);

export const closeDialog = (): void => void (openDialog.value = null);

export const openWallets = (wish: (() => void) | null = null): void =>
  void (openDialog.value = { kind: "wallets", wish });

/** Asks for a wallet first, if none is connected. */
export function withWallet(act: () => void): void {
  if (state.connection === null) openWallets(act);
  else act();
}

export const askNewGame = (): void => withWallet(() => (openDialog.value = { kind: "newGame" }));

export const askForfeit = (): void => void (openDialog.value = { kind: "forfeit" });
