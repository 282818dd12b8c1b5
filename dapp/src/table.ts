// Everything the page reads of a table, each in one question, each answer checked.
import { decodeEventLog, decodeFunctionResult, encodeEventTopics, encodeFunctionData, keccak256 } from "viem/utils";
import { ABI, DELEGATION, DELEGATION_SIZE, RUNTIME_HASH, STATUS } from "./generated/contract.ts";
import { asAddress, asHash, asHex, asNumber, asRecord, ask, Nonsense, type Provider, toQuantity } from "./provider.ts";
import { type Address, type Cell, type Game, type Hex, isPossible, type Mark, O, type StatusName, winner, X } from "./rules.ts";

export interface Head {
  hash: Hex;
  number: number;
}

export type CodeKind = "table" | "none" | "other";

const STATUS_NAMES = Object.keys(STATUS) as StatusName[];
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

export async function readNextNonce(provider: Provider, account: Address): Promise<number> {
  return asNumber(await ask(provider, "eth_getTransactionCount", account, "latest"));
}

// -- what has happened ----------------------------------------------------------

const topic = (eventName: "GameCreated" | "MoveMade" | "GameEnded"): Hex => encodeEventTopics({ abi: ABI, eventName })[0];
const asTopic = (value: bigint | Address): Hex => `0x${BigInt(value).toString(16).padStart(64, "0")}`;

async function readLogs(provider: Provider, address: Address, topics: unknown[], fromBlock: number) {
  const logs = await ask(provider, "eth_getLogs", { address, topics, fromBlock: toQuantity(fromBlock), toBlock: "latest" });
  if (!Array.isArray(logs)) throw new Nonsense("not logs");
  return logs.map((log: unknown) => {
    const { address: at, topics: found, data, transactionHash } = asRecord(log);
    if (asAddress(at) !== address || !Array.isArray(found)) throw new Nonsense("a log of somebody else");
    const [first, ...rest] = found.map(asHash);
    if (first === undefined) throw new Nonsense("a log without a name");
    const event = decodeEventLog({ abi: ABI, topics: [first, ...rest], data: asHex(data), strict: true });
    return { ...event, hash: asHash(transactionHash) };
  });
}

/** The transactions of a game's moves, in order; a hole where the node does not know one. */
export async function readMoveHashes(provider: Provider, table: Address, gameId: bigint, from: number): Promise<(Hex | null)[]> {
  const hashes: (Hex | null)[] = Array.from({ length: 9 }, () => null);
  for (const log of await readLogs(provider, table, [topic("MoveMade"), asTopic(gameId)], from)) {
    if (log.eventName === "MoveMade" && log.args.gameId === gameId) hashes[log.args.sequenceNumber - 1] = log.hash;
  }
  return hashes;
}

export interface Score {
  /** Rounds that the current X has won, that the current O has won, and that nobody has. */
  wins: readonly [number, number];
  draws: number;
}

/** How all finished rounds between the same two people ended, whoever had which seat. */
export async function readScore(provider: Provider, table: Address, game: Game, from: number): Promise<Score> {
  const pair = game.players.map(asTopic);
  const created = await readLogs(provider, table, [topic("GameCreated"), null, pair, pair], from);
  const rounds = new Map<bigint, readonly [Address, Address]>();
  for (const log of created) {
    if (log.eventName !== "GameCreated") continue;
    const seats = [log.args.playerX, log.args.playerO] as const;
    // The filter would also let one of the two play both seats.
    if ((seats[0] === seats[1]) === (game.players[0] === game.players[1])) rounds.set(log.args.gameId, seats);
  }
  const wins: [number, number] = [0, 0];
  let draws = 0;
  if (rounds.size === 0) return { wins, draws };
  const ended = await readLogs(provider, table, [topic("GameEnded"), [...rounds.keys()].map(asTopic)], from);
  for (const log of ended) {
    if (log.eventName !== "GameEnded") continue;
    const seats = rounds.get(log.args.gameId);
    const status = STATUS_NAMES[log.args.status];
    if (seats === undefined || status === undefined) continue;
    const mark = winner(status);
    if (mark === 0) draws += 1;
    else if (seats[0] === seats[1]) wins[mark === X ? 0 : 1] += 1;
    else wins[seats[mark === X ? 0 : 1] === game.players[0] ? 0 : 1] += 1;
  }
  return { wins, draws };
}

export const markName = (mark: Mark): "X" | "O" => (mark === O ? "O" : "X");
