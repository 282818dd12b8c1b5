// What something costs, before it is paid.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { getGasPrice } from "viem/actions";
import { chainById, knownChains, LOCAL_CHAIN } from "../chains.ts";
import { costOf } from "../cost.ts";
import { clientOf } from "../provider.ts";
import { state } from "../state.ts";
import { current } from "../source.ts";
import { fill, language, text } from "../text/index.ts";
import { chainName } from "../words.ts";
import { OutsideLink } from "./Button.tsx";

/** ethereum.org's list of faucets. */
const FAUCETS = "https://ethereum.org/developers/docs/networks/#ethereum-testnets";

/** The last gas price of each chain. */
const prices = signal<ReadonlyMap<number, bigint>>(new Map());

/** Reads the price once, where the page reads anyway. Without an answer there is no number until the wallet shows one. */
function usePrice(chain: number | null): bigint | null {
  const { connection, source } = state;
  useEffect(() => {
    const client = connection?.chain === chain ? clientOf(connection.wallet.provider) : source && current()?.client;
    if (!client || chain === null || prices.peek().has(chain)) return;
    getGasPrice(client).then((price) => (prices.value = new Map(prices.value).set(chain, price)), () => null);
  }, [chain, connection, source]);
  return (chain !== null && prices.value.get(chain)) || null;
}

/** Before a wallet is connected, a testnet to begin with. */
export function TableCost({ chain }: { chain: number | null }) {
  const price = usePrice(chain);
  if (chain === null || price === null) return <Costs chain={chain ?? knownChains[0]?.id ?? 0} />;
  return <Costs chain={chain} words={fill(text.cost.table, { cost: costOf("table", chain, price, language()) })} />;
}

/** A game's first transaction, and each move. */
export function GameCost({ chain }: { chain: number }) {
  const price = usePrice(chain);
  if (price === null) return <Costs chain={chain} />;
  const what = state.snapshot?.game?.number === 0n ? "firstGame" : "game";
  const costs = { game: costOf(what, chain, price, language()), move: costOf("move", chain, price, language()) };
  return <Costs chain={chain} words={fill(text.cost.game, costs)} />;
}

function Costs({ chain, words = "" }: { chain: number; words?: string }) {
  // A node on this machine gives its players coins itself.
  const free = chain !== LOCAL_CHAIN && (chainById(chain)?.testnet ?? false);
  if (words === "" && !free) return null;
  return (
    <p class="hint">
      {words} {free && <OutsideLink href={FAUCETS}>{fill(text.cost.faucets, { chain: chainName(chain) })}</OutsideLink>}
    </p>
  );
}
