// The table, and where the page reads it from.
import { chainById } from "../chains.ts";
import { hostOf } from "../invitation.ts";
import { openTable, state } from "../state.ts";
import { fill, text } from "../text.ts";
import { chainName, short } from "../words.ts";
import { Button } from "./Button.tsx";
import { Card } from "./Card.tsx";
import { AddressButton } from "./Person.tsx";
import { copyLink } from "./share.ts";
import "./Source.css";

export function Source() {
  const table = openTable();
  if (table === null) return null;
  return (
    <Card class="source" title={text.game.table}>
      <p class="hint">
        <AddressButton address={table.address} chain={table.chain}>
          <bdi class="mono">{short(table.address)}</bdi>
        </AddressButton>{" "}
        {fill(text.game.onChain, { chain: chainName(table.chain) })}
      </p>
      <p class="hint">
        <span class="dot" data-node={state.nodeStatus} aria-hidden="true" /> {sourceText()}
      </p>
      {linksMissing(table.chain) && <p class="hint">{text.game.linksUnknown}</p>}
      {/* An invitation has a card of its own. */}
      {hostOf(state) === null && <Button press={copyLink}>{text.game.share}</Button>}
    </Card>
  );
}

/** Whether the source did not return the transactions of all moves. */
function linksMissing(chain: number): boolean {
  const { links, snapshot } = state;
  const game = snapshot?.game;
  if (!game || links?.number !== game.number || !chainById(chain)?.explorer) return false;
  return links.hashes.slice(0, game.moves.length).includes(null);
}

function sourceText(): string {
  const { source, nodeStatus, snapshot } = state;
  if (nodeStatus === "lost") return text.game.nodeLostShort;
  if (snapshot === null || source === null || source.kind === "none") return text.status.reading;
  const from =
    source.kind === "endpoint"
      ? fill(text.game.viaEndpoint, { host: source.host })
      : fill(text.game.viaWallet, { wallet: source.name || text.game.yourWallet });
  return `${from}\u00a0· ${fill(text.game.block, { number: snapshot.head.number })}`;
}
