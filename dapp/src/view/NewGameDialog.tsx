import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import { isPerson } from "../calls.ts";
import { toFailure } from "../failures.ts";
import { parsePlayer } from "../link.ts";
import { ownMarks } from "../player.ts";
import { clientOf } from "../provider.ts";
import { type Address, markName, O, other, playerOf, X, ZERO } from "../rules.ts";
import { change, openTable, state } from "../state.ts";
import { fill, text } from "../text.ts";
import { send } from "../transactions.ts";
import { switchTo } from "../wallets.ts";
import { failureText, short } from "../words.ts";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";
import { closeDialog, openDialog } from "./dialogs.ts";
import { FreeCoins } from "./FreeCoins.tsx";
import { pasted } from "./pasted.ts";

type Seat = "x" | "o" | "both";

/** After a game against one opponent: the same opponent, with the marks swapped. */
function suggested(): { seat: Seat; opponent: string } {
  const game = state.snapshot?.game;
  const [own, second] = ownMarks(state);
  if (!game || own === undefined) return { seat: "x", opponent: "" };
  if (second !== undefined) return { seat: "both", opponent: "" };
  return { seat: own === X ? "o" : "x", opponent: playerOf(game, other(own)) };
}

/** X's and O's address, or the sentence that says what is wrong with them. */
async function playersFor(seat: Seat, typed: string): Promise<string | [Address, Address]> {
  const { connection, snapshot } = state;
  const table = openTable();
  const [own, second] = connection?.accounts ?? [];
  if (connection === null || own === undefined || table === null) return text.game.connectToPlay;
  if (seat === "both") {
    // A player with both accounts of the last game plays on with both of them.
    const two = ownMarks(state).length === 2 && snapshot?.game?.playerX !== snapshot?.game?.playerO;
    return [own, two && second !== undefined ? second : own];
  }
  const opponent = parsePlayer(typed);
  if (opponent === null) return text.newGame.badAddress;
  if (opponent === ZERO) return text.newGame.zeroAddress;
  if (opponent === own) return text.newGame.yourself;
  try {
    await switchTo(connection, table);
    if (!(await isPerson(clientOf(connection.wallet.provider), opponent))) return text.newGame.contract;
  } catch (error) {
    const found = toFailure(error);
    return found.kind === "noAnswer" || found.kind === "invalidAnswer" ? text.newGame.unchecked : failureText(found);
  }
  return seat === "x" ? [own, opponent] : [opponent, own];
}

export function NewGameDialog() {
  const first = useRef(suggested()).current;
  const seat = useSignal<Seat>(first.seat);
  const opponent = useSignal(first.opponent);
  const problem = useSignal("");
  const invalid = useSignal(false);
  /** The game that the dialog shows the player as the one to end. */
  const shown = useSignal(state.snapshot?.game ?? null);
  const input = useRef<HTMLInputElement>(null);
  const [field, hint, error] = [useId(), useId(), useId()];
  const table = openTable();
  const running = shown.value?.status === "in_progress" ? shown.value : null;

  const reject = (words: string): void => {
    problem.value = words;
    invalid.value = true;
    input.current?.focus();
  };
  const begin = async (): Promise<void> => {
    const mine = openDialog.value;
    if (seat.value !== "both") problem.value = text.newGame.checking;
    const players = await playersFor(seat.value, opponent.value);
    if (openDialog.value !== mine) return;
    if (typeof players === "string") return reject(players);
    problem.value = "";
    const game = state.snapshot?.game;
    if (!game) return;
    if (game.number !== shown.value?.number && game.status === "in_progress") {
      // The opponent was faster: this is the game that both wanted.
      if (ownMarks(state).length === 0) {
        shown.value = game;
        problem.value = text.newGame.changed;
        return;
      }
      closeDialog();
      return change({ notice: { kind: "failure", failure: { kind: "overwritten" } } });
    }
    closeDialog();
    void send({ kind: "newGame", players, replaces: game.number });
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void begin();
  };
  const choice = (value: Seat, words: string) => (
    <label class="row">
      <input type="radio" name="seat" checked={seat.value === value} onChange={() => (seat.value = value)} />{" "}
      <span>{words}</span>
    </label>
  );

  return (
    <Dialog title={text.newGame.title}>
      <form class="stack" noValidate onSubmit={submit}>
        <fieldset class="row">
          <legend>{text.newGame.seats}</legend>
          {choice("x", markName(X))}
          {choice("o", markName(O))}
          {choice("both", text.newGame.seatBoth)}
        </fieldset>
        {seat.value !== "both" && (
          <div class="field stack">
            <label for={field}>{text.newGame.opponent}</label>
            <input
              ref={input}
              id={field}
              {...pasted}
              placeholder="0x…"
              aria-describedby={`${hint} ${error}`}
              aria-invalid={invalid.value ? "true" : undefined}
              value={opponent}
              onInput={({ currentTarget }) => {
                opponent.value = currentTarget.value;
                problem.value = "";
              }}
            />
            <p class="hint" id={hint}>
              {text.newGame.opponentHint}
            </p>
          </div>
        )}
        {running && (
          <p class="bad">
            {fill(text.newGame.over, { x: short(playerOf(running, X)), o: short(playerOf(running, O)) })}
          </p>
        )}
        {table && <FreeCoins chain={table.chain} />}
        <p class="hint error" id={error} role="alert">
          {problem}
        </p>
        <div class="row">
          <button type="submit" class={running ? "primary danger" : "primary"}>
            {running ? text.newGame.beginOver : text.newGame.begin}
          </button>
          <Button press={closeDialog}>{text.newGame.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
