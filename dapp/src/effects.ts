// What the page does by itself when its state changes. All of it is here; the views only show the state.
import { endNotice } from "./notices.ts";
import { review, timeTheWait } from "./pending.ts";
import { attach, lookNow, open } from "./session.ts";
import { onChange, type State, state } from "./state.ts";
import { readBalance } from "./wallets.ts";

const newSource = (now: State, before: State): boolean =>
  now.connection?.wallet !== before.connection?.wallet ||
  now.connection?.chain !== before.connection?.chain ||
  now.returning !== before.returning ||
  now.wallets !== before.wallets;

const isSent = (now: State, before: State): boolean =>
  Boolean(now.pending?.hash) && now.pending?.hash !== before.pending?.hash;

/** The page may have learned of a game that it does not show yet. */
const hasEnded = (now: State, before: State): boolean => before.pending !== null && now.pending === null;

const newAccount = (now: State, before: State): boolean =>
  now.connection?.accounts[0] !== before.connection?.accounts[0] || now.connection?.chain !== before.connection?.chain;

export function start(): void {
  onChange((now, before) => {
    if (newSource(now, before)) void attach();
    if (newAccount(now, before)) void readBalance();
    if (isSent(now, before) || hasEnded(now, before)) lookNow();
    if (isSent(now, before) || now.snapshot !== before.snapshot) void review();
    if (now.pending?.asked !== before.pending?.asked) timeTheWait();
    endNotice(now, before);
  });
  document.addEventListener("visibilitychange", () => {
    void review();
    // The player may have been at a faucet.
    if (state.isBroke) void readBalance();
  });
  open();
}
