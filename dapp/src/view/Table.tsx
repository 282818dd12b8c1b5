// The open table: the board, whose turn it is above it, the next step under it, and the rest beside it.
import { canMove, ownMarks, pendingMark } from "../player.ts";
import { type Game, isOver, markName, winner } from "../rules.ts";
import { state } from "../state.ts";
import { hostOf } from "../invitation.ts";
import { Board } from "./Board.tsx";
import { Invite } from "./Invite.tsx";
import { Moves } from "./Moves.tsx";
import { NextStep } from "./NextStep.tsx";
import { playCell } from "./play.ts";
import { Players } from "./Players.tsx";
import { Source } from "./Source.tsx";
import { Status } from "./Status.tsx";
import "./Table.css";

/** How the game ended: for the player, else for who watches. */
function resultOf(game: Game): "won" | "lost" | "draw" | "over" | undefined {
  if (!isOver(game.status)) return undefined;
  const won = winner(game.status);
  if (won === null) return "draw";
  const own = ownMarks(state);
  if (own.length === 0) return "over";
  return own.includes(won) ? "won" : "lost";
}

export function Table() {
  const game = state.snapshot?.game ?? null;
  const winning = game && winner(game.status);
  const turn = state.pending === null && canMove(state) ? (game?.turn ?? null) : null;
  return (
    <section
      class="table"
      data-result={game ? resultOf(game) : undefined}
      data-winner={winning === null ? undefined : markName(winning).toLowerCase()}
    >
      <div class="stage stack">
        <Status />
        <Board
          moves={game?.moves ?? []}
          pending={pendingMark(state)}
          turn={turn}
          busy={game === null}
          choose={playCell}
        />
        <NextStep />
      </div>
      {game && (
        <div class="side stack">
          {hostOf(state) !== null && <Invite />}
          <Players />
          <Moves />
          <Source />
        </div>
      )}
    </section>
  );
}
