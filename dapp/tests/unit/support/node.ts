// A node and a wallet in one: a chain with one table, blocks on demand, and answers that a test can replace.
import {
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  getAddress,
  getCreateAddress,
  keccak256,
  numberToHex,
  toHex,
} from "viem/utils";
import { BYTECODE } from "../../../src/generated/bytecode.ts";
import { ABI, RUNTIME_HASH } from "../../../src/generated/contract.ts";
import type { Provider, Request } from "../../../src/rpc.ts";
import { type Address, type Hex, marksOf, STATUSES, type Status, winningLines, ZERO } from "../../../src/rules.ts";

export const TABLE: Address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
export const account = (digit: number): Address => getAddress(`0x${String(digit).repeat(40)}`);
export const [ALICE, BEN, CARLA] = [account(1), account(2), account(3)];
export const SEPOLIA = 11_155_111;
/** The first game at the table. */
export const GAME = { number: 1n, x: ALICE, o: BEN, moves: [] as readonly number[] };

/** The table's code: what the constructor returns, a part of the creation code, whose last two bytes say how long the metadata is. */
export const CODE = ((): Hex => {
  const end = -2 * Number(`0x${BYTECODE.slice(-4)}`);
  const starts = Array.from({ length: 200 }, (_, at) => 2 + 2 * at);
  const start = starts.find((at) => keccak256(`0x${BYTECODE.slice(at, end)}`) === RUNTIME_HASH);
  return `0x${BYTECODE.slice(start, end)}`;
})();

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

export function statusOf(game: FakeGame): Status {
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
    return { number: game.number + 1n, x, o, moves: [], forfeited: false };
  }
  if (game.number === 0n || isOver(game)) return "no game in progress";
  if (from !== (game.moves.length % 2 === 0 ? game.x : game.o)) return "not your turn";
  if (functionName === "forfeit") return { ...game, forfeited: true };
  const cell = Number(args[0]) * 3 + Number(args[1]);
  return game.moves.includes(cell) ? "cell is taken" : { ...game, moves: [...game.moves, cell] };
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

/** The error of a call that the contract refuses. */
export function revert(reason: string): RpcError {
  const abi = [{ type: "error", name: "Error", inputs: [{ type: "string", name: "reason" }] }] as const;
  return new RpcError(3, `execution reverted: ${reason}`, encodeErrorResult({ abi, args: [reason] }));
}

// -- the chain ----------------------------------------------------------------------------

export interface Sent {
  hash: Hex;
  from: Address;
  to: Address | null;
  data: Hex;
  nonce: number;
}

interface Receipt {
  sent: Sent;
  succeeded: boolean;
  contract: Address | null;
}

interface Block {
  hash: Hex;
  game: FakeGame;
  code: ReadonlyMap<Address, Hex>;
  receipts: Receipt[];
}

let hashes = 0;
export const newHash = (): Hex => keccak256(toHex((hashes += 1)));

export class FakeNode implements Provider {
  chainId: number;
  accounts: Address[] = [ALICE];
  /** Of every account. */
  balance = 10n ** 18n;
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
  blocks: Block[] = [{ hash: newHash(), game: NO_GAME, code: new Map([[TABLE, CODE]]), receipts: [] }];
  private readonly listeners: [event: string, listener: (argument: unknown) => void][] = [];

  constructor(chainId = 31_337) {
    this.chainId = chainId;
  }

  get head(): Block {
    return this.blocks.at(-1) as Block;
  }

  get game(): FakeGame {
    return this.head.game;
  }

  get receipts(): (Receipt & { block: number })[] {
    return this.blocks.flatMap(({ receipts }, block) => receipts.map((receipt) => ({ ...receipt, block })));
  }

  count = (method: string): number => this.asked.filter((name) => name === method).length;

  on(event: string, listener: (argument: unknown) => void): void {
    this.listeners.push([event, listener]);
  }

  emit(event: string, argument: unknown): void {
    for (const [name, listener] of this.listeners) if (name === event) listener(argument);
  }

  /** Holds the answers to a method back, until the test calls what this returns. */
  hold(method: string, answer = (params: readonly unknown[]): unknown => this.answer(method, params)): () => void {
    const held: (() => void)[] = [];
    this.overrides[method] = async (params) => {
      await new Promise<void>((resolve) => held.push(resolve));
      return answer(params);
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

  /** A block with everything from the pool, and with a game that somebody else's transactions made. */
  mine(game?: Partial<FakeGame>): void {
    const block: Block = { hash: newHash(), game: { ...this.game, ...game }, code: this.head.code, receipts: [] };
    this.blocks.push(block);
    for (const sent of this.pool.splice(0)) block.receipts.push(this.include(block, sent));
  }

  /** A block without what is in the pool. */
  mineOthers(game?: Partial<FakeGame>): void {
    const pool = this.pool.splice(0);
    this.mine(game);
    this.pool = pool;
  }

  private include(block: Block, sent: Sent): Receipt {
    if (sent.to === null) {
      const contract = getCreateAddress({ from: sent.from, nonce: BigInt(sent.nonce) });
      if (block.code.has(contract)) return { sent, succeeded: false, contract: null };
      block.code = new Map([...block.code, [contract, CODE]]);
      return { sent, succeeded: true, contract };
    }
    const after = sent.from === this.relayer ? "caller is a contract" : apply(block.game, sent.from, sent.data);
    if (typeof after !== "string") block.game = after;
    return { sent, succeeded: typeof after !== "string", contract: null };
  }

  private nonceOf(from: Address, when: unknown): number {
    const until = String(when).startsWith("0x") ? Number(when) : Infinity;
    const mined = this.receipts.filter(({ block }) => block <= until).map(({ sent }) => sent);
    return [...mined, ...(when === "pending" ? this.pool : [])].filter((sent) => sent.from === from).length;
  }

  private send({ from, to, data, chainId }: Omit<Sent, "to"> & { to?: Address | null; chainId: Hex }): Hex {
    if (Number(chainId) !== this.chainId) throw new RpcError(-32_603, "another chain's transaction");
    const sender = this.relayer ?? from;
    const sent = { hash: newHash(), from: sender, to: to ?? null, data, nonce: this.nonceOf(sender, "pending") };
    this.sent.push(sent);
    this.pool.push(sent);
    if (this.automine) this.mine();
    return sent.hash;
  }

  async request({ method, params = [] }: Request): Promise<unknown> {
    this.asked.push(method);
    if (this.down) throw new TypeError("failed to fetch");
    return (this.overrides[method] ?? (() => this.answer(method, params)))(params);
  }

  /** The node's own answer, also to a method that a test has replaced. */
  answer(method: string, [first, second]: readonly unknown[]): unknown {
    switch (method) {
      case "eth_chainId":
        return numberToHex(this.chainId);
      case "eth_accounts":
      case "eth_requestAccounts":
        return this.accounts;
      case "eth_getBalance":
        return numberToHex(this.balance);
      case "eth_getBlockByNumber":
        return { hash: this.head.hash, number: numberToHex(this.blocks.length - 1) };
      case "eth_getCode":
        return this.head.code.get(getAddress(String(first))) ?? "0x";
      case "eth_call": {
        const { from, data } = first as { from?: Address; data: Hex };
        const block = second === "latest" ? this.head : this.blocks[Number(second)];
        if (block === undefined) throw new RpcError(-32000, "header not found");
        if (from === undefined) return encodeState(block.game);
        const after = apply(block.game, from, data);
        if (typeof after === "string") throw revert(after);
        return "0x";
      }
      case "eth_sendTransaction":
        return this.send(first as Sent & { chainId: Hex });
      case "eth_getTransactionReceipt": {
        const found = this.receipts.find(({ sent }) => sent.hash === first);
        return found === undefined
          ? null
          : {
              transactionHash: first,
              status: found.succeeded ? "0x1" : "0x0",
              blockNumber: numberToHex(found.block),
              contractAddress: found.contract,
              from: found.sent.from,
            };
      }
      case "eth_getTransactionByHash": {
        const all = [...this.receipts.map(({ sent }) => sent), ...this.pool];
        const found = all.find(({ hash }) => hash === first);
        return found === undefined ? null : { hash: first, from: found.from, nonce: numberToHex(found.nonce) };
      }
      case "eth_getTransactionCount":
        return numberToHex(this.nonceOf(getAddress(String(first)), second));
      case "eth_getLogs":
        return [];
      default:
        throw new RpcError(-32601, `no ${method}`);
    }
  }
}
