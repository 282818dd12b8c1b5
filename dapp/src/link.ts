// The link to a table: `?chain=…&table=0x…`, and `&with=0x…` for the player who invites. Anybody can write a link, so every part is
// checked.
import { getAddress, isAddress } from "viem/utils";
import { type Address, ZERO } from "./rules.ts";

/** A table, as a link names it. */
export type TableLink = { chain: number; address: Address };

export interface OpenedTable {
  kind: "table";
  table: TableLink;
  /** The player who sent the link as an invitation. */
  inviter: Address | null;
}
export type Link = { kind: "home" } | OpenedTable | { kind: "damaged" };

export function parseChain(text: string): number | null {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

/** An address as people paste it. A wrong checksum is refused; digits all in one case have no checksum and are accepted. */
export function parseAddress(text: string): Address | null {
  const trimmed = text.trim();
  const isPlain = /^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(trimmed);
  return isPlain || isAddress(trimmed) ? getAddress(trimmed.toLowerCase()) : null;
}

export function parseLink(search: string): Link {
  const params = new URLSearchParams(search);
  if (!params.has("chain") && !params.has("table")) return { kind: "home" };
  // If a parameter is there twice, another program may read the other one.
  const isTwice = ["chain", "table", "with"].some((name) => params.getAll(name).length > 1);
  const chain = parseChain(params.get("chain") ?? "");
  const address = parseAddress(params.get("table") ?? "");
  const inviter = params.has("with") ? parseAddress(params.get("with") ?? "") : null;
  const isDamaged = isTwice || (params.has("with") && (inviter === null || inviter === ZERO));
  if (isDamaged || chain === null || address === null) return { kind: "damaged" };
  return { kind: "table", table: { chain, address }, inviter };
}

/** What a person pastes to open a table: its link, from this page or another copy of it, or its address on a chosen chain. */
export function parsePasted(text: string, chain: number | null): OpenedTable | null {
  const isLink = text.includes("?");
  const query = isLink
    ? text.slice(text.indexOf("?")).replace(/#.*$/s, "").trim()
    : `?chain=${chain}&table=${encodeURIComponent(text)}`;
  const link = parseLink(query);
  return link.kind === "table" ? link : null;
}

/** What a person pastes to name a player: an address, or the link with which that player invites. */
export const parsePlayer = (text: string): Address | null =>
  parseAddress(text) ?? parsePasted(text, null)?.inviter ?? null;

export function linkTo(table: TableLink, inviter: Address | null = null): string {
  const params = new URLSearchParams({ chain: String(table.chain), table: table.address });
  if (inviter !== null) params.set("with", inviter);
  return `?${params.toString()}`;
}

/** A link for other people, with the address of this page. */
export const fullLink = (table: TableLink, inviter: Address | null): string =>
  new URL(linkTo(table, inviter), location.href).href;

/** Opens a table, or the start page for null, as a link does. */
export function go(table: TableLink | null, inviter: Address | null = null): void {
  history.pushState(null, "", table === null ? location.pathname : linkTo(table, inviter));
  window.dispatchEvent(new PopStateEvent("popstate"));
}
