// The open table: the board, whose turn it is above it, the next step under it, and the rest beside it.
import { state } from "../state.ts";
import { canMove, pendingMark } from "../words.ts";
import { Board } from "./Board.tsx";
import { Moves } from "./Moves.tsx";
import { NextStep } from "./NextStep.tsx";
import { playCell } from "./play.ts";
import { Players } from "./Players.tsx";
import { Source } from "./Source.tsx";
import { Status } from "./Status.tsx";

export function Table() {
  const game = state.snapshot?.game ?? null;
  const turn = state.pending === null && canMove(state) ? (game?.turn ?? null) : null;
  return (
    <section class="table" data-status={game?.status ?? "reading"}>
      <div class="stage">
        <Status />
        <Board moves={game?.moves ?? []} pending={pendingMark(state)} turn={turn} busy={game === null} choose={playCell} />
        <NextStep />
      </div>
      <div class="side">
        <Players />
        <Moves />
        <Source />
      </div>
    </section>
  );
}
