// The moves of the game, each with a link to its transaction.
import { explorerLink } from "../chains.ts";
import { markName, markOfMove } from "../rules.ts";
import { openTable, state } from "../state.ts";
import { fill, text } from "../text.ts";
import { cellName } from "../words.ts";
import { OutsideLink } from "./Button.tsx";
import { Card } from "./Card.tsx";
import "./Moves.css";

export function Moves() {
  const table = openTable();
  const game = state.snapshot?.game;
  if (table === null || !game || game.moves.length === 0) return null;
  const { links } = state;
  const hashes = links?.number === game.number ? links.hashes : [];
  return (
    <Card title={text.game.history}>
      <ol class="moves">
        {game.moves.map((cell, at) => {
          const mark = markName(markOfMove(at));
          const href = explorerLink(table.chain, hashes[at]);
          const name = cellName(cell);
          return (
            <li key={at} data-mark={mark.toLowerCase()}>
              <b>{mark}</b>{" "}
              {href === null ? (
                name
              ) : (
                <OutsideLink href={href} label={fill(text.game.moveLink, { cell: name, number: at + 1 })}>
                  {name}
                </OutsideLink>
              )}
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
