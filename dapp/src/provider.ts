// The way to a chain: a viem client over a wallet or an endpoint. One transport asks for both. It
// limits the time and the size of an answer and checks it (answers.ts).
import { BaseError, type Client, createClient, custom, type EIP1193RequestFn, http, RpcRequestError } from "viem";
import { ANSWERS, InvalidAnswer } from "./answers.ts";

export interface Request {
  method: string;
  params?: readonly unknown[];
}

/** A wallet's interface (EIP-1193). */
export interface Provider {
  request(request: Request): Promise<unknown>;
  on?(event: string, listener: (argument: unknown) => void): unknown;
}

/** What a provider throws (EIP-1193). */
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
export class NoAnswer extends BaseError {}

/** How long to wait for a node, in milliseconds. */
const ANSWER_TIMEOUT = 8000;
/** How long to wait for an endpoint while there is another one, so that two fit into one request of the page. */
const FALLBACK_TIMEOUT = 3500;
/** In bytes: enough for the events of some thousand games. Every other answer is far shorter. */
const LONGEST_ANSWER = 8_000_000;

/** What a person must confirm in the wallet has no time limit. */
const CONFIRMED = new Set([
  "eth_requestAccounts",
  "eth_sendTransaction",
  "wallet_switchEthereumChain",
  "wallet_addEthereumChain",
]);

type Ask = (request: Request) => Promise<unknown>;

async function inTime(answer: Promise<unknown>, method: string, timeout: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`${method}: no answer`)), timeout);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Checks every answer, and limits the time for it. */
const checked =
  (ask: Ask, timeout = ANSWER_TIMEOUT): Ask =>
  async (request) => {
    const { method, params = [] } = request;
    const check = ANSWERS[method];
    if (check === undefined) throw new InvalidAnswer(`the page does not ask for ${method}`);
    return check(await (CONFIRMED.has(method) ? ask(request) : inTime(ask(request), method, timeout)), params);
  };

/** viem's retries are off: they would ask a person again, and a node more often than the page means to. */
const ONCE = { retryCount: 0 };

/** A client whose requests are asked in this way, without another layer of viem's errors. */
function clientAsking(ask: Ask): Client {
  return createClient({
    transport: (options) => ({ ...custom({ request: ask }, ONCE)(options), request: ask as EIP1193RequestFn }),
  });
}

const clients = new WeakMap<Provider, Client>();

/** The client of a wallet. */
export function clientOf(provider: Provider): Client {
  let client = clients.get(provider);
  if (client === undefined) {
    client = clientAsking(
      checked(custom({ request: (request) => provider.request(request) }, ONCE)({}).request as Ask),
    );
    clients.set(provider, client);
  }
  return client;
}

// -- endpoints ------------------------------------------------------------------

const isOfNode = (cause: unknown): boolean => cause instanceof RpcRequestError;

/** The node's own error, or null for one on the way to it. */
const nodeErrorIn = (error: unknown): RpcRequestError | null =>
  error instanceof BaseError ? (error.walk(isOfNode) as RpcRequestError | null) : null;

const PRIVATE: RequestInit = {
  credentials: "omit",
  referrerPolicy: "no-referrer",
  redirect: "error",
  cache: "no-store",
};

function endpoint(url: string, timeout: number): Ask {
  const ask = http(url, { ...ONCE, timeout, maxResponseBodySize: LONGEST_ANSWER, fetchOptions: PRIVATE })({})
    .request as Ask;
  return checked(async (request) => {
    try {
      const answer = await ask(request);
      if (answer !== undefined) return answer;
    } catch (error) {
      if (nodeErrorIn(error) !== null) throw error;
    }
    throw new NoAnswer(`${new URL(url).host}: no answer`);
  }, timeout);
}

/** Codes of a node that refuses because of its own limits. */
const LIMITS = new Set([429, -32_005, -32_029]);

/** Whether another endpoint may answer what this one did not. A limit on events is about the request: `history.ts` asks for less. */
const isOutage = (error: unknown, method: string): boolean =>
  error instanceof NoAnswer ||
  error instanceof InvalidAnswer ||
  (method !== "eth_getLogs" && LIMITS.has(nodeErrorIn(error)?.code ?? 0));

/**
 * Several endpoints of one chain as one. It stays with an endpoint until that one fails, and then asks the next; viem's
 * `fallback` would wait for a failed one again at every request. Before anything else, each is asked for its chain.
 */
export function endpoints(urls: readonly string[], chain: number, onSwitch?: (url: string) => void): Client {
  const timeout = urls.length === 1 ? ANSWER_TIMEOUT : FALLBACK_TIMEOUT;
  const all = urls.map((url) => ({ url, ask: endpoint(url, timeout), isChecked: false }));
  let [at, used] = [0, 0];

  async function askInTurn(request: Request): Promise<unknown> {
    for (let left = all.length - 1; ; left -= 1) {
      const place = at;
      const one = all[place];
      if (one === undefined) throw new NoAnswer("no endpoint");
      try {
        const isNumber = request.method === "eth_chainId";
        const answer = isNumber || !one.isChecked ? await one.ask({ method: "eth_chainId" }) : null;
        if (answer !== null) one.isChecked = Number(answer) === chain;
        // The last endpoint's wrong number is returned, so that the page can report it.
        if (!one.isChecked && !(isNumber && left === 0)) throw new NoAnswer(`${one.url} serves another chain`);
        const found = isNumber ? answer : await one.ask(request);
        if (used !== place) onSwitch?.(one.url);
        used = place;
        return found;
      } catch (error) {
        if (!isOutage(error, request.method)) throw error;
        one.isChecked = false;
        // The next request begins there, also if this one is given up before an endpoint answers.
        if (at === place) at = (place + 1) % all.length;
        if (left === 0) throw error;
      }
    }
  }

  return clientAsking((request) => inTime(askInTurn(request), request.method, ANSWER_TIMEOUT));
}
