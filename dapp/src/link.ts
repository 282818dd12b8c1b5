// The address bar: `?chain=…&table=0x…`, and `&rpc=…` for a chain that nobody knows. What a link says is data of a
// stranger: each part is taken whole and valid, or named as the reason why the link opens nothing.
import { getAddress, isAddress } from "viem/utils";
import { isLoopback } from "./chains.ts";
import type { Address } from "./rules.ts";

export interface Table {
  chain: number;
  address: Address;
  /** An endpoint that the link asks for. Nothing is sent to it before the player agrees. */
  rpc: string | null;
}

export type LinkFault = "chain" | "table" | "rpc";
export type Link = { kind: "home" } | { kind: "table"; table: Table } | { kind: "fault"; fault: LinkFault };

export function parseChain(text: string): number | null {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

/** An address as people paste it: a wrong checksum is refused, no checksum (all of one case) is accepted. */
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
  // Browsers differ in what else they let pass as a host's name.
  if (!/^([a-z0-9._-]+|\[[0-9a-f:]+\])$/.test(url.hostname)) return null;
  if (!safe || url.username !== "" || url.password !== "" || url.hash !== "" || text.length > 300) return null;
  return url.href;
}

export function parseLink(search: string): Link {
  const params = new URLSearchParams(search);
  if (!params.has("chain") && !params.has("table")) return { kind: "home" };
  for (const fault of ["chain", "table", "rpc"] as const) {
    // Who checks the first of two is not safe from who reads the second.
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

export function linkTo(table: Table): string {
  const params = new URLSearchParams({ chain: String(table.chain), table: table.address });
  if (table.rpc !== null) params.set("rpc", table.rpc);
  return `?${params.toString()}`;
}

/** Opens a table, or the start page, as following a link would. */
export function go(table: Table | null): void {
  history.pushState(null, "", table === null ? location.pathname : linkTo(table));
  window.dispatchEvent(new PopStateEvent("popstate"));
}
