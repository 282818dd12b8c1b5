// One interface to a chain, through a wallet, an endpoint or the practice chain. Any of them can be broken or malicious, so
// the form of every answer is checked here before the rest of the page uses it.
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

/** There was no answer, or it was not JSON-RPC. */
export class NoAnswer extends Error {}

/** An answer that no honest node gives. */
export class InvalidAnswer extends Error {}

/** How long to wait for a node, in milliseconds. What a person must confirm in the wallet has no limit. */
const ANSWER_TIMEOUT = 8000;

/** In characters: enough for the events of some thousand games. Every other answer is far shorter. */
const LONGEST_ANSWER = 8_000_000;

const TOO_MANY_REQUESTS = 429;
/** Codes of a node that refuses because of its own limits. */
const LIMITS = new Set([TOO_MANY_REQUESTS, -32_005, -32_029]);

let requests = 0;

export function endpoint(url: string, timeout = ANSWER_TIMEOUT): Provider {
  return {
    async request({ method, params = [] }) {
      let body: unknown;
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: ++requests, method, params }),
          signal: AbortSignal.timeout(timeout),
          credentials: "omit",
          referrerPolicy: "no-referrer",
          redirect: "error",
          cache: "no-store",
        });
        if (response.status === TOO_MANY_REQUESTS) throw new Error("too many requests");
        body = JSON.parse(await readBody(response));
      } catch (error) {
        throw new NoAnswer(String(error));
      }
      if (typeof body !== "object" || body === null) throw new NoAnswer("not JSON-RPC");
      if ("error" in body && typeof body.error === "object" && body.error !== null) {
        const { code, message, data } = body.error as Record<string, unknown>;
        throw new RpcError(Number(code), String(message), data);
      }
      if (!("result" in body)) throw new NoAnswer("not JSON-RPC");
      return body.result;
    },
  };
}

/** How long to wait for an endpoint while there is another one, so that two fit into one request of the page. */
const FALLBACK_TIMEOUT = 3500;

/**
 * Several endpoints of one chain as one. It stays with an endpoint until that one fails, and then asks the next. The chain's
 * number is checked on each before anything else is asked.
 */
export function endpoints(urls: readonly string[], chain: number, onSwitch: (url: string) => void = () => undefined): Provider {
  const all = urls.map((url) => ({ url, provider: endpoint(url, urls.length === 1 ? ANSWER_TIMEOUT : FALLBACK_TIMEOUT), checked: false }));
  let at = 0;
  let used = 0;

  /** The chain's number from an endpoint. The last endpoint's wrong one is returned, so that the page can report it. */
  async function chainOf(one: (typeof all)[number], last: boolean): Promise<unknown> {
    const found = await one.provider.request({ method: "eth_chainId" });
    one.checked = Number(found) === chain;
    if (!one.checked && !last) throw new NoAnswer(`${one.url} serves another chain`);
    return found;
  }

  async function askOne(one: (typeof all)[number], request: Request, last: boolean): Promise<unknown> {
    if (request.method === "eth_chainId") return chainOf(one, last);
    if (!one.checked) {
      await chainOf(one, last);
      if (!one.checked) throw new NoAnswer(`${one.url} serves another chain`);
    }
    return one.provider.request(request);
  }

  return {
    async request(request) {
      let place = at;
      for (let tries = 1; ; tries += 1) {
        const one = all[place];
        if (one === undefined) throw new NoAnswer("no endpoint");
        try {
          const result = await askOne(one, request, tries === all.length);
          if (used !== place) {
            used = place;
            onSwitch(one.url);
          }
          return result;
        } catch (error) {
          if (!isOutage(error, request)) throw error;
          const next = (place + 1) % all.length;
          // The next request begins there, also if this one is given up before an endpoint answers.
          if (at === place) at = next;
          if (tries === all.length) throw error;
          place = next;
        }
      }
    },
  };
}

/** Whether another endpoint may answer what this one did not. A limit on events is about the request: `events.ts` asks for less. */
function isOutage(error: unknown, { method }: Request): boolean {
  if (error instanceof RpcError) return method !== "eth_getLogs" && LIMITS.has(error.code);
  return error instanceof NoAnswer;
}

/** Stops at the limit, so that an endless answer does not fill the memory. */
async function readBody(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    if (text.length > LONGEST_ANSWER) {
      void reader?.cancel();
      throw new NoAnswer("the answer is too long");
    }
  }
}

/** A request that no person has to confirm. */
export async function ask(provider: Provider, method: string, ...params: unknown[]): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`${method}: no answer`)), ANSWER_TIMEOUT);
  });
  try {
    return await Promise.race([provider.request({ method, params }), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Foreign text as one short line, without line breaks, invisible or direction-changing characters and stacked accents. */
export function asWords(value: unknown, longest: number): string {
  if (typeof value !== "string") return "";
  const line = value.slice(0, 2000).replace(/[\t-\r\p{Z}]+/gu, " ").replace(/\p{C}|(?<=\p{M}{2})\p{M}/gu, "").trim();
  return [...line].slice(0, longest).join("");
}

export function asHex(value: unknown): Hex {
  if (typeof value !== "string" || !/^0x([0-9a-fA-F]{2})*$/.test(value)) throw new InvalidAnswer("not bytes");
  return value as Hex;
}

export function asHash(value: unknown): Hex {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(value)) throw new InvalidAnswer("not a hash");
  return value as Hex;
}

export function asNumber(value: unknown): number {
  // Some wallets return a number where the standard has a hexadecimal string.
  const given = typeof value === "string" && /^0x[0-9a-fA-F]{1,14}$/.test(value) ? Number(value) : value;
  if (typeof given !== "number" || !Number.isSafeInteger(given) || given < 0) throw new InvalidAnswer("not a number");
  return given;
}

export function asAddress(value: unknown): Address {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(value)) throw new InvalidAnswer("not an address");
  return getAddress(value);
}

export function asAccounts(value: unknown): Address[] {
  return Array.isArray(value) ? value.map(asAddress) : [];
}

export function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new InvalidAnswer("not an object");
  return value as Record<string, unknown>;
}

export const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;
