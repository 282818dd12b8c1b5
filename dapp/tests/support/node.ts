// A node and a wallet in one: a chain with one table, blocks on demand, and answers that a test can replace. The tests in Node and
// those in a browser use it; `npm run dev` is played on a real node.
import { EventEmitter } from "node:events";
import { decodeFunctionData, encodeErrorResult, encodeEventTopics, encodeFunctionResult } from "viem/utils";
import { getAddress, getCreateAddress, keccak256, numberToHex, toHex } from "viem/utils";
import { RUNTIME } from "../../src/generated/bytecode.ts";
import { ABI } from "../../src/generated/contract.ts";
import type { Provider, Request } from "../../src/rpc.ts";
import { type Address, type Hex, marksOf, STATUSES, type Status, winner, winningLines, ZERO } from "../../src/rules.ts";

export const TABLE: Address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
export const account = (digit: number): Address => getAddress(`0x${String(digit).repeat(40)}`);
export const [ALICE, BEN, CARLA] = [account(1), account(2), account(3)];
export const SEPOLIA = 11_155_111;
/** The first game at the table. */
export const GAME = { number: 1n, x: ALICE, o: BEN, moves: [] as readonly number[] };

// -- the contract -----------------------------------------------------------------------

export interface FakeGame {
  number: bigint;
  x: Address;
  o: Address;
  moves: readonly number[];
  forfeited: boolean;
}

const NO_GAME: FakeGame = { number: 0n, x: ZERO, o: ZERO, moves: [], forfeited: false };

const isWon = ({ moves }: FakeGame): boolean => winningLines(marksOf(moves)).length > 0;
export const isOver = (game: FakeGame): boolean => game.forfeited || game.moves.length === 9 || isWon(game);

function statusOf(game: FakeGame): Status {
  const [next, last] = game.moves.length % 2 === 0 ? (["x", "o"] as const) : (["o", "x"] as const);
  if (game.number === 0n) return "no_game";
  if (isWon(game)) return `${last}_won`;
  if (game.moves.length === 9) return "draw";
  return game.forfeited ? `${next}_forfeits` : "in_progress";
}

/** What `gameState()` returns for a game. */
export function encodeState(game: FakeGame): Hex {
  const { number, x, o, moves } = game;
  const marks = marksOf(moves);
  const isDecided = isWon(game) || moves.length === 9;
  const result = {
    gameId: number,
    playerX: x,
    playerO: o,
    board: [0, 3, 6].map((from) => marks.slice(from, from + 3)) as never,
    currentPlayer: number === 0n ? 0 : 1 + ((moves.length + Number(isDecided)) % 2),
    status: STATUSES.indexOf(statusOf(game)),
    moveHistory: moves.map((cell, at) => ({
      row: Math.floor(cell / 3),
      col: cell % 3,
      player: 1 + (at % 2),
      sequenceNumber: at + 1,
    })),
  };
  return encodeFunctionResult({ abi: ABI, functionName: "gameState", result });
}

/** The game after a transaction, or the reason of the revert: the rules as far as the tests break them. */
function apply(game: FakeGame, from: Address, data: Hex): FakeGame | string {
  const { functionName, args = [] } = decodeFunctionData({ abi: ABI, data });
  const number = args[functionName === "forfeit" ? 0 : 2] as bigint | undefined;
  if (number !== undefined && number !== game.number) return "not the current game";
  if (functionName === "newGame") {
    const [x, o] = args as readonly [Address, Address];
    if ([x, o].includes(TABLE)) return "player is a contract";
    return { number: game.number + 1n, x, o, moves: [], forfeited: false };
  }
  if (game.number === 0n || isOver(game)) return "no game in progress";
  if (from !== (game.moves.length % 2 === 0 ? game.x : game.o)) return "not your turn";
  if (functionName === "forfeit") return { ...game, forfeited: true };
  const cell = Number(args[0]) * 3 + Number(args[1]);
  return game.moves.includes(cell) ? "cell is taken" : { ...game, moves: [...game.moves, cell] };
}

/** What a provider throws (EIP-1193). */
export const rpcError = (code: number, message: string, data?: unknown) =>
  Object.assign(new Error(message), { code, data });

/** An answer as it is sent over a network; null if nothing answers. */
export const sentBy = (node: Provider, request: Request) =>
  node.request(request).then(
    (result = null) => ({ result }),
    ({ code, message, data }: Partial<ReturnType<typeof rpcError>>) =>
      code === undefined ? null : { error: { code, message, data } },
  );

/** The error of a call that the contract refuses. */
export function revert(reason: string) {
  const abi = [{ type: "error", name: "Error", inputs: [{ type: "string", name: "reason" }] }] as const;
  return rpcError(3, `execution reverted: ${reason}`, encodeErrorResult({ abi, args: [reason] }));
}

/** The events that lead from one game to the next, in one transaction; with their names beside what a node reports. */
function eventsBetween(was: FakeGame, now: FakeGame, transactionHash: Hex, block: number) {
  const { number: gameId, x, o, moves } = now;
  const log = (eventName: "GameCreated" | "MoveMade" | "GameEnded", args: object, ...data: number[]) => ({
    eventName,
    address: TABLE,
    topics: encodeEventTopics({ abi: ABI, eventName, args }) as Hex[],
    data: `0x${data.map((value) => value.toString(16).padStart(64, "0")).join("")}`,
    transactionHash,
    blockNumber: numberToHex(block),
  });
  const isNew = gameId > was.number;
  const logs = isNew ? [log("GameCreated", { gameId, playerX: x, playerO: o })] : [];
  for (const [at, cell] of moves.entries())
    if (isNew || at >= was.moves.length)
      logs.push(log("MoveMade", { gameId, player: at % 2 === 0 ? x : o }, at + 1, Math.floor(cell / 3), cell % 3));
  const status = statusOf(now);
  if (isOver(now) && (isNew || !isOver(was)))
    logs.push(log("GameEnded", { gameId, winner: [ZERO, x, o][winner(status) ?? 0] }, STATUSES.indexOf(status)));
  return logs;
}

export type Log = ReturnType<typeof eventsBetween>[number];

// -- the chain ----------------------------------------------------------------------------

export interface Sent {
  hash: Hex;
  from: Address;
  to: Address | null;
  data: Hex;
  nonce: number;
}

interface Block {
  hash: Hex;
  game: FakeGame;
  code: ReadonlyMap<Address, Hex>;
  receipts: { sent: Sent; succeeded: boolean }[];
  logs: Log[];
}

let hashes = 0;
const newHash = (): Hex => keccak256(toHex((hashes += 1)));

/** The methods with which a node answers; `never`, because what a request names them with is not checked. */
type Answers = Record<string, (first: never, second: never) => unknown>;

export class FakeNode extends EventEmitter implements Provider {
  chainId: number;
  accounts: Address[] = [ALICE];
  /** The method of every request. */
  readonly asked: string[] = [];
  readonly sent: Sent[] = [];
  pool: Sent[] = [];
  automine = true;
  /** Answers in place of the node's. What they throw is the node's error. */
  overrides: Record<string, (params: readonly unknown[]) => unknown> = {};
  /** Requests fail as when nothing answers. */
  down = false;
  /** Sends in the player's name from another account, as wallets that sponsor gas do. */
  relayer: Address | null = null;
  blocks: Block[] = [{ hash: newHash(), game: NO_GAME, code: new Map([[TABLE, RUNTIME]]), receipts: [], logs: [] }];

  constructor(chainId = 31_337) {
    super();
    this.chainId = chainId;
  }

  get head(): Block {
    return this.blocks.at(-1) as Block;
  }

  get game(): FakeGame {
    return this.head.game;
  }

  get receipts() {
    return this.blocks.flatMap(({ receipts }, block) => receipts.map((receipt) => ({ ...receipt, block })));
  }

  get logs(): Log[] {
    return this.blocks.flatMap(({ logs }) => logs);
  }

  /** The transactions of the moves on the board. */
  get hashes(): Hex[] {
    const { number } = this.game;
    const isMove = ({ eventName, topics }: Log): boolean =>
      eventName === "MoveMade" && topics[1] === toHex(number, { size: 32 });
    return this.logs.filter(isMove).map(({ transactionHash }) => transactionHash);
  }

  /** A wallet with this account on the same chain. */
  wallet(own: Address): FakeNode {
    const { blocks, pool } = this;
    return Object.assign(new FakeNode(this.chainId), { blocks, pool, accounts: [own] });
  }

  count = (method: string): number => this.asked.filter((name) => name === method).length;

  /** Holds the answers to a method back, until the test calls what this returns. */
  hold(method: string): () => void {
    const held: (() => void)[] = [];
    this.overrides[method] = async (params) => {
      await new Promise<void>((resolve) => held.push(resolve));
      return this.answer(method, params);
    };
    return () => {
      for (const release of held.splice(0)) release();
    };
  }

  /** Another transaction with its nonce takes the place of the newest one in the pool: a faster one, or one that cancels it. */
  replace(by: Partial<Sent> = {}): Hex {
    const sent = { ...(this.pool.pop() as Sent), hash: newHash(), ...by };
    this.pool.push(sent);
    return sent.hash;
  }

  /** A transaction with the account's next nonce, which no pool has yet. */
  sign(from: Address, data: Hex, to: Address | null = TABLE): Sent {
    return { hash: newHash(), from, to, data, nonce: this.nonceOf(from, "pending") };
  }

  /** A block with a game that other transactions made, and with these ones: all of the pool, unless the test says otherwise. */
  mine(game?: Partial<FakeGame>, included = this.pool.splice(0)): void {
    const block: Block = { ...this.head, hash: newHash(), receipts: [], logs: [] };
    this.blocks.push(block);
    this.change(block, { ...block.game, ...game }, block.hash);
    for (const sent of included) block.receipts.push({ sent, succeeded: this.run(block, sent) });
  }

  private change(block: Block, game: FakeGame, hash: Hex): void {
    block.logs.push(...eventsBetween(block.game, game, hash, this.blocks.length - 1));
    block.game = game;
  }

  private run(block: Block, sent: Sent): boolean {
    if (sent.to === null) {
      const contract = getCreateAddress({ from: sent.from, nonce: BigInt(sent.nonce) });
      if (block.code.has(contract)) return false;
      block.code = new Map([...block.code, [contract, RUNTIME]]);
      return true;
    }
    const after = sent.from === this.relayer ? "caller is a contract" : apply(block.game, sent.from, sent.data);
    if (typeof after === "string") return false;
    this.change(block, after, sent.hash);
    return true;
  }

  private nonceOf(from: Address, when: unknown): number {
    const until = String(when).startsWith("0x") ? Number(when) : Infinity;
    const mined = this.receipts.filter(({ block }) => block <= until).map(({ sent }) => sent);
    return [...mined, ...(when === "pending" ? this.pool : [])].filter((sent) => sent.from === from).length;
  }

  async request({ method, params = [] }: Request): Promise<unknown> {
    this.asked.push(method);
    if (this.down) throw new TypeError("failed to fetch");
    return (this.overrides[method] ?? (() => this.answer(method, params)))(params);
  }

  /** The node's own answer, also to a method that a test has replaced. */
  answer(method: string, [first, second]: readonly unknown[]): unknown {
    const answer = this.answers[method];
    if (answer === undefined) throw rpcError(-32601, `no ${method}`);
    return answer(first as never, second as never);
  }

  private readonly answers: Answers = {
    eth_chainId: () => numberToHex(this.chainId),
    eth_accounts: () => this.accounts,
    eth_requestAccounts: () => this.accounts,
    eth_getBalance: () => "0x1",
    wallet_switchEthereumChain: ({ chainId }: { chainId: Hex }) => {
      this.chainId = Number(chainId);
      return void this.emit("chainChanged", chainId);
    },
    eth_getBlockByNumber: (name = "latest") => {
      const number = name === "latest" ? this.blocks.length - 1 : Number(name);
      const [parentHash, hash] = [this.blocks[number - 1]?.hash ?? newHash(), this.blocks[number]?.hash];
      return hash === undefined ? null : { hash, parentHash, number: numberToHex(number) };
    },
    eth_getCode: (address: Address) => this.head.code.get(getAddress(address)) ?? "0x",
    eth_getTransactionCount: (address: Address, when: unknown) => numberToHex(this.nonceOf(getAddress(address), when)),
    eth_call: ({ from, data }: { from?: Address; data: Hex }, when: string) => {
      const block = when === "latest" ? this.head : this.blocks[Number(when)];
      if (block === undefined) throw rpcError(-32000, "header not found");
      if (from === undefined) return encodeState(block.game);
      const after = apply(block.game, from, data);
      if (typeof after === "string") throw revert(after);
      return "0x";
    },
    eth_sendTransaction: ({ from, to, data, chainId }: Sent & { chainId: Hex }) => {
      if (Number(chainId) !== this.chainId) throw rpcError(-32_603, "another chain's transaction");
      const sent = this.sign(this.relayer ?? from, data, to ?? null);
      this.sent.push(sent);
      this.pool.push(sent);
      if (this.automine) this.mine();
      return sent.hash;
    },
    eth_getTransactionReceipt: (hash: Hex) => {
      const found = this.receipts.find(({ sent }) => sent.hash === hash);
      if (found === undefined) return null;
      const [status, blockNumber] = [numberToHex(Number(found.succeeded)), numberToHex(found.block)];
      return { transactionHash: hash, status, blockNumber };
    },
    eth_getTransactionByHash: (hash: Hex) => {
      const all = [...this.receipts.map(({ sent }) => sent), ...this.pool];
      const found = all.find((sent) => sent.hash === hash);
      return found ? { hash, from: found.from, nonce: numberToHex(found.nonce) } : null;
    },
    eth_getLogs: ({ fromBlock, toBlock }: { fromBlock: Hex; toBlock: Hex | "latest" }) => {
      const end = toBlock === "latest" ? Infinity : Number(toBlock);
      return this.logs.filter(({ blockNumber: at }) => Number(at) >= Number(fromBlock) && Number(at) <= end);
    },
  };
}
