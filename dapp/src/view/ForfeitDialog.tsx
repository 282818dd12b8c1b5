import { useRef } from "preact/hooks";
import { markName, other } from "../rules.ts";
import { state } from "../state.ts";
import { fill, text } from "../text.ts";
import { send } from "../transactions.ts";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";
import { closeDialog } from "./dialogs.ts";

export function ForfeitDialog() {
  // The game that the dialog asks about. Another one may start while it is open.
  const game = useRef(state.snapshot?.game).current;
  if (!game || game.turn === null) return null;
  const { number, turn } = game;
  const giveUp = (): void => {
    closeDialog();
    if (state.snapshot?.game?.number === number) void send({ kind: "forfeit", number });
  };
  return (
    <Dialog title={text.forfeit.title}>
      <p>{fill(text.forfeit.text, { player: markName(other(turn)) })}</p>
      <div class="row">
        <Button class="primary danger" press={giveUp}>
          {text.forfeit.yes}
        </Button>
        <Button press={closeDialog}>{text.forfeit.no}</Button>
      </div>
    </Dialog>
  );
}
