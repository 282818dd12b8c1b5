// One way to ask a chain, whoever answers: a wallet, a public endpoint or the practice chain. Whoever answers may lie or
// be broken, so every answer is checked for its form here before anything else sees it.
import { getAddress } from "viem/utils";
import type { Address, Hex } from "./rules.ts";

export interface Request {
  method: string;
  params?: readonly unknown[];
}

export interface Provider {
  request(request: Request): Promise<unknown>;
  on?(event: string, listener: (argument: unknown) => void): unknown;
}

export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Nobody answered, or not in the language of nodes. */
export class OutOfTouch extends Error {}

/** An answer that no honest node can give. */
export class Nonsense extends Error {}

/** A node that has not answered a question by then will not; people in wallets get all the time they want. */
const PATIENCE = 8000;

/** Room for the events of some thousand rounds; every other answer is far shorter. */
const LONGEST_ANSWER = 8_000_000;

let number = 0;

export function endpoint(url: string): Provider {
  return {
    async request({ method, params = [] }) {
      let body: unknown;
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: ++number, method, params }),
          signal: AbortSignal.timeout(PATIENCE),
          credentials: "omit",
          referrerPolicy: "no-referrer",
          redirect: "error",
          cache: "no-store",
        });
        body = JSON.parse(await read(response));
      } catch (error) {
        throw new OutOfTouch(String(error));
      }
      if (typeof body !== "object" || body === null) throw new OutOfTouch("not JSON-RPC");
      if ("error" in body && typeof body.error === "object" && body.error !== null) {
        const { code, message, data } = body.error as Record<string, unknown>;
        throw new RpcError(Number(code), String(message), data);
      }
      if (!("result" in body)) throw new OutOfTouch("not JSON-RPC");
      return body.result;
    },
  };
}

/** An answer without an end is none. */
async function read(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    if (text.length > LONGEST_ANSWER) {
      void reader?.cancel();
      throw new OutOfTouch("too long an answer");
    }
  }
}

/** A question to a node, for which nobody has to press a button. */
export async function ask(provider: Provider, method: string, ...params: unknown[]): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutOfTouch(`${method}: no answer`)), PATIENCE);
  });
  try {
    return await Promise.race([provider.request({ method, params }), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A stranger's words as one short line: nothing in it is unseen, turns the line round, breaks it or grows out of it. */
export function asWords(value: unknown, longest: number): string {
  if (typeof value !== "string") return "";
  const line = value.slice(0, 2000).replace(/[\t-\r\p{Z}]+/gu, " ").replace(/\p{C}|(?<=\p{M}{2})\p{M}/gu, "").trim();
  return [...line].slice(0, longest).join("");
}

export function asHex(value: unknown): Hex {
  if (typeof value !== "string" || !/^0x([0-9a-fA-F]{2})*$/.test(value)) throw new Nonsense("not bytes");
  return value as Hex;
}

export function asHash(value: unknown): Hex {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(value)) throw new Nonsense("not a hash");
  return value as Hex;
}

export function asNumber(value: unknown): number {
  // Some wallets give a number for what the standard calls a hexadecimal string.
  const given = typeof value === "string" && /^0x[0-9a-fA-F]{1,14}$/.test(value) ? Number(value) : value;
  if (typeof given !== "number" || !Number.isSafeInteger(given) || given < 0) throw new Nonsense("not a number");
  return given;
}

export function asAddress(value: unknown): Address {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(value)) throw new Nonsense("not an address");
  return getAddress(value);
}

export function asAccounts(value: unknown): Address[] {
  return Array.isArray(value) ? value.map(asAddress) : [];
}

export function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new Nonsense("not an object");
  return value as Record<string, unknown>;
}

export const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;
