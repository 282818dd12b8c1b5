// Sentences about one thing: a chain, a failure, a cell. Those about the player are in seat.ts.
import { chainById, LOCAL_CHAIN } from "./chains.ts";
import type { Address } from "./rules.ts";
import type { Notice } from "./state.ts";
import { fill, plural, text } from "./text.ts";

export const short = (address: Address): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

export function chainName(id: number): string {
  if (id === LOCAL_CHAIN) return text.chain.local;
  return chainById(id)?.name ?? fill(text.chain.unnamed, { id });
}

/** What is on a button that spends coins: where they have a price, it says so. */
export const spending = (label: string, chain: number): string =>
  chainById(chain)?.testnet ? label : fill(text.chain.realMoney, { label });

export function noticeText(notice: Notice): string {
  if (notice.kind === "reason") return text.reason[notice.reason];
  if (notice.kind === "refused") return fill(text.refused, { detail: notice.detail });
  if (notice.kind !== "reorg") return text.failure[notice.kind];
  if (notice.moves === 0) return text.reorg.none;
  return fill(text.reorg.some, { moves: plural(text.reorg.moves, notice.moves) });
}

export const cellName = (cell: number): string => text.cells[cell as 0] ?? "";
