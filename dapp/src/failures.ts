// From whatever a wallet or a node throws to one of the sentences in the text file.
import { decodeErrorResult } from "viem/utils";
import { REASONS } from "./generated/contract.ts";
import { asWords, Nonsense, OutOfTouch } from "./provider.ts";
import type { Hex } from "./rules.ts";

export type Reason = (typeof REASONS)[number];

export type Trouble =
  | { kind: "reason"; reason: Reason }
  | { kind: "refused"; detail: string }
  | {
      kind:
        | "declined"
        | "busy"
        | "locked"
        | "funds"
        | "unknownChain"
        | "wrongChain"
        | "outOfTouch"
        | "nonsense"
        | "reverted"
        | "replaced"
        | "dropped"
        | "overwritten"
        | "begun"
        | "notTable"
        | "taken";
    };

/** The error, what it wraps, and what that wraps: wallets put the true one at any depth. */
function* layers(error: unknown, depth = 0): Generator<Record<string, unknown>> {
  if (typeof error !== "object" || error === null || depth > 5) return;
  yield error as Record<string, unknown>;
  for (const key of ["data", "originalError", "cause", "error", "info"]) {
    yield* layers((error as Record<string, unknown>)[key], depth + 1);
  }
}

const isReason = (text: string): text is Reason => (REASONS as readonly string[]).includes(text);

function reasonIn(data: unknown): Reason | null {
  if (typeof data !== "string" || !/^0x08c379a0([0-9a-fA-F]{2})+$/.test(data)) return null;
  try {
    const [text] = decodeErrorResult({ data: data as Hex }).args as readonly [string];
    return isReason(text) ? text : null;
  } catch {
    return null;
  }
}

export function hasCode(error: unknown, code: number): boolean {
  for (const layer of layers(error)) if (layer["code"] === code) return true;
  return false;
}

export function toTrouble(error: unknown): Trouble {
  try {
    return diagnose(error);
  } catch {
    // Some things that are thrown cannot even be looked at.
    return { kind: "refused", detail: "?" };
  }
}

function diagnose(error: unknown): Trouble {
  if (error instanceof OutOfTouch) return { kind: "outOfTouch" };
  if (error instanceof Nonsense) return { kind: "nonsense" };
  const all = [...layers(error)];
  // The beginning of each is enough to know it by, and no pattern has to search through megabytes.
  const messages = all.flatMap(({ message }) => (typeof message === "string" ? message.slice(0, 1000) : []));
  const text = messages.join("\n");

  for (const layer of all) {
    const reason = reasonIn(layer["data"]);
    if (reason !== null) return { kind: "reason", reason };
  }
  // Some wallets keep only the words. The whole word counts, so that no longer sentence is taken for a reason.
  const said = /revert(?:ed)?(?: with reason string)?:?\s+['"]?([a-z ]+?)['"]?(?:$|[\n,.(])/im.exec(text)?.[1]?.trim();
  if (said !== undefined && isReason(said)) return { kind: "reason", reason: said };

  const codes = new Set(all.map(({ code }) => code));
  if (codes.has(4001) || codes.has("ACTION_REJECTED")) return { kind: "declined" };
  if (codes.has(4902)) return { kind: "unknownChain" };
  if (codes.has(4100)) return { kind: "locked" };
  if (codes.has(4900) || codes.has(4901)) return { kind: "outOfTouch" };
  if (codes.has(-32002)) return { kind: "busy" };
  if (/insufficient funds/i.test(text)) return { kind: "funds" };
  if (/user (rejected|denied|cancell?ed)/i.test(text)) return { kind: "declined" };
  if (/revert/i.test(text) || codes.has(3)) return { kind: "reverted" };
  if (/failed to fetch|timed? ?out|network error/i.test(text)) return { kind: "outOfTouch" };
  return { kind: "refused", detail: asWords(messages[0] ?? String(error), 160) };
}
