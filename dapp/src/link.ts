// The link to a table: `?chain=…&table=0x…`, and `&rpc=…` for a chain that the page does not know. Anybody can write a
// link, so every part is checked, and the page names the part that is wrong.
import { getAddress, isAddress } from "viem/utils";
import { isLoopback } from "./chains.ts";
import type { Address } from "./rules.ts";

/** A table, as a link names it. */
export interface TableLink {
  chain: number;
  address: Address;
  /** The endpoint in the link. The page sends nothing to it before the player agrees. */
  rpc: string | null;
}

export type LinkFault = "chain" | "table" | "rpc";
export type Link = { kind: "home" } | { kind: "table"; table: TableLink } | { kind: "fault"; fault: LinkFault };

export function parseChain(text: string): number | null {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

/** An address as people paste it. A wrong checksum is refused; digits all in one case have no checksum and are accepted. */
export function parseAddress(text: string): Address | null {
  const trimmed = text.trim();
  if (!/^0x[0-9a-fA-F]{40}$/.test(trimmed)) return null;
  const digits = trimmed.slice(2);
  const plain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!plain && !isAddress(trimmed, { strict: true })) return null;
  return getAddress(`0x${digits.toLowerCase()}`);
}

export function parseEndpoint(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  const safe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  // Browsers differ in which other host names they accept.
  if (!/^([a-z0-9._-]+|\[[0-9a-f:]+\])$/.test(url.hostname)) return null;
  if (!safe || url.username !== "" || url.password !== "" || url.hash !== "" || text.length > 300) return null;
  return url.href;
}

export function parseLink(search: string): Link {
  const params = new URLSearchParams(search);
  if (!params.has("chain") && !params.has("table")) return { kind: "home" };
  for (const fault of ["chain", "table", "rpc"] as const) {
    // If a parameter is there twice, another program may read the other one.
    if (params.getAll(fault).length > 1) return { kind: "fault", fault };
  }
  const [chainText, tableText, rpcText] = [params.get("chain"), params.get("table"), params.get("rpc")];
  const chain = parseChain(chainText ?? "");
  if (chain === null) return { kind: "fault", fault: "chain" };
  const address = parseAddress(tableText ?? "");
  if (address === null) return { kind: "fault", fault: "table" };
  const rpc = rpcText === null ? null : parseEndpoint(rpcText);
  if (rpcText !== null && rpc === null) return { kind: "fault", fault: "rpc" };
  return { kind: "table", table: { chain, address, rpc } };
}

/** What a person pastes to open a table: its link, from this page or another copy of it, or its address on a chosen chain. */
export function parsePasted(text: string, chain: number | null): TableLink | null {
  const trimmed = text.trim();
  if (trimmed.includes("?")) {
    const link = parseLink(trimmed.slice(trimmed.indexOf("?")).replace(/#.*$/, ""));
    return link.kind === "table" ? link.table : null;
  }
  const address = parseAddress(trimmed);
  return chain === null || address === null ? null : { chain, address, rpc: null };
}

export function linkTo(table: TableLink): string {
  const params = new URLSearchParams({ chain: String(table.chain), table: table.address });
  if (table.rpc !== null) params.set("rpc", table.rpc);
  return `?${params.toString()}`;
}

/** Opens a table, or the start page for null, as a link does. */
export function go(table: TableLink | null): void {
  history.pushState(null, "", table === null ? location.pathname : linkTo(table));
  window.dispatchEvent(new PopStateEvent("popstate"));
}
