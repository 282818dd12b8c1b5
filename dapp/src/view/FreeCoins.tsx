// Where a player gets the coins of a test network.
import { chainById, LOCAL_CHAIN } from "../chains.ts";
import { fill, text } from "../text.ts";
import { chainName } from "../words.ts";
import { OutsideLink } from "./Button.tsx";

/** ethereum.org's list of faucets. */
const FAUCETS = "https://ethereum.org/developers/docs/networks/#ethereum-testnets";

export function FreeCoins({ chain }: { chain: number }) {
  // A node on this machine gives its players coins itself.
  if (chain === LOCAL_CHAIN || !chainById(chain)?.testnet) return null;
  return (
    <p class="hint">
      <OutsideLink href={FAUCETS}>{fill(text.chain.freeCoins, { chain: chainName(chain) })}</OutsideLink>
    </p>
  );
}
