// Whether the player's account is empty, and where a player gets the coins of a test network.
import { chainById, LOCAL_CHAIN } from "../chains.ts";
import { state } from "../state.ts";
import { fill, text } from "../text.ts";
import { chainName } from "../words.ts";
import { OutsideLink } from "./Button.tsx";

/** ethereum.org's list of faucets. */
const FAUCETS = "https://ethereum.org/developers/docs/networks/#ethereum-testnets";

export function FreeCoins({ chain }: { chain: number }) {
  const isEmpty = state.isBroke && state.connection?.chain === chain;
  // A node on this machine gives its players coins itself.
  const isFree = chain !== LOCAL_CHAIN && chainById(chain)?.testnet === true;
  if (!isEmpty && !isFree) return null;
  const names = { chain: chainName(chain) };
  return (
    <p class="hint">
      {isEmpty && `${fill(text.chain.noCoins, names)} `}
      {isFree && <OutsideLink href={FAUCETS}>{fill(text.chain.freeCoins, names)}</OutsideLink>}
    </p>
  );
}
