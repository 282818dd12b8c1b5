// The way to a chain: a viem client over a wallet or over endpoints. Every answer is checked, limited in time and in size. Wallets and
// nodes are known to answer late, about something else, or with another type than the standard has.
import { BaseError, type Client, createClient, custom, http, RpcRequestError, withTimeout } from "viem";
import { getAddress, numberToHex } from "viem/utils";
import type { Address, Hex } from "./rules.ts";

export type Request = { method: string; params?: readonly unknown[] };

/** A wallet's interface (EIP-1193). */
export interface Provider {
  request(request: Request): Promise<unknown>;
  on?(event: string, listener: (argument: unknown) => void): unknown;
}

/** There was no answer, or it was not JSON-RPC. */
export class NoAnswer extends BaseError {}

/** An answer that no honest node gives. */
export class InvalidAnswer extends BaseError {}

// -- what an answer may be --------------------------------------------------------

function matching(pattern: RegExp, what: string) {
  return (value: unknown): Hex => {
    if (typeof value !== "string" || !pattern.test(value)) throw new InvalidAnswer(`not ${what}`);
    return value as Hex;
  };
}

const asHex = matching(/^0x([0-9a-fA-F]{2})*$/, "bytes");
const anyHash = matching(/^0x[0-9a-fA-F]{64}$/, "a hash");
const anyAddress = matching(/^0x[0-9a-fA-F]{40}$/, "an address");
const anyAmount = matching(/^0x[0-9a-fA-F]{1,64}$/, "an amount");

/** Some nodes write hashes and addresses with capitals. */
const asHash = (value: unknown): Hex => anyHash(value).toLowerCase() as Hex;
const asAddress = (value: unknown): Address => getAddress(anyAddress(value));

export function asNumber(value: unknown): number {
  // Some wallets return a number where the standard has a hexadecimal string.
  const given = typeof value === "string" && /^0x[0-9a-fA-F]{1,14}$/.test(value) ? Number(value) : value;
  if (typeof given !== "number" || !Number.isSafeInteger(given) || given < 0) throw new InvalidAnswer("not a number");
  return given;
}

export const asAccounts = (value: unknown): Address[] => (Array.isArray(value) ? value.map(asAddress) : []);

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new InvalidAnswer("not an object");
  return value as Record<string, unknown>;
}

const asQuantity = (value: unknown): Hex => numberToHex(asNumber(value));

function asBlock(value: unknown) {
  const { hash, parentHash, number } = asRecord(value);
  return { hash: asHash(hash), parentHash: asHash(parentHash), number: asQuantity(number) };
}

/** Null if there is none, and if it is about another one: some wallets return the transaction that replaced it. */
const ifAbout =
  <T>(name: string, as: (found: Record<string, unknown>) => T) =>
  (value: unknown, [asked]: readonly unknown[]): T | null => {
    if (value === null || value === undefined) return null;
    const found = asRecord(value);
    return asHash(found[name]) === asHash(asked) ? as(found) : null;
  };

const asReceipt = ifAbout("transactionHash", ({ status, blockNumber }) => ({
  status: asQuantity(status),
  blockNumber: asQuantity(blockNumber),
}));

const asTransaction = ifAbout("hash", ({ from, nonce }) => ({ from: asAddress(from), nonce: asQuantity(nonce) }));

/** Some endpoints ignore the filter: a log of another contract is no answer. `history.ts` decodes the rest. */
function asLogs(value: unknown, [filter]: readonly unknown[]) {
  const { address } = filter as { address: Address };
  if (!Array.isArray(value)) throw new InvalidAnswer("not logs");
  return value.map((entry: unknown) => {
    const { address: of, topics, data, transactionHash, removed } = asRecord(entry);
    if (asAddress(of) !== address || removed === true || !Array.isArray(topics))
      throw new InvalidAnswer("a log that was not asked for");
    return { topics: topics.map(asHash), data: asHex(data), transactionHash: asHash(transactionHash) };
  });
}

/** Every method that the page uses, with the check of its answers. */
const METHODS: Readonly<Record<string, (answer: unknown, params: readonly unknown[]) => unknown>> = {
  eth_chainId: asQuantity,
  eth_accounts: asAccounts,
  eth_requestAccounts: asAccounts,
  eth_getBlockByNumber: asBlock,
  eth_getBalance: anyAmount,
  eth_getCode: asHex,
  eth_call: asHex,
  eth_getLogs: asLogs,
  eth_getTransactionByHash: asTransaction,
  eth_getTransactionCount: asQuantity,
  eth_getTransactionReceipt: asReceipt,
  eth_sendTransaction: asHash,
  wallet_switchEthereumChain: () => null,
  wallet_addEthereumChain: () => null,
};

/** A person answers these, in any time. */
const SLOW = /^(eth_requestAccounts|eth_sendTransaction|wallet_.*)$/;

// -- asking -----------------------------------------------------------------------

/** How long to wait for a node, in milliseconds. */
const ANSWER_TIMEOUT = 8000;
/** How long to wait for an endpoint while there is another one, so that two fit into one request of the page. */
const FALLBACK_TIMEOUT = 3500;

type Ask = (request: Request) => Promise<unknown>;

const inTime = (ask: Ask, timeout: number, request: Request): Promise<unknown> =>
  withTimeout(() => ask(request), { timeout, errorInstance: new NoAnswer(`${request.method}: no answer`) });

const checked =
  (ask: Ask, timeout = ANSWER_TIMEOUT): Ask =>
  async (request) => {
    const { method, params = [] } = request;
    const check = METHODS[method];
    if (check === undefined) throw new InvalidAnswer(`the page does not ask for ${method}`);
    return check(await (SLOW.test(method) ? ask(request) : inTime(ask, timeout, request)), params);
  };

/** A client whose requests are asked in this way: viem would ask a person again, and hide the wallet's words in errors of its own. */
const clientAsking = (ask: Ask): Client =>
  createClient({ transport: (options) => Object.assign(custom({ request: ask })(options), { request: ask }) });

const clients = new WeakMap<Provider, Client>();

/** The client of a wallet. */
export function clientOf(provider: Provider): Client {
  const client = clients.get(provider) ?? clientAsking(checked(async (request) => provider.request(request)));
  clients.set(provider, client);
  return client;
}

// -- endpoints --------------------------------------------------------------------

const PRIVATE = { credentials: "omit", referrerPolicy: "no-referrer", redirect: "error", cache: "no-store" } as const;

/** The node's own error, or null for one on the way to it. */
const nodeErrorIn = (error: unknown) =>
  error instanceof BaseError
    ? (error.walk((cause) => cause instanceof RpcRequestError) as RpcRequestError | null)
    : null;

function endpoint(url: string, timeout: number): Ask {
  // viem refuses a body of more than 10 MB. Its retries are off: the page decides when to ask again.
  const ask = http(url, { retryCount: 0, timeout, fetchOptions: PRIVATE })({}).request as Ask;
  return checked(async (request) => {
    const answer = await ask(request).catch((error: unknown) => {
      if (nodeErrorIn(error) !== null) throw error;
    });
    if (answer === undefined) throw new NoAnswer(`${new URL(url).host}: no answer`);
    return answer;
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
export function endpoints(urls: readonly string[], chain: number): Client {
  const timeout = urls.length === 1 ? ANSWER_TIMEOUT : FALLBACK_TIMEOUT;
  const all = urls.map((url) => ({ url, ask: endpoint(url, timeout), isChecked: false }));
  let at = 0;

  async function askInTurn(request: Request): Promise<unknown> {
    for (let left = all.length - 1; ; left -= 1) {
      const place = at;
      const one = all[place];
      if (one === undefined) throw new NoAnswer("no endpoint");
      try {
        const isNumber = request.method === "eth_chainId";
        const answer = isNumber || !one.isChecked ? await one.ask({ method: "eth_chainId" }) : null;
        one.isChecked = answer === null || Number(answer) === chain;
        if (!one.isChecked) throw new NoAnswer(`${one.url} serves another chain`);
        return isNumber ? answer : await one.ask(request);
      } catch (error) {
        if (!isOutage(error, request.method)) throw error;
        one.isChecked = false;
        // The next request begins there, also if this one is given up before an endpoint answers.
        if (at === place) at = (place + 1) % all.length;
        if (left === 0) throw error;
      }
    }
  }

  return clientAsking((request) => inTime(askInTurn, ANSWER_TIMEOUT, request));
}
