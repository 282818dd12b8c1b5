// Turns what a wallet or a node throws into one of the failures that text.ts has a sentence for.
import { BaseError } from "viem";
import { decodeErrorResult } from "viem/utils";
import { InvalidAnswer, NoAnswer } from "./rpc.ts";
import type { Hex } from "./rules.ts";
import { text } from "./text.ts";

/** The contract's reasons for a revert. A test compares them with the contract. */
export type Reason = keyof typeof text.reason;

export type Failure =
  { kind: "reason"; reason: Reason } | { kind: "refused"; detail: string } | { kind: keyof typeof text.failure };

/** What the page itself finds out. */
export class Failed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** Foreign text as one short line, without line breaks, invisible or direction-changing characters and stacked accents. */
export function asWords(value: unknown, longest: number): string {
  if (typeof value !== "string") return "";
  const line = value
    .slice(0, 2000)
    .replace(/[\t-\r\p{Z}]+/gu, " ")
    .replace(/\p{C}|(?<=\p{M}{2})\p{M}/gu, "")
    .trim();
  return [...line].slice(0, longest).join("");
}

/** Wallets wrap an error a few times. More layers than this are an attempt to keep the page busy. */
const MOST_LAYERS = 20;

type Layer = Readonly<Record<string, unknown>>;

/** The error and the errors inside it, the outer ones first. */
function layers(error: unknown): Layer[] {
  const found: Layer[] = [];
  const queue = [error];
  for (const layer of queue) {
    if (typeof layer !== "object" || layer === null) continue;
    if (found.push(layer as Layer) === MOST_LAYERS) break;
    const { data, originalError, cause, error: inner, info } = layer as Layer;
    queue.push(data, originalError, cause, inner, info);
  }
  return found;
}

const isReason = (words: string): words is Reason => Object.hasOwn(text.reason, words);

function reasonIn(data: unknown): Reason | null {
  if (typeof data !== "string" || !/^0x08c379a0([0-9a-fA-F]{2})+$/.test(data)) return null;
  try {
    const [words] = decodeErrorResult({ data: data as Hex }).args as readonly [string];
    return isReason(words) ? words : null;
  } catch {
    return null;
  }
}

/** What a wallet or a node says in an error. viem's own message around it is for developers. */
function wordsOf(layer: Layer): string {
  const words = layer instanceof BaseError ? layer.details : layer["message"];
  return typeof words === "string" ? words.slice(0, 1000) : "";
}

export function toFailure(error: unknown): Failure {
  if (error instanceof Failed) return error.failure;
  if (error instanceof NoAnswer) return { kind: "noAnswer" };
  if (error instanceof InvalidAnswer) return { kind: "invalidAnswer" };
  const all = layers(error);
  // The first 1,000 characters identify a message. With single spaces the patterns below take linear time.
  const messages = all.map(wordsOf).filter((words) => words !== "");
  const said = messages.map((message) => message.replace(/\s+/g, " ")).join("\n");

  const reason = all.map(({ data }) => reasonIn(data)).find((found) => found !== null);
  if (reason) return { kind: "reason", reason };
  // Some wallets keep only the message. The pattern takes the whole phrase, so a longer one is not mistaken for a reason.
  const phrase = /revert(?:ed)?(?: with reason string)?:? ['"]?([a-z ]{1,40}?)['"]?(?:$|[,.(])/im
    .exec(said)?.[1]
    ?.trim();
  if (phrase !== undefined && isReason(phrase)) return { kind: "reason", reason: phrase };

  const codes = new Set(all.map(({ code }) => code));
  if (codes.has(4001) || codes.has("ACTION_REJECTED")) return { kind: "declined" };
  if (codes.has(4902)) return { kind: "unknownChain" };
  if (codes.has(4100)) return { kind: "locked" };
  if (codes.has(4900) || codes.has(4901)) return { kind: "noAnswer" };
  if (codes.has(-32002)) return { kind: "busy" };
  if (/insufficient funds/i.test(said)) return { kind: "funds" };
  if (/user (rejected|denied|cancell?ed)/i.test(said)) return { kind: "declined" };
  if (/revert/i.test(said) || codes.has(3)) return { kind: "reverted" };
  if (/failed to fetch|timed? ?out|network error/i.test(said)) return { kind: "noAnswer" };
  return { kind: "refused", detail: asWords(messages[0] ?? (typeof error === "object" ? "?" : String(error)), 160) };
}
