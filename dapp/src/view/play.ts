// What a player can do at the open table, and the one thing to do next.
import { toFailure } from "../failures.ts";
import { hostOf, inviterOf } from "../invitation.ts";
import { canMove, canPlayAgain, hasWallet } from "../player.ts";
import type { Address, Game } from "../rules.ts";
import { lookNow } from "../session.ts";
import { change, type Notice, openTable, state } from "../state.ts";
import { fill, text } from "../text.ts";
import { playAgain, send } from "../transactions.ts";
import { switchTo } from "../wallets.ts";
import { chainName, noticeText } from "../words.ts";
import { askNewGame, openWallets, withWallet } from "./dialogs.ts";
import { invite } from "./share.ts";

/** Plays a cell, or reports why that is not possible. */
export function playCell(cell: number): void {
  const game = state.snapshot?.game;
  if (!game || state.pending !== null) return;
  const inviter = inviterOf(state);
  if (inviter !== null) return accept(inviter);
  if (game.status === "no_game") return hostOf(state) === null ? askNewGame() : void invite();
  if (game.status !== "in_progress") return refuse("no game in progress");
  if (state.connection === null) return openWallets();
  if (!canMove(state)) return refuse("not your turn");
  if (game.moves.includes(cell)) return refuse("cell is taken");
  void send({ kind: "move", cell, number: game.number });
}

function refuse(reason: "no game in progress" | "not your turn" | "cell is taken"): void {
  change({ notice: { kind: "failure", failure: { kind: "reason", reason } } });
}

/** Starts the game against the player who invites. The guest is X, so that the game begins while the inviter is away. */
export function accept(inviter: Address): void {
  withWallet(() => {
    const own = state.connection?.accounts[0];
    const game = state.snapshot?.game;
    if (game && own !== undefined && own !== inviter)
      void send({ kind: "newGame", players: [own, inviter], replaces: game.number });
  });
}

/** Declining is no error, nor is a game that has started in the meantime. */
function isError(notice: Notice): boolean {
  return notice.kind === "failure" && !["declined", "begun", "overwritten"].includes(notice.failure.kind);
}

/** What the place under the board says and offers. */
export interface Next {
  words: string;
  bad?: boolean;
  /** A notice, which the player can dismiss. */
  notice?: boolean;
  button?: { label: string; press: () => void } | undefined;
}

const nothing: Next = { words: "" };

export function nextStep(): Next {
  const { notice } = state;
  const switching = switchStep();
  if (notice !== null)
    return { words: noticeText(notice), bad: isError(notice), notice: true, button: switching?.button };
  if (state.nodeStatus === "lost") {
    const words = state.snapshot === null ? text.game.nodeLostFirst : text.game.nodeLost;
    return { words, bad: true, button: { label: text.game.tryNow, press: lookNow } };
  }
  // An invitation has a button of its own, which switches the chain, too.
  return (inviterOf(state) === null ? switching : null) ?? gameStep(state.snapshot?.game);
}

function switchStep(): Next | null {
  const { connection } = state;
  const table = openTable();
  if (table === null || connection === null || connection.chain === table.chain) return null;
  const press = (): void => {
    void switchTo(connection, table).then(
      () => change({ notice: null }),
      (error: unknown) => change({ notice: { kind: "failure", failure: toFailure(error) } }),
    );
  };
  return {
    words: fill(text.game.switchHint, { chain: chainName(connection.chain) }),
    button: { label: fill(text.game.switchChain, { chain: chainName(table.chain) }), press },
  };
}

function gameStep(game: Game | null | undefined): Next {
  if (state.pending !== null || inviterOf(state) !== null) return nothing;
  if (hostOf(state) !== null) return { words: "", button: { label: text.invite.title, press: () => void invite() } };
  if (canPlayAgain(state)) {
    return { words: "", button: { label: text.game.rematch, press: playAgain } };
  }
  // While the game is still being read, too, unless it may turn out to be an invitation.
  const invited = !game && state.link.kind === "table" && state.link.inviter !== null;
  if (state.connection === null && !state.returning && !invited) {
    const label = hasWallet(state) ? text.header.connect : text.header.noWallet;
    return { words: text.game.connectToPlay, button: { label, press: () => openWallets() } };
  }
  if (game && game.status !== "in_progress")
    return { words: "", button: { label: text.game.newGame, press: askNewGame } };
  return nothing;
}
