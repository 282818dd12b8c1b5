// The open table: the board, whose turn it is above it, the next step under it, and the rest beside it.
import { chainById, explorerLink } from "../chains.ts";
import { toFailure } from "../failures.ts";
import { fullLink, type TableLink } from "../link.ts";
import { type Address, type Game, isOver, type Mark, markName, markOfMove, MARKS, playerOf, winner } from "../rules.ts";
import { seat, sourceName, type Step } from "../seat.ts";
import { openTable, report, state } from "../state.ts";
import { lookNow } from "../table.ts";
import { fill, text } from "../text.ts";
import { playAgain, send } from "../transactions.ts";
import { isPhone } from "../walletapps.ts";
import { switchTo } from "../wallets.ts";
import { cellName, chainName, spending } from "../words.ts";
import { Board, focusBoard, Glyph, nameOf } from "./Board.tsx";
import { ask, openWallets, WalletApps, withWallet } from "./Dialogs.tsx";
import { AddressButton, Button, Card, Face, FreeCoins, OutsideLink, QrCode, Share, Waiting } from "./parts.tsx";

export function Table() {
  const table = openTable();
  const game = state.snapshot.value?.game ?? null;
  const { title, hint, turn, mark, inviter, host } = seat.value;
  const won = game && winner(game.status);
  if (table === null) return null;
  return (
    <section class="table" data-status={game?.status} data-winner={won && nameOf(won)}>
      <div class="status">
        <h1 tabIndex={-1}>{title}</h1>
        <p class="hint">
          {inviter !== null && state.pending.value === null && <Face address={inviter} />} {hint}
        </p>
      </div>
      <Board moves={game?.moves ?? []} pending={mark} turn={turn} busy={game === null} choose={playCell} />
      <Next table={table} />
      {game && (
        <div class="side stack">
          {host !== null && <Invite table={table} host={host} />}
          {game.status !== "no_game" && <Players table={table} game={game} />}
          {game.moves.length > 0 && <Moves table={table} game={game} />}
          <About table={table} />
        </div>
      )}
    </section>
  );
}

// -- what a press does ----------------------------------------------------------------

/** Plays a cell, or reports why that is not possible. */
export function playCell(cell: number): void {
  const game = state.snapshot.value?.game;
  const { inviter, own } = seat.value;
  if (!game || state.pending.value !== null) return;
  if (inviter !== null) return accept(inviter);
  if (state.connection.value === null && !isOver(game.status)) return openWallets();
  // The place to send the invitation.
  if (game.status === "no_game") return document.querySelector<HTMLElement>(".next .primary")?.focus();
  if (game.turn === null) return report({ kind: "reason", reason: "no game in progress" });
  if (!own.includes(game.turn)) return report({ kind: "reason", reason: "not your turn" });
  if (game.moves.includes(cell)) return report({ kind: "reason", reason: "cell is taken" });
  void send({ kind: "move", cell, number: game.number });
}

/** Starts the game against the player who invites. The guest is X, so that the game begins while the inviter is away. */
function accept(inviter: Address): void {
  withWallet(() => {
    const own = state.connection.value?.accounts[0];
    const game = state.snapshot.value?.game;
    focusBoard();
    if (game && own !== undefined && own !== inviter)
      void send({ kind: "newGame", players: [own, inviter], replaces: game.number });
  });
}

function changeChain({ chain }: TableLink): void {
  const { value: connection } = state.connection;
  if (connection === null) return;
  switchTo(connection, chain).then(
    () => (state.notice.value = null),
    (error: unknown) => report(toFailure(error)),
  );
}

// -- under the board ------------------------------------------------------------------

/** What is on its way, the one thing to do next, and what is wrong. */
function Next({ table }: { table: TableLink }) {
  const { words, isBad, step, turn } = seat.value;
  const mayBeBroke = turn !== null || step === "again";
  return (
    <div class="next row">
      <Waiting />
      {step !== null && <NextStep step={step} table={table} />}
      {(step === "play" || (state.isBroke.value && mayBeBroke)) && <FreeCoins chain={table.chain} />}
      {words && (
        <div class={isBad ? "notice row tight bad" : "notice row tight"}>
          <p>{words}</p>
          {state.notice.value && <Button class="link" press={() => (state.notice.value = null)} words={text.dismiss} />}
        </div>
      )}
    </div>
  );
}

function NextStep({ step, table }: { step: Step; table: TableLink }) {
  const { inviter, host } = seat.value;
  const { chain } = table;
  const noWallet = state.wallets.value.length === 0;
  if (step === "invite") return <Share table={table} host={host} class="primary" />;
  if (step === "play" && isPhone() && noWallet && !state.isReturning.value) return <WalletApps chain={chain} />;
  const again = (): void => {
    focusBoard();
    void playAgain();
  };
  const steps: Record<typeof step, [words: string, press: () => unknown]> = {
    tryNow: [text.game.tryNow, lookNow],
    play: [spending(text.invite.play, chain), () => inviter && accept(inviter)],
    switch: [fill(text.game.switchChain, { chain: chainName(chain) }), () => changeChain(table)],
    again: [spending(text.game.rematch, chain), again],
    connect: [noWallet ? text.header.noWallet : text.header.connect, openWallets],
  };
  const [words, press] = steps[step];
  return <Button class="primary" press={press} words={words} />;
}

// -- beside the board -----------------------------------------------------------------

/** For the player at a free table: the link that invites somebody, to be read or scanned. */
function Invite({ table, host }: { table: TableLink; host: Address }) {
  const link = fullLink(table, host);
  return (
    <Card title={text.invite.title}>
      <p>{text.invite.text}</p>
      <QrCode words={link} label={text.invite.code} />
      <input
        class="mono"
        readOnly
        value={link}
        aria-label={text.invite.link}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Button class="link" press={() => ask("newGame")} words={text.invite.other} />
    </Card>
  );
}

/** Who plays, the score between them, and what ends the game. */
function Players({ table, game }: { table: TableLink; game: Game }) {
  const { own } = seat.value;
  const able = state.pending.value === null;
  const newGame = game.turn === null ? text.game.another : text.game.newGame;
  const score = state.score.value === "unknown" ? null : state.score.value;
  const aside = fill(score?.draws ? text.game.draws : text.game.number, { number: `${game.number}`, ...score });
  const seatView = (mark: Mark) => (
    <li key={mark} class="seat row tight" data-mark={nameOf(mark)} data-turn={game.turn === mark || undefined}>
      <span class="unseen">{markName(mark)}</span>
      <Glyph mark={mark} />
      <span class="row">
        <AddressButton address={playerOf(game, mark)} chain={table.chain} />
        {own.includes(mark) && <span class="hint">{text.game.you}</span>}
      </span>
      <span class="seat-wins" aria-hidden="true">
        {score?.[nameOf(mark)] ?? "–"}
      </span>
    </li>
  );
  return (
    <Card class="players" title={text.game.players} aside={aside}>
      <ol>{MARKS.map(seatView)}</ol>
      {score && <p class="unseen">{fill(text.game.scoreLabel, score)}</p>}
      {own.length > 0 && (
        <div class="row">
          {game.turn !== null && own.includes(game.turn) && (
            <Button class="link" able={able} press={() => ask("forfeit")} words={text.game.forfeit} />
          )}
          <Button class="link" able={able} press={() => ask("newGame")} words={newGame} />
        </div>
      )}
    </Card>
  );
}

/** The moves of the game, each with a link to its transaction. */
function Moves({ table, game }: { table: TableLink; game: Game }) {
  const move = (cell: number, at: number) => {
    const mark = markOfMove(at);
    const label = fill(text.game.moveLink, { cell: cellName(cell), number: at + 1 });
    return (
      <li key={at} data-mark={nameOf(mark)}>
        <b>{markName(mark)}</b>{" "}
        <OutsideLink href={explorerLink(table.chain, state.links.value?.[at])} label={label} words={cellName(cell)} />
      </li>
    );
  };
  return (
    <Card title={text.game.history}>
      <ol class="moves">{game.moves.map(move)}</ol>
    </Card>
  );
}

/** The table, where the page reads it from, and its link. */
function About({ table }: { table: TableLink }) {
  const isLost = state.nodeStatus.value === "lost";
  const isMissing = chainById(table.chain)?.blockExplorers && state.links.value?.includes(null);
  return (
    <div class="hint">
      <div class="row">
        {text.game.table}
        <AddressButton address={table.address} chain={table.chain} />
        {fill(text.game.onChain, { chain: chainName(table.chain) })}
        {/* An invitation has a button of its own. */}
        {seat.value.host === null && <Share table={table} host={null} class="link" />}
      </div>
      <p class={isLost ? "error" : undefined}>
        ● {isLost ? text.status.unreachable : fill(text.game.via, { source: sourceName() })}
      </p>
      {(isMissing || state.score.value === "unknown") && <p>{text.game.historyUnknown}</p>}
    </div>
  );
}
