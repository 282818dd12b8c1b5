// What the page asks a node about a table and a transaction, and the calldata of what it sends. viem's own `call` and
// `sendTransaction` would add 15 and 20 kB for what the page does not do, so these requests are made by hand, with viem's types.
// `rpc.ts` checks the answers.
import type { Client } from "viem";
import { getCode } from "viem/actions";
import { decodeFunctionResult, encodeFunctionData, keccak256, numberToHex } from "viem/utils";
import { ABI, RUNTIME_HASH } from "./generated/contract.ts";
import { InvalidAnswer } from "./rpc.ts";
import { type Address, type Game, type Hex, toGame } from "./rules.ts";

export type Head = { hash: Hex; parent: Hex; number: number };

export type CodeKind = "table" | "none" | "other";

export async function readHead(client: Client, block: Block = "latest"): Promise<Head> {
  const answer = await client.request({ method: "eth_getBlockByNumber", params: [blockName(block) as Hex, false] });
  const { hash, parentHash, number } = answer as { hash: Hex; parentHash: Hex; number: Hex };
  return { hash, parent: parentHash, number: Number(number) };
}

/** Whether the code at an address is a table's. The hash covers every byte, so no other contract passes for one. */
export async function readCode(client: Client, address: Address): Promise<CodeKind> {
  const code = await getCode(client, { address });
  if (code === undefined) return "none";
  return keccak256(code) === RUNTIME_HASH ? "table" : "other";
}

type Block = number | "latest" | "pending";

export const blockName = (block: Block) => (typeof block === "number" ? numberToHex(block) : block);

const GAME_STATE = encodeFunctionData({ abi: ABI, functionName: "gameState" });

/** The game at a table as of one block. */
export async function readGame(client: Client, table: Address, block: Block): Promise<Game> {
  const call = { to: table, data: GAME_STATE };
  const data = await client.request({ method: "eth_call", params: [call, blockName(block)] });
  let game;
  try {
    game = toGame(decodeFunctionResult({ abi: ABI, functionName: "gameState", data }));
  } catch {
    throw new InvalidAnswer("not a game");
  }
  if (game === null) throw new InvalidAnswer("not a possible game");
  return game;
}

// -- what is sent -----------------------------------------------------------------

export type Action =
  | { kind: "move"; cell: number; number: bigint }
  | { kind: "forfeit"; number: bigint }
  /** `replaces` is the number of the game that the player saw; 0 before the first game. */
  | { kind: "newGame"; players: readonly [Address, Address]; replaces: bigint };

/** Every transaction names its game, so that it cannot change a later one. Before the first game there is no number to name. */
export function encodeAction(action: Action): Hex {
  switch (action.kind) {
    case "move": {
      const args = [Math.floor(action.cell / 3), action.cell % 3, action.number] as const;
      return encodeFunctionData({ abi: ABI, functionName: "makeMove", args });
    }
    case "forfeit":
      return encodeFunctionData({ abi: ABI, functionName: "forfeit", args: [action.number] });
    case "newGame": {
      const { players, replaces } = action;
      const args = replaces === 0n ? ([...players] as const) : ([...players, replaces] as const);
      return encodeFunctionData({ abi: ABI, functionName: "newGame", args });
    }
  }
}

interface Call {
  from: Address;
  /** None for a new contract. */
  to?: Address;
  data: Hex;
}

/** Throws what the chain would throw, before the player pays for it; or what it has thrown in a block. */
export const simulate = (client: Client, call: Call, block: Block): Promise<unknown> =>
  client.request({ method: "eth_call", params: [call, blockName(block)] });

/** The only request that the page asks a wallet to sign. The chain ID stops a wallet that has changed its chain since. */
export const sendTransaction = (client: Client, call: Call, chain: number): Promise<Hex> =>
  client.request({ method: "eth_sendTransaction", params: [{ ...call, chainId: numberToHex(chain) }] });

/** What the node knows of a transaction: null if nothing. For viem's actions that would be an error. */
export async function readTransaction(client: Client, hash: Hex) {
  const found = await client.request({ method: "eth_getTransactionByHash", params: [hash] });
  if (found === null) return null;
  const receipt = await client.request({ method: "eth_getTransactionReceipt", params: [hash] });
  const mined = receipt && { succeeded: receipt.status === "0x1", block: Number(receipt.blockNumber) };
  return { from: found.from, nonce: Number(found.nonce), mined };
}

/** How many transactions an account has sent as of a block; `pending` includes those in the pool. */
export const countTransactions = async (client: Client, account: Address, block: Block): Promise<number> =>
  Number(await client.request({ method: "eth_getTransactionCount", params: [account, blockName(block)] }));
