// Turns what a wallet or a node throws into one of the failures that the text files have a sentence for.
import { decodeErrorResult } from "viem/utils";
import { REASONS } from "./generated/contract.ts";
import { asWords, InvalidAnswer, NoAnswer } from "./provider.ts";
import type { Hex } from "./rules.ts";

export type Reason = (typeof REASONS)[number];

export type Failure =
  | { kind: "reason"; reason: Reason }
  | { kind: "refused"; detail: string }
  /** A game has started that is not the one the player asked for; perhaps while the wallet still asks. */
  | { kind: "started"; by: "you" | "opponent" | "others"; walletAsks: boolean }
  | {
      kind:
        | "declined"
        | "busy"
        | "locked"
        | "funds"
        | "unknownChain"
        | "wrongChain"
        | "noAnswer"
        | "invalidAnswer"
        | "reverted"
        | "replaced"
        | "dropped"
        | "overwritten"
        | "begun"
        | "notTable"
        | "taken";
    };

/** The error and the errors inside it: wallets wrap the original one, some of them several times. */
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

export function toFailure(error: unknown): Failure {
  try {
    return diagnose(error);
  } catch {
    // Reading a property of the thrown object can throw, too.
    return { kind: "refused", detail: "?" };
  }
}

function diagnose(error: unknown): Failure {
  if (error instanceof NoAnswer) return { kind: "noAnswer" };
  if (error instanceof InvalidAnswer) return { kind: "invalidAnswer" };
  const all = [...layers(error)];
  // The first 1,000 characters identify a message, and keep the patterns below from searching megabytes.
  const messages = all.flatMap(({ message }) => (typeof message === "string" ? message.slice(0, 1000) : []));
  const text = messages.join("\n");

  for (const layer of all) {
    const reason = reasonIn(layer["data"]);
    if (reason !== null) return { kind: "reason", reason };
  }
  // Some wallets keep only the message. The pattern takes the whole phrase, so a longer one is not mistaken for a reason.
  const phrase = /revert(?:ed)?(?: with reason string)?:?\s+['"]?([a-z ]+?)['"]?(?:$|[\n,.(])/im.exec(text)?.[1]?.trim();
  if (phrase !== undefined && isReason(phrase)) return { kind: "reason", reason: phrase };

  const codes = new Set(all.map(({ code }) => code));
  if (codes.has(4001) || codes.has("ACTION_REJECTED")) return { kind: "declined" };
  if (codes.has(4902)) return { kind: "unknownChain" };
  if (codes.has(4100)) return { kind: "locked" };
  if (codes.has(4900) || codes.has(4901)) return { kind: "noAnswer" };
  if (codes.has(-32002)) return { kind: "busy" };
  if (/insufficient funds/i.test(text)) return { kind: "funds" };
  if (/user (rejected|denied|cancell?ed)/i.test(text)) return { kind: "declined" };
  if (/revert/i.test(text) || codes.has(3)) return { kind: "reverted" };
  if (/failed to fetch|timed? ?out|network error/i.test(text)) return { kind: "noAnswer" };
  return { kind: "refused", detail: asWords(messages[0] ?? String(error), 160) };
}
