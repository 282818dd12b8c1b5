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
import { type Provider, type Request, RpcError } from "../../../src/rpc.ts";
import { type Address, type Hex, marksOf, STATUSES, winningLines, ZERO } from "../../../src/rules.ts";

export const TABLE: Address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
export const account = (digit: number): Address => getAddress(`0x${String(digit).repeat(40)}`);
export const [ALICE, BEN, CARLA] = [account(1), account(2), account(3)];
/** The first game at the table. */
export const GAME = { number: 1n, x: ALICE, o: BEN, moves: [] as readonly number[] };
const OTHER_HASH: Hex = `0x${"cd".repeat(32)}`;

/** The table's code: what the constructor returns, which is a part of the creation code. */
export const CODE = runtimeCode();

function runtimeCode(): Hex {
  // The last two bytes say how long the compiler's metadata is.
  const metadata = 2 * Number(`0x${BYTECODE.slice(-4)}`);
  for (let at = 2; at < 400; at += 2) {
    const code: Hex = `0x${BYTECODE.slice(at, -metadata)}`;
    if (keccak256(code) === RUNTIME_HASH) return code;
  }
  throw new Error("no runtime code in the bytecode");
}

export interface FakeGame {
  number: bigint;
  x: Address;
  o: Address;
  moves: readonly number[];
  forfeited: boolean;
}

export interface Sent {
  hash: Hex;
  from: Address;
  to: Address | null;
  data: Hex;
  nonce: number;
}

interface Block {
  hash: Hex;
  games: FakeGame;
  code: ReadonlyMap<Address, Hex>;
  receipts: Map<Hex, { sent: Sent; succeeded: boolean; contract: Address | null }>;
}

const NO_GAME: FakeGame = { number: 0n, x: ZERO, o: ZERO, moves: [], forfeited: false };

/** What `gameState()` returns for a game. */
export function encodeState({ number, x, o, moves, forfeited }: FakeGame): Hex {
  const marks = marksOf(moves);
  const won = winningLines(marks).length > 0;
  const next = moves.length % 2 === 0 ? 1 : 2;
  let status = 0;
  if (number > 0n) {
    if (won) status = STATUSES.indexOf(next === 1 ? "o_won" : "x_won");
    else if (moves.length === 9) status = STATUSES.indexOf("draw");
    else if (forfeited) status = STATUSES.indexOf(next === 1 ? "x_forfeits" : "o_forfeits");
    else status = STATUSES.indexOf("in_progress");
  }
  const current = number === 0n ? 0 : won || moves.length === 9 ? 3 - next : next;
  const result = {
    gameId: number,
    playerX: x,
    playerO: o,
    board: [0, 3, 6].map((from) => marks.slice(from, from + 3)) as never,
    currentPlayer: current,
    status,
    moveHistory: moves.map((cell, at) => ({
      row: Math.floor(cell / 3),
      col: cell % 3,
      player: 1 + (at % 2),
      sequenceNumber: at + 1,
    })),
  };
  return encodeFunctionResult({ abi: ABI, functionName: "gameState", result });
}

let hashes = 0;
const newHash = (): Hex => keccak256(toHex((hashes += 1)));

export class FakeNode implements Provider {
  chainId: number;
  accounts: Address[] = [ALICE];
  /** Every request, by method. */
  readonly asked: string[] = [];
  /** The same with what was asked. */
  readonly requests: Request[] = [];
  readonly sent: Sent[] = [];
  pool: Sent[] = [];
  automine = true;
  /** Of every account. */
  balance = 10n ** 18n;
  /** Answers in place of the node's. What they throw is the node's error. */
  overrides: Record<string, (params: readonly unknown[]) => unknown> = {};
  /** Requests fail as when nothing answers. */
  down = false;
  /** Sends in the player's name from another account, as wallets that sponsor gas do. */
  relayer: Address | null = null;
  blocks: Block[] = [{ hash: newHash(), games: NO_GAME, code: new Map([[TABLE, CODE]]), receipts: new Map() }];
  private readonly listeners = new Map<string, ((argument: unknown) => void)[]>();

  constructor(chainId = 31_337) {
    this.chainId = chainId;
  }

  get head(): Block {
    const head = this.blocks.at(-1);
    if (head === undefined) throw new Error("no block");
    return head;
  }

  get game(): FakeGame {
    return this.head.games;
  }

  count(method: string): number {
    return this.asked.filter((name) => name === method).length;
  }

  on(event: string, listener: (argument: unknown) => void): void {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  }

  emit(event: string, argument: unknown): void {
    for (const listener of this.listeners.get(event) ?? []) listener(argument);
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

  fail(method: string, error: unknown): void {
    this.overrides[method] = () => {
      throw error;
    };
  }

  /** Another transaction with the same nonce takes the place of the one in the pool: a faster one, or one that cancels it. */
  replace(by: Partial<Sent> = {}): void {
    this.pool = this.pool.map((sent) => ({ ...sent, hash: OTHER_HASH, ...by }));
  }

  /** A block without what is in the pool. */
  mineOthers(game: Partial<FakeGame>): void {
    const own = this.pool;
    this.pool = [];
    this.mine(game);
    this.pool = own;
  }

  /** A block with everything from the pool, and with a game that somebody else's transactions made. */
  mine(game?: Partial<FakeGame>): void {
    const block: Block = {
      hash: newHash(),
      games: { ...this.game, ...game },
      code: this.head.code,
      receipts: new Map(),
    };
    this.blocks.push(block);
    for (const sent of this.pool.splice(0)) this.include(block, sent);
  }

  /** Replaces the newest blocks by one with the game as it was before them. */
  reorg(depth: number): void {
    this.blocks.splice(-depth);
    this.mine();
  }

  private include(block: Block, sent: Sent): void {
    if (sent.to === null) {
      const contract = getCreateAddress({ from: sent.from, nonce: BigInt(sent.nonce) });
      if (block.code.has(contract))
        return void block.receipts.set(sent.hash, { sent, succeeded: false, contract: null });
      block.code = new Map([...block.code, [contract, CODE]]);
      block.receipts.set(sent.hash, { sent, succeeded: true, contract });
      return;
    }
    const before = block.games;
    const reason = this.apply(block, sent);
    if (reason !== null) block.games = before;
    block.receipts.set(sent.hash, { sent, succeeded: reason === null, contract: null });
  }

  /** The rules, as far as the tests break them; returns the reason of a revert. */
  private apply(block: { games: FakeGame }, { from, data }: Pick<Sent, "from" | "data">): string | null {
    const game = block.games;
    const { functionName, args = [] } = decodeFunctionData({ abi: ABI, data });
    if (from === this.relayer) return "caller is a contract";
    const number = args[functionName === "forfeit" ? 0 : 2] as bigint | undefined;
    if (number !== undefined && number !== game.number) return "not the current game";
    if (functionName === "newGame") {
      const [x, o] = args as readonly [Address, Address];
      block.games = { number: game.number + 1n, x, o, moves: [], forfeited: false };
      return null;
    }
    const isFull = game.moves.length === 9;
    if (game.number === 0n || game.forfeited || isFull || winningLines(marksOf(game.moves)).length > 0)
      return "no game in progress";
    if (from !== (game.moves.length % 2 === 0 ? game.x : game.o)) return "not your turn";
    if (functionName === "forfeit") block.games = { ...game, forfeited: true };
    else {
      const cell = Number(args[0]) * 3 + Number(args[1]);
      if (game.moves.includes(cell)) return "cell is taken";
      block.games = { ...game, moves: [...game.moves, cell] };
    }
    return null;
  }

  private nonceOf(from: Address, when: unknown): number {
    if (!/^(latest|pending|0x[0-9a-f]+)$/.test(String(when))) throw new RpcError(-32_602, "invalid block");
    const until = String(when).startsWith("0x") ? Number(when) + 1 : this.blocks.length;
    const mined = this.blocks.slice(0, until).flatMap(({ receipts }) => [...receipts.values()].map(({ sent }) => sent));
    return [...mined, ...(when === "pending" ? this.pool : [])].filter((sent) => sent.from === from).length;
  }

  private send({
    from,
    to = null,
    data,
    chainId,
  }: {
    from: Address;
    to?: Address | null;
    data: Hex;
    chainId: Hex;
  }): Hex {
    if (Number(chainId) !== this.chainId) throw new RpcError(-32_603, "another chain's transaction");
    const sender = this.relayer ?? from;
    const sent = { hash: newHash(), from: sender, to, data, nonce: this.nonceOf(sender, "pending") };
    this.sent.push(sent);
    this.pool.push(sent);
    if (this.automine) this.mine();
    return sent.hash;
  }

  async request({ method, params = [] }: Request): Promise<unknown> {
    this.asked.push(method);
    this.requests.push({ method, params });
    if (this.down) throw new TypeError("failed to fetch");
    const override = this.overrides[method];
    return override === undefined ? this.answer(method, params) : override(params);
  }

  /** The node's own answer, also to a method that a test has replaced. */
  answer(method: string, [first, second]: readonly unknown[]): unknown {
    const receipts = this.blocks.flatMap((block, number) =>
      [...block.receipts].map(([hash, receipt]) => ({ ...receipt, hash, number })),
    );
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
        if (from === undefined) return encodeState(block.games);
        const reason = this.apply({ games: block.games }, { from, data });
        if (reason !== null) throw revert(reason);
        return "0x";
      }
      case "eth_sendTransaction":
        return this.send(first as Sent & { chainId: Hex });
      case "eth_getTransactionReceipt": {
        const found = receipts.find(({ hash }) => hash === first);
        if (found === undefined) return null;
        const { hash, succeeded, contract, number, sent } = found;
        return {
          transactionHash: hash,
          status: succeeded ? "0x1" : "0x0",
          blockNumber: numberToHex(number),
          contractAddress: contract,
          from: sent.from,
        };
      }
      case "eth_getTransactionByHash": {
        const found = [...receipts.map(({ sent }) => sent), ...this.pool].find(({ hash }) => hash === first);
        return found === undefined ? null : { hash: found.hash, from: found.from, nonce: numberToHex(found.nonce) };
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

/** The error of a call that the contract refuses. */
export function revert(reason: string): RpcError {
  const abi = [{ type: "error", name: "Error", inputs: [{ type: "string", name: "reason" }] }] as const;
  return new RpcError(3, `execution reverted: ${reason}`, encodeErrorResult({ abi, args: [reason] }));
}
