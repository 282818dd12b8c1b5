// The tables that the player has opened in this browser.
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
        {tables.map((table) => (
          <li key={linkTo(table)}>
            <LocalLink href={linkTo(table)} go={() => go(table)}>
              {fill(text.home.recentEntry, { table: short(table.address), chain: chainName(table.chain) })}
            </LocalLink>
          </li>
        ))}
      </ul>
    </Card>
  );
}
