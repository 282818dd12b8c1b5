// Every question that the page asks a node, each answer checked, and the calldata of what it sends.
import { decodeFunctionResult, encodeFunctionData, keccak256 } from "viem/utils";
import { ABI, DELEGATION, DELEGATION_SIZE, RUNTIME_HASH } from "./generated/contract.ts";
import { asAddress, asHash, asHex, asNumber, asRecord, ask, InvalidAnswer, type Provider, toQuantity } from "./provider.ts";
import { type Address, type Game, type Hex, toGame } from "./rules.ts";

export interface Head {
  hash: Hex;
  number: number;
}

export type CodeKind = "table" | "none" | "other";

const GAME_STATE = encodeFunctionData({ abi: ABI, functionName: "gameState" });

export async function readHead(provider: Provider): Promise<Head> {
  const block = asRecord(await ask(provider, "eth_getBlockByNumber", "latest", false));
  return { hash: asHash(block["hash"]), number: asNumber(block["number"]) };
}

export async function readChain(provider: Provider): Promise<number> {
  return asNumber(await ask(provider, "eth_chainId"));
}

/** Whether the code at an address is a table's. The hash covers every byte, so no other contract passes for one. */
export async function readCode(provider: Provider, address: Address, block = "latest"): Promise<CodeKind> {
  const code = asHex(await ask(provider, "eth_getCode", address, block));
  if (code === "0x") return "none";
  return keccak256(code) === RUNTIME_HASH ? "table" : "other";
}

/** Whether the contract accepts an account as a player: it has no code, or has delegated it under EIP-7702. */
export async function isPerson(provider: Provider, address: Address): Promise<boolean> {
  const code = asHex(await ask(provider, "eth_getCode", address, "latest"));
  return code === "0x" || (code.length === 2 + 2 * DELEGATION_SIZE && code.toLowerCase().startsWith(DELEGATION));
}

/** The game at a table as of one block. */
export async function readGame(provider: Provider, table: Address, block: number): Promise<Game> {
  const data = asHex(await ask(provider, "eth_call", { to: table, data: GAME_STATE }, toQuantity(block)));
  if (data === "0x") throw new InvalidAnswer("the table returned nothing");
  let state;
  try {
    state = decodeFunctionResult({ abi: ABI, functionName: "gameState", data });
  } catch {
    throw new InvalidAnswer("not a game");
  }
  const game = toGame(state);
  if (game === null) throw new InvalidAnswer("not a possible game");
  return game;
}

// -- what is sent ---------------------------------------------------------------

export type Action =
  | { kind: "move"; cell: number; number: bigint }
  | { kind: "forfeit"; number: bigint }
  /** `replaces` is the number of the game that the player saw; 0 before the first game. */
  | { kind: "newGame"; players: readonly [Address, Address]; replaces: bigint };

/** Every transaction names its game, so that it cannot change a later one. Before the first game there is no number to name. */
export function encodeAction(action: Action): Hex {
  switch (action.kind) {
    case "move":
      return encodeFunctionData({
        abi: ABI,
        functionName: "makeMove",
        args: [Math.floor(action.cell / 3), action.cell % 3, action.number],
      });
    case "forfeit":
      return encodeFunctionData({ abi: ABI, functionName: "forfeit", args: [action.number] });
    case "newGame": {
      const { players, replaces } = action;
      const args = replaces === 0n ? ([...players] as const) : ([...players, replaces] as const);
      return encodeFunctionData({ abi: ABI, functionName: "newGame", args });
    }
  }
}

/** Throws what the chain would throw, before the player pays for it. */
export async function simulate(provider: Provider, from: Address, to: Address, data: Hex, block = "latest"): Promise<void> {
  await ask(provider, "eth_call", { from, to, data }, block);
}

export interface Receipt {
  succeeded: boolean;
  block: number;
  /** Null if the node leaves it out. */
  from: Address | null;
  contract: Address | null;
}

export async function readReceipt(provider: Provider, hash: Hex): Promise<Receipt | null> {
  const found = await ask(provider, "eth_getTransactionReceipt", hash);
  if (found === null || found === undefined) return null;
  const receipt = asRecord(found);
  // A wallet that replaced the transaction may return the receipt of the replacement.
  if (asHash(receipt["transactionHash"]).toLowerCase() !== hash.toLowerCase()) return null;
  const given = (value: unknown): Address | null => (value === null || value === undefined ? null : asAddress(value));
  return {
    succeeded: asNumber(receipt["status"]) === 1,
    block: asNumber(receipt["blockNumber"]),
    from: given(receipt["from"]),
    contract: given(receipt["contractAddress"]),
  };
}

/** A transaction that the node knows, mined or not. */
export async function readTransaction(provider: Provider, hash: Hex): Promise<{ from: Address; nonce: number } | null> {
  const found = await ask(provider, "eth_getTransactionByHash", hash);
  if (found === null || found === undefined) return null;
  const transaction = asRecord(found);
  return { from: asAddress(transaction["from"]), nonce: asNumber(transaction["nonce"]) };
}

/** How many transactions an account has sent as of a block; `pending` includes those in the pool. */
export async function readTransactionCount(provider: Provider, account: Address, block: Hex | "latest" | "pending"): Promise<number> {
  return asNumber(await ask(provider, "eth_getTransactionCount", account, block));
}
