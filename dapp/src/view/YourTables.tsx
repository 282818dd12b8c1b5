// The tables that the player has set up or played at in this browser, as they were seen last. Nothing is asked for them.
import { go, linkTo } from "../link.ts";
import { recall } from "../memory.ts";
import { fill, text } from "../text.ts";
import { chainName, short } from "../words.ts";
import { LocalLink } from "./Button.tsx";
import { Card } from "./Card.tsx";

export function YourTables() {
  const tables = recall.tables();
  if (tables.length === 0) return null;
  return (
    <Card title={text.home.recentTitle}>
      <ul class="tables stack">
        {tables.map(({ opponent, turn, ...table }) => {
          const names = { opponent: opponent === null ? "" : short(opponent), chain: chainName(table.chain) };
          return (
            <li key={linkTo(table)} class="row">
              <LocalLink href={linkTo(table)} go={() => go(table)}>
                {fill(opponent === null ? text.home.recentFree : text.home.recentEntry, names)}
              </LocalLink>
              <span class="hint">{text.home.recentTurn[turn]}</span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
