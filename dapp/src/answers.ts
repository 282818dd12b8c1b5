// What a wallet or a node may answer. Both can be broken or malicious, so every answer is checked against this table before the
// rest of the page sees it: its form, and whether it is about what was asked. Only the fields that the page uses get through.
import { BaseError } from "viem";
import { getAddress, numberToHex } from "viem/utils";
import type { Address, Hex } from "./rules.ts";

/** An answer that no honest node gives. */
export class InvalidAnswer extends BaseError {}

export function asHex(value: unknown): Hex {
  if (typeof value !== "string" || !/^0x([0-9a-fA-F]{2})*$/.test(value)) throw new InvalidAnswer("not bytes");
  return value as Hex;
}

export function asHash(value: unknown): Hex {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(value)) throw new InvalidAnswer("not a hash");
  return value.toLowerCase() as Hex;
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

const asQuantity = (value: unknown): Hex => numberToHex(asNumber(value));
const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined;
const orNull = <T>(value: unknown, as: (given: unknown) => T): T | null => (isNothing(value) ? null : as(value));

/** Of coins, which can be more than a number holds. */
function asAmount(value: unknown): Hex {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw new InvalidAnswer("not an amount");
  return numberToHex(BigInt(value));
}

function asBlock(value: unknown) {
  const { hash, number } = asRecord(value);
  return { hash: asHash(hash), number: asQuantity(number) };
}

/** A wallet that replaced the transaction may return what it knows of the replacement. That is no answer about this one. */
const isAbout = (hash: unknown, [asked]: readonly unknown[]): boolean => asHash(hash) === asHash(asked);

function asReceipt(value: unknown, params: readonly unknown[]) {
  if (isNothing(value)) return null;
  const { transactionHash, status, blockNumber, from, contractAddress } = asRecord(value);
  if (!isAbout(transactionHash, params)) return null;
  return {
    status: asQuantity(status),
    blockNumber: asQuantity(blockNumber),
    // Some nodes leave the sender out.
    from: orNull(from, asAddress),
    contractAddress: orNull(contractAddress, asAddress),
  };
}

function asTransaction(value: unknown, params: readonly unknown[]) {
  if (isNothing(value)) return null;
  const { hash, from, nonce } = asRecord(value);
  return isAbout(hash, params) ? { from: asAddress(from), nonce: asQuantity(nonce) } : null;
}

interface Filter {
  address: Address;
  topics: readonly (Hex | readonly Hex[] | null)[];
  fromBlock: Hex;
  toBlock: Hex | "latest";
}

/** Every log is of the contract, the blocks and the topics that were asked for. */
function asLogs(value: unknown, [filter]: readonly unknown[]) {
  const { address, topics, fromBlock, toBlock } = filter as Filter;
  if (!Array.isArray(value)) throw new InvalidAnswer("not logs");
  return value.map((entry: unknown) => {
    const log = asRecord(entry);
    const found = Array.isArray(log["topics"]) ? log["topics"].map(asHash) : [];
    const block = asNumber(log["blockNumber"]);
    const isWanted =
      asAddress(log["address"]) === address &&
      topics.every((wanted, at) => wanted === null || [wanted].flat().includes(found[at] ?? "0x")) &&
      block >= Number(fromBlock) &&
      (toBlock === "latest" || block <= Number(toBlock)) &&
      log["removed"] !== true;
    if (!isWanted) throw new InvalidAnswer("a log that was not asked for");
    return {
      address,
      topics: found,
      data: asHex(log["data"]),
      transactionHash: asHash(log["transactionHash"]),
      blockNumber: numberToHex(block),
    };
  });
}

/** By method. The page asks nothing else. */
export const ANSWERS: Readonly<Record<string, (answer: unknown, params: readonly unknown[]) => unknown>> = {
  eth_chainId: asQuantity,
  eth_accounts: asAccounts,
  eth_requestAccounts: asAccounts,
  eth_getBlockByNumber: asBlock,
  eth_getBalance: asAmount,
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
