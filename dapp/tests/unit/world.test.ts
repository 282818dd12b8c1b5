// Random worlds: a page, a wallet, a node, other people and time, moved by dice. Three things always hold:
//   1. When a transaction is no longer pending, the page's sentence about it is true of the chain. What is in a block for the
//      player is never reported as lost, and a reload forgets nothing that was sent.
//   2. A legal press asks the wallet exactly once, for exactly this transaction. A press that the contract would refuse asks for
//      nothing, and no press does while a transaction is pending.
//   3. When everything is calm again, nothing is pending, the page is connected, and its board is the chain's.
//
// `WORLDS=1000 npx vitest run world` tries fresh worlds; `WORLDS=1@seed` repeats one of them.
import { isDeepStrictEqual } from "node:util";
import { encodeFunctionData, numberToHex } from "viem/utils";
import { afterEach, expect, test, vi } from "vitest";
import { ABI } from "../../src/generated/contract.ts";
import { type Provider, type Request, RpcError } from "../../src/rpc.ts";
import { type Address, type Hex, marksOf, winningLines } from "../../src/rules.ts";
import { loadPage, newStorages, openBrowser } from "./support/browser.ts";
import { account, ALICE, BEN, CARLA, type FakeGame, FakeNode, type Sent, TABLE } from "./support/node.ts";
import { closeVisit, linkTo, serve } from "./support/table.ts";

// -- the page: all that this test knows of its modules ------------------------------

async function openPage(search: string, storages: ReturnType<typeof newStorages>, provider: Provider) {
  const { setHidden } = openBrowser(search, storages);
  const detail = { info: { uuid: "wallet", name: "Wallet", rdns: "wallet" }, provider };
  window.addEventListener("eip6963:requestProvider", () =>
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail })),
  );
  const { state, table, wallets, transactions } = await loadPage();
  const { playCell } = await import("../../src/view/Table.tsx");
  wallets.startWallets();
  table.start();
  const number = (): bigint => state.snapshot.value?.game?.number ?? 0n;
  return {
    setHidden,
    /** Calls when the pending transaction has changed. */
    onPending: (listener: () => void) => state.pending.subscribe(listener),
    press: {
      connect: () => state.wallets.value[0] && wallets.connect(state.wallets.value[0]),
      move: playCell,
      forfeit: () => transactions.send({ kind: "forfeit", number: number() }),
      newGame: (players: Players) => transactions.send({ kind: "newGame", players, replaces: number() }),
      again: transactions.playAgain,
      stop: () => state.mayStop.value && transactions.stopWaiting(),
    },
    /** The hash of what is pending, empty while the wallet asks; null if nothing is. */
    pending(): string | null {
      const { value: pending } = state.pending;
      return pending && (pending.phase === "sent" ? pending.hash : "");
    },
    account: (): Address | null => state.connection.value?.accounts[0] ?? null,
    isConnected: (): boolean => state.nodeStatus.value === "connected",
    game(): FakeGame | null {
      const game = state.snapshot.value?.game;
      if (!game) return null;
      const { playerX: x, playerO: o, status, moves } = game;
      return { number: game.number, x, o, moves, forfeited: status.endsWith("forfeits") };
    },
    /** What the notice claims, in a word or in the contract's reason. */
    claim(): string {
      const { value: notice } = state.notice;
      if (notice?.kind !== "failure") return notice?.kind ?? "done";
      const { failure } = notice;
      return failure.kind === "reason" ? failure.reason : failure.kind;
    },
  };
}

// -- what the player wants ------------------------------------------------------------

type Players = readonly [Address, Address];
type Kind = { kind: "move"; cell: number } | { kind: "forfeit" } | { kind: "newGame"; players: Players };
/** With the number of the game that it is for, or that it replaces. */
type Action = Kind & { number: bigint };

/** A press for a transaction, and what the wallet has made of it. */
interface Wish {
  action: Action;
  data: Hex;
  from: Address;
  /** How many moves the board had. */
  moves: number;
  /** The newest block, and the time. */
  block: number;
  time: number;
  answer: "asked" | "declined" | "refused" | "sent" | null;
  nonce: number;
  /** Its hash, and those under which it was sped up. */
  hashes: Hex[];
}

function encode(action: Action): Hex {
  const { number } = action;
  if (action.kind === "forfeit") return encodeFunctionData({ abi: ABI, functionName: "forfeit", args: [number] });
  if (action.kind === "newGame") {
    const args = number === 0n ? action.players : ([...action.players, number] as const);
    return encodeFunctionData({ abi: ABI, functionName: "newGame", args });
  }
  const args = [Math.floor(action.cell / 3), action.cell % 3, number] as const;
  return encodeFunctionData({ abi: ABI, functionName: "makeMove", args });
}

const isOver = ({ moves, forfeited }: FakeGame): boolean =>
  forfeited || moves.length === 9 || winningLines(marksOf(moves)).length > 0;

// -- the world ------------------------------------------------------------------------

const EVENTS = 30;
const CHAIN = 11_155_111;
const [SECOND, RELAYER] = [account(4), account(9)];
const DECLINED = new RpcError(4001, "No.");

class World {
  readonly faults: string[] = [];
  readonly counts: string[] = [];
  private readonly seed: number;
  private random: number;
  private readonly story: string[] = [];
  private page!: Awaited<ReturnType<typeof openPage>>;
  private readonly storages = newStorages();
  private visits = 0;

  private answers: "confirm" | "wait" | "decline" = "confirm";
  private waiting: ((confirmed: boolean) => void)[] = [];
  /** How many of these the page does not know of since it was reloaded. */
  private forgotten = 0;
  private walletChain = CHAIN;
  private account = ALICE;
  private listeners: Record<string, (value: unknown) => void> = {};

  private readonly node = new FakeNode(CHAIN);
  /** The newest block that the node shows while it is behind. */
  private behind: number | null = null;
  private wasDown = -Infinity;
  /** The transactions that it has shown to the page. */
  private readonly shown = new Set<unknown>();

  /** The last press for a transaction, and those that the wallet was asked for. */
  private pressed: Wish | null = null;
  private readonly requests: Wish[] = [];
  private pending: string | null = null;
  private stopping = false;

  constructor(seed: number) {
    this.seed = this.random = seed;
    this.node.automine = false;
  }

  /** A whole number below `sides`. */
  private roll(sides: number): number {
    this.random = (this.random + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.random ^ (this.random >>> 15), 1 | this.random);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }

  private pick<T>(all: readonly T[]): T {
    return all[this.roll(all.length)] as T;
  }

  /** Not thrown: in a listener of the page nobody would notice. */
  private fault(what: string): void {
    this.faults.push(`world ${this.seed}: ${what}, after ${this.story.join(", ")}`);
  }

  private async pass(milliseconds: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(milliseconds);
    if (this.node.down) this.wasDown = Date.now();
  }

  // -- the node and the wallet --

  /** What the node answers, as of an older block while it is behind. It knows newer transactions as waiting ones. */
  private read({ method, params = [] }: Request): unknown {
    const { node } = this;
    if (node.down) throw new TypeError("failed to fetch");
    const { blocks, pool } = node;
    if (this.behind !== null) {
      const late = blocks.slice(this.behind + 1).flatMap(({ receipts }) => [...receipts.values()]);
      node.blocks = blocks.slice(0, this.behind + 1);
      node.pool = [...late.map(({ sent }) => sent), ...pool];
    }
    try {
      const answer = node.answer(method, params);
      if (answer !== null) this.shown.add(params[0]);
      return answer;
    } finally {
      Object.assign(node, { blocks, pool });
    }
  }

  private async askWallet({ method, params = [] }: Request): Promise<unknown> {
    const [first] = params;
    if (method === "eth_chainId") return numberToHex(this.walletChain);
    if (method === "eth_accounts" || method === "eth_requestAccounts") return [this.account];
    if (method === "wallet_switchEthereumChain") {
      if (this.answers !== "decline") return this.switchWallet(Number((first as { chainId: Hex }).chainId));
      if (this.pressed !== null) this.pressed.answer ??= "declined";
      throw DECLINED;
    }
    if (this.walletChain !== CHAIN) throw new RpcError(-32_000, "another chain");
    return method === "eth_sendTransaction" ? this.sign(first) : this.read({ method, params });
  }

  private async sign(asked: unknown): Promise<Hex> {
    const wish = this.pressed;
    if (wish === null || wish.answer !== null) {
      this.fault("the wallet was asked without a press");
      throw DECLINED;
    }
    const wanted = { from: wish.from, to: TABLE, data: wish.data, chainId: numberToHex(CHAIN) };
    if (!isDeepStrictEqual(asked, wanted)) this.fault("the wallet was asked for another transaction");
    if (this.waiting.length > this.forgotten) this.fault("a second request beside one that the wallet shows");
    this.requests.push(wish);
    wish.answer = "asked";
    let confirmed = this.answers === "confirm";
    if (this.answers === "wait") confirmed = await new Promise<boolean>((resolve) => this.waiting.push(resolve));
    wish.answer = confirmed ? "refused" : "declined";
    if (!confirmed) throw DECLINED;
    if (this.walletChain !== CHAIN) throw new RpcError(-32_603, "another chain");
    if (this.node.down) throw new TypeError("failed to fetch");
    wish.answer = "sent";
    wish.hashes.push(this.node.answer("eth_sendTransaction", [asked]) as Hex);
    wish.nonce = this.node.pool.at(-1)?.nonce ?? -1;
    return wish.hashes[0] as Hex;
  }

  private release(confirmed: boolean): void {
    for (const answer of this.waiting.splice(0)) answer(confirmed);
    this.forgotten = 0;
  }

  private switchWallet(chain: number): null {
    if (this.walletChain !== chain) this.listeners["chainChanged"]?.(numberToHex(chain));
    this.walletChain = chain;
    return null;
  }

  private selectAccount(selected: Address): void {
    if (this.account !== selected) this.listeners["accountsChanged"]?.([selected]);
    this.account = selected;
  }

  /** Opens the page, again if it is open. A page that was left gets no answers. */
  private async open(): Promise<void> {
    const visit = (this.visits += 1);
    const answering = async (answer: () => unknown): Promise<unknown> => {
      const [{ status, ...found }] = await Promise.allSettled([Promise.resolve().then(answer)]);
      if (visit !== this.visits) return new Promise(() => undefined);
      if (status === "rejected") throw (found as { reason: unknown }).reason;
      return (found as { value: unknown }).value;
    };
    const before = visit === 1 ? null : this.page.pending();
    vi.clearAllTimers();
    this.listeners = {};
    this.forgotten = this.waiting.length;
    serve({ request: (request) => answering(() => this.read(request)) });
    this.page = await openPage(linkTo(CHAIN), this.storages, {
      request: (request) => answering(() => this.askWallet(request)),
      on: (event, listener) => (this.listeners[event] = listener),
    });
    this.pending = this.page.pending();
    if (before && this.pending !== before) this.fault("a reload lost what was pending");
    this.page.onPending(() => {
      const was = this.pending;
      this.pending = this.page.pending();
      if (was !== null && this.pending === null) this.ended(was);
    });
    if (visit === 1) await this.page.press.connect();
    await this.pass(4000);
  }

  // -- 1: what the page says --

  private ended(hash: string): void {
    const wish = hash === "" ? this.pressed : this.requests.find(({ hashes }) => hashes.includes(hash as Hex));
    if (!wish) return this.fault("something ended that nobody wanted");
    const claim = this.stopping ? "stopped" : this.page.claim();
    this.counts.push(`${wish.action.kind}: ${claim}`);
    if (!this.stopping && !this.isTrue(claim, wish)) this.fault(`"${claim}" is not true of the ${wish.action.kind}`);
  }

  private isTrue(claim: string, wish: Wish): boolean {
    const { action, from, moves } = wish;
    const { blocks, pool } = this.node;
    const receipts = blocks.flatMap((block) => [...block.receipts.values()]);
    const mined = receipts.map(({ sent }) => sent);
    const isOwn = ({ sent }: { sent: Sent }): boolean => wish.hashes.includes(sent.hash);
    const happened = receipts.some((receipt) => isOwn(receipt) && receipt.succeeded);
    // Since the press, and in a few blocks before it, which a reorg may have put in the place of later ones.
    const since = Math.max(0, wish.block - 3);
    const games = blocks.slice(since).map((block) => block.games);
    const now = games.filter(({ number }) => number === action.number);
    const later = games.filter(({ number }) => number > action.number);
    switch (claim) {
      case "done":
        if (happened) return true;
        if (action.kind === "newGame") return later.some(({ x, o }) => isDeepStrictEqual([x, o], action.players));
        return now.some((game) => (action.kind === "move" ? game.moves.includes(action.cell) : isOver(game)));
      case "noAnswer":
        return this.wasDown >= wish.time;
      case "relayed":
        return [...mined, ...pool].some((sent) => isOwn({ sent }) && sent.from !== from);
      case "begun":
      case "overwritten":
        return later.length > 0;
      case "replaced":
        return mined.some((sent) => sent.from === from && sent.nonce === wish.nonce && sent.hash !== wish.hashes[0]);
    }
    // The rest of the sentences say that it did not happen.
    if (happened) return false;
    switch (claim) {
      case "declined":
      case "refused":
        return wish.answer === claim;
      case "dropped":
        return ![...mined, ...pool].some((sent) => isOwn({ sent }));
      case "reverted":
        return receipts.some(isOwn);
      case "reorg":
        return wish.answer === null;
      case "taken":
        return now.some((game) => isOver(game) || game.moves.length > moves);
      default:
        return blocks.some((_, at) => at >= since && this.reasonAt(wish, at) === claim);
    }
  }

  /** Why the contract refuses it as of a block; empty if it does not. */
  private reasonAt({ from, data }: Wish, block: number): string {
    try {
      this.node.answer("eth_call", [{ from, to: TABLE, data }, numberToHex(block)]);
      return "";
    } catch (error) {
      return String((error as Error).message).replace("execution reverted: ", "");
    }
  }

  // -- 2: what a press does --

  /** Presses, for a transaction or for nothing that needs one. */
  private async wants(kind: Kind | null, press: () => unknown): Promise<void> {
    if (document.visibilityState === "hidden") return;
    const { page, node } = this;
    const action = kind && { ...kind, number: page.game()?.number ?? 0n };
    const from = page.account();
    const isIdle = page.pending() === null;
    const before = this.requests.length;
    let reason: string | null = null;
    let isReady = false;
    if (action !== null && isIdle && from !== null) {
      const [data, moves] = [encode(action), page.game()?.moves.length ?? 0];
      const [block, time] = [this.behind ?? node.blocks.length - 1, Date.now()];
      this.pressed = { action, data, from, moves, block, time, answer: null, nonce: -1, hashes: [] };
      reason = this.reasonAt(this.pressed, block);
      const isUpToDate = page.isConnected() && !node.down && isDeepStrictEqual(page.game(), node.game);
      isReady =
        isUpToDate &&
        this.waiting.length === this.forgotten &&
        this.behind === null &&
        (this.walletChain === CHAIN || this.answers !== "decline");
    }
    void press();
    await this.pass(50);
    const asked = this.requests.length - before;
    const isLegal = reason === "" && isReady;
    this.counts.push(isLegal ? "a legal press" : "another press");
    if (isLegal && asked === 0) this.fault("a legal press did not ask the wallet");
    if (asked > (reason === "" ? 1 : 0)) this.fault(`a press asked the wallet ${asked} times, against "${reason}"`);
  }

  private async pressMove(cell: number): Promise<void> {
    const game = this.page.game();
    const isOn = game !== null && game.number > 0n && !isOver(game);
    await this.wants(isOn ? { kind: "move", cell } : null, () => this.page.press.move(cell));
  }

  private async pressNewGame(players: Players): Promise<void> {
    await this.wants({ kind: "newGame", players }, () => this.page.press.newGame(players));
  }

  private async pressAgain(): Promise<void> {
    const game = this.page.game();
    const canAgain = game !== null && game.number > 0n && isOver(game) && [game.x, game.o].includes(this.account);
    await this.wants(canAgain ? { kind: "newGame", players: [game.o, game.x] } : null, this.page.press.again);
  }

  private async stopWaiting(): Promise<void> {
    this.stopping = true;
    this.page.press.stop();
    await this.pass(0);
    this.stopping = false;
  }

  // -- what happens --

  /** An empty cell, or any if there is none. */
  private free(): number {
    const { moves } = this.node.game;
    return this.pick([0, 1, 2, 3, 4, 5, 6, 7, 8].filter((cell) => moves.length === 9 || !moves.includes(cell)));
  }

  /** What the game needs to go on: a press, or the other's move. */
  private async step(): Promise<void> {
    const { number, x, o, moves } = this.node.game;
    const turn = moves.length % 2 === 0 ? x : o;
    if (number === 0n) await this.pressNewGame([ALICE, BEN]);
    else if (isOver(this.node.game)) await this.pressAgain();
    else if (turn === this.account) await this.pressMove(this.free());
    else if (turn !== ALICE) this.other(turn, { kind: "move", cell: this.free() });
  }

  /** A transaction from elsewhere, in a block without what is in the pool or in front of it. */
  private other(from: Address, what: Kind): void {
    const { node } = this;
    const { pool, relayer, game } = node;
    Object.assign(node, { pool: [], relayer: null });
    const data = encode({ ...what, number: game.number });
    node.answer("eth_sendTransaction", [{ from, to: TABLE, data, chainId: numberToHex(CHAIN) }]);
    // An account's transactions are in blocks in their order.
    const isAlone = from !== this.account && this.roll(2) === 0;
    if (from === this.account) node.pool.unshift(...pool);
    else if (!isAlone) node.pool.push(...pool);
    node.mine();
    Object.assign(node, { relayer, pool: isAlone ? pool : [] });
  }

  /** The newest transaction in the pool gets another fee, or another one takes its place. */
  private replace(by: Partial<Sent>): void {
    const { node } = this;
    const last = node.pool.at(-1);
    const wish = this.requests.find(({ hashes }) => last && hashes.includes(last.hash));
    if (last === undefined || wish === undefined) return;
    const hash = numberToHex(this.roll(2 ** 32), { size: 32 });
    if (by.data === undefined) wish.hashes.push(hash);
    node.pool = [...node.pool.slice(0, -1), { ...last, ...by, hash }];
  }

  private emptyBlocks(count: number): void {
    const pool = this.node.pool.splice(0);
    for (let at = 0; at < count; at += 1) this.node.mine();
    this.node.pool = pool;
  }

  /** Empty blocks take the place of the newest ones, whose transactions go back into the pool. */
  private reorg(depth: number): void {
    const { node } = this;
    if (node.blocks.length <= depth + 1) return;
    const lost = node.blocks.splice(-depth).flatMap(({ receipts }) => [...receipts.values()]);
    node.pool.unshift(...lost.map(({ sent }) => sent));
    this.emptyBlocks(depth);
  }

  private endTrouble(): void {
    Object.assign(this.node, { down: false, relayer: null });
    this.behind = null;
    this.answers = "confirm";
    this.selectAccount(ALICE);
    this.switchWallet(CHAIN);
    this.page.setHidden(false);
  }

  /** What can happen, and how often. */
  private readonly events: readonly [weight: number, name: string, act: () => unknown][] = [
    [16, "the next step", () => this.step()],
    [2, "any cell", () => this.pressMove(this.roll(9))],
    [1, "giving up", () => this.wants({ kind: "forfeit" }, this.page.press.forfeit)],
    [1, "a new game", () => this.pressNewGame([ALICE, this.pick([ALICE, BEN])])],
    [1, "playing again", () => this.pressAgain()],
    [1, "no more waiting", () => this.stopWaiting()],
    [1, "a move from elsewhere", () => this.other(ALICE, { kind: "move", cell: this.free() })],
    [1, "the other's forfeit", () => this.other(BEN, { kind: "forfeit" })],
    [1, "the other's game", () => this.other(BEN, { kind: "newGame", players: [BEN, ALICE] })],
    [1, "a stranger's game", () => this.other(CARLA, { kind: "newGame", players: [CARLA, this.pick([ALICE, BEN])] })],
    [1, "an empty block", () => this.emptyBlocks(1)],
    [1, "a reorg", () => this.reorg(1 + this.roll(2))],
    [2, "a wallet that waits", () => (this.answers = "wait")],
    [1, "a wallet that declines", () => (this.answers = "decline")],
    [4, "a confirmation", () => this.release(true)],
    [1, "a refusal", () => this.release(false)],
    [1, "a dropped pool", () => (this.node.pool = [])],
    [1, "a higher fee", () => this.replace({})],
    [1, "a cancellation", () => this.replace({ to: null, data: "0x" })],
    [1, "a relayer", () => (this.node.relayer = RELAYER)],
    [1, "a node that is down", () => (this.node.down = true)],
    [1, "a node that is behind", () => (this.behind = this.node.blocks.length - 1)],
    [1, "a hidden tab", () => this.page.setHidden(true)],
    [1, "another account", () => this.selectAccount(SECOND)],
    [1, "another chain", () => this.switchWallet(1)],
    [4, "the end of all trouble", () => this.endTrouble()],
    [2, "a reload", () => this.open()],
  ];

  async live(): Promise<void> {
    const events = this.events.flatMap((event) => Array<typeof event>(event[0]).fill(event));
    const x = this.pick([ALICE, BEN]);
    if (this.roll(3) > 0) this.other(BEN, { kind: "newGame", players: [x, x === BEN ? ALICE : BEN] });
    await this.open();
    for (let at = 0; at < EVENTS && this.faults.length === 0; at += 1) {
      const [, name, act] = this.pick(events);
      const pause = this.roll(10) === 0 ? 40_000 : this.roll(6000);
      this.story.push(`${name} and ${pause} ms`);
      await act();
      await this.pass(pause);
      if (this.roll(3) === 0) this.node.mine();
    }
    if (this.faults.length === 0) await this.calm();
  }

  // -- 3: the calm --

  private async calm(): Promise<void> {
    const { page, node } = this;
    this.story.push("the calm");
    this.endTrouble();
    this.release(true);
    await this.pass(3000);
    this.reorg(1);
    for (let stretch = 0; stretch < 2; stretch += 1) {
      if (stretch > 0) node.mine();
      await this.pass(40_000);
      if (!page.isConnected()) this.fault("the page is not connected");
      if (!isDeepStrictEqual(page.game(), node.game)) this.fault("the board is not the chain's");
    }
    const pending = page.pending();
    // A transaction that no node has shown may still be on its way.
    if (pending === "" || this.shown.has(pending)) this.fault("something is pending");
  }
}

const ENDINGS = "done declined noAnswer dropped replaced relayed taken overwritten stopped".split(" ");

afterEach(closeVisit);

const { WORLDS } = process.env;
const [count = 100, first = WORLDS ? Date.now() % 2 ** 31 : 1] = (WORLDS ?? "").split("@").filter(Boolean).map(Number);

test(`${count} random worlds from ${first}`, { timeout: 1000 * count }, async () => {
  const counts: Record<string, number> = {};
  for (let seed = first; seed < first + count; seed += 1) {
    vi.useFakeTimers();
    const world = new World(seed);
    await world.live();
    closeVisit();
    expect(world.faults).toEqual([]);
    for (const what of world.counts) counts[what] = (counts[what] ?? 0) + 1;
  }
  if (WORLDS) return console.log(counts);
  // Enough has happened: presses, pairs of action and ending, and each ending that a wallet or a chain can bring about.
  const pairs = Object.keys(counts).filter((what) => what.includes(": "));
  expect(counts["a legal press"]).toBeGreaterThan(200);
  expect(pairs.length).toBeGreaterThan(22);
  for (const ending of ENDINGS) expect(pairs).toContainEqual(expect.stringMatching(`: ${ending}$`));
});
