// Who plays, the score between them, and what ends the game.
import { canMove, ownMarks } from "../player.ts";
import { isOver, type Mark, markName, O, playerOf, X } from "../rules.ts";
import { openTable, state } from "../state.ts";
import { fill, text } from "../text.ts";
import { Button } from "./Button.tsx";
import { Card } from "./Card.tsx";
import { askForfeit, askNewGame } from "./dialogs.ts";
import { Glyph } from "./Glyph.tsx";
import { AddressButton, Person } from "./Person.tsx";
import "./Players.css";

export function Players() {
  const game = state.snapshot?.game ?? null;
  const score = typeof state.score === "object" ? state.score : null;
  if (!game || game.status === "no_game") return null;
  const counts = score && { x: score.wins[0], o: score.wins[1], draws: score.draws };
  const draws =
    state.score === "unknown" ? text.game.scoreUnknown : fill(text.game.draws, { count: score?.draws ?? "–" });
  return (
    <Card class="players" title={text.game.players} aside={fill(text.game.number, { number: String(game.number) })}>
      <ol class="seats">
        <Seat mark={X} />
        <Seat mark={O} />
      </ol>
      <p class="hint draws" aria-hidden={counts !== null}>
        {draws}
      </p>
      {counts && <p class="unseen">{fill(text.game.scoreLabel, counts)}</p>}
      <Choices />
    </Card>
  );
}

function Seat({ mark }: { mark: Mark }) {
  const game = state.snapshot?.game;
  if (!game) return null;
  const player = playerOf(game, mark);
  const wins = typeof state.score === "object" ? state.score?.wins[mark - 1] : undefined;
  return (
    <li class="seat row" data-mark={markName(mark).toLowerCase()} data-turn={game.turn === mark ? "" : undefined}>
      <span class="unseen">{markName(mark)}</span>
      <Glyph mark={mark} />
      <span class="seat-who row">
        <AddressButton address={player} chain={openTable()?.chain ?? 0}>
          <Person address={player} />
        </AddressButton>
        {ownMarks(state).includes(mark) && <span class="you">{text.game.you}</span>}
      </span>
      <span class="seat-wins" aria-hidden="true">
        {wins ?? "–"}
      </span>
    </li>
  );
}

/** What the player can do besides the next step. */
function Choices() {
  const game = state.snapshot?.game;
  if (!game) return null;
  const able = state.pending === null;
  // While a game goes on, both end it.
  const look = game.turn === null ? undefined : "link";
  // Then the next step under the board is a new game.
  const isNext = state.connection !== null && isOver(game.status) && ownMarks(state).length === 0;
  return (
    <div class="row">
      {game.turn !== null && ownMarks(state).length > 0 && (
        <Button class={look} able={able && canMove(state)} press={askForfeit}>
          {text.game.forfeit}
        </Button>
      )}
      {!isNext && (
        <Button class={look} able={able} press={askNewGame}>
          {text.game.newGame}
        </Button>
      )}
    </div>
  );
}
