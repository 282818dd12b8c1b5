// Everything the page reads of a table, each in one question, each answer checked.
import { decodeFunctionResult, encodeFunctionData, keccak256 } from "viem/utils";
import { ABI, DELEGATION, DELEGATION_SIZE, RUNTIME_HASH, STATUS } from "./generated/contract.ts";
import { asAddress, asHash, asHex, asNumber, asRecord, ask, Nonsense, type Provider, toQuantity } from "./provider.ts";
import { type Address, type Cell, type Game, type Hex, isPossible, type Mark, O, type StatusName } from "./rules.ts";

export interface Head {
  hash: Hex;
  number: number;
}

export type CodeKind = "table" | "none" | "other";

export const STATUS_NAMES = Object.keys(STATUS) as StatusName[];
const GAME_STATE = encodeFunctionData({ abi: ABI, functionName: "gameState" });

export async function readHead(provider: Provider): Promise<Head> {
  const block = asRecord(await ask(provider, "eth_getBlockByNumber", "latest", false));
  return { hash: asHash(block["hash"]), number: asNumber(block["number"]) };
}

export async function readChain(provider: Provider): Promise<number> {
  return asNumber(await ask(provider, "eth_chainId"));
}

/** What stands at an address. A table is this contract to the last byte, so nothing else can pose as one. */
export async function readCode(provider: Provider, address: Address, block = "latest"): Promise<CodeKind> {
  const code = asHex(await ask(provider, "eth_getCode", address, block));
  if (code === "0x") return "none";
  return keccak256(code) === RUNTIME_HASH ? "table" : "other";
}

/** Whether an account may take a seat: no code, or code delegated under EIP-7702. */
export async function isPerson(provider: Provider, address: Address): Promise<boolean> {
  const code = asHex(await ask(provider, "eth_getCode", address, "latest"));
  return code === "0x" || (code.length === 2 + 2 * DELEGATION_SIZE && code.toLowerCase().startsWith(DELEGATION));
}

/** The whole game as of one block. */
export async function readGame(provider: Provider, table: Address, block: number): Promise<Game> {
  const data = asHex(await ask(provider, "eth_call", { to: table, data: GAME_STATE }, toQuantity(block)));
  if (data === "0x") throw new Nonsense("no answer from the table");
  let raw;
  try {
    raw = decodeFunctionResult({ abi: ABI, functionName: "gameState", data });
  } catch {
    throw new Nonsense("not a game");
  }
  const status = STATUS_NAMES[raw.status];
  if (status === undefined || raw.currentPlayer > 2) throw new Nonsense("not a status");
  const game: Game = {
    id: raw.gameId,
    players: [raw.playerX, raw.playerO],
    board: raw.board.flat() as Cell[],
    moves: raw.moveHistory.map(({ row, col, player }) => ({ cell: row * 3 + col, mark: player as Mark })),
    turn: raw.currentPlayer as Cell,
    status,
  };
  if (!isPossible(game)) throw new Nonsense("not a possible game");
  return game;
}

// -- what is sent ---------------------------------------------------------------

export type Action =
  | { kind: "move"; cell: number; gameId: bigint }
  | { kind: "forfeit"; gameId: bigint }
  | { kind: "newGame"; players: readonly [Address, Address] };

export function encodeAction(action: Action): Hex {
  switch (action.kind) {
    case "move":
      return encodeFunctionData({
        abi: ABI,
        functionName: "makeMove",
        args: [Math.floor(action.cell / 3), action.cell % 3, action.gameId],
      });
    case "forfeit":
      return encodeFunctionData({ abi: ABI, functionName: "forfeit", args: [action.gameId] });
    case "newGame":
      return encodeFunctionData({ abi: ABI, functionName: "newGame", args: [...action.players] });
  }
}

/** Throws what the chain would throw, before anybody pays for it. */
export async function rehearse(provider: Provider, from: Address, to: Address, data: Hex, block = "latest"): Promise<void> {
  await ask(provider, "eth_call", { from, to, data }, block);
}

export interface Receipt {
  succeeded: boolean;
  block: number;
  contract: Address | null;
}

export async function readReceipt(provider: Provider, hash: Hex): Promise<Receipt | null> {
  const found = await ask(provider, "eth_getTransactionReceipt", hash);
  if (found === null || found === undefined) return null;
  const receipt = asRecord(found);
  // A wallet that replaced the transaction may answer for the other one.
  if (asHash(receipt["transactionHash"]).toLowerCase() !== hash.toLowerCase()) return null;
  const contract = receipt["contractAddress"];
  return {
    succeeded: asNumber(receipt["status"]) === 1,
    block: asNumber(receipt["blockNumber"]),
    contract: contract === null || contract === undefined ? null : asAddress(contract),
  };
}

/** The nonce of a transaction that the node knows, mined or not; null if it knows none. */
export async function readNonce(provider: Provider, hash: Hex): Promise<number | null> {
  const found = await ask(provider, "eth_getTransactionByHash", hash);
  return found === null || found === undefined ? null : asNumber(asRecord(found)["nonce"]);
}

/** How many transactions of an account there are up to a block, or with those that wait (`pending`). */
export async function readTransactionCount(provider: Provider, account: Address, block: Hex | "latest" | "pending"): Promise<number> {
  return asNumber(await ask(provider, "eth_getTransactionCount", account, block));
}

export const markName = (mark: Mark): "X" | "O" => (mark === O ? "O" : "X");
