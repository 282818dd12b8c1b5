// Random worlds: a page, a wallet, a node, other people and time, moved by dice. Three things always hold:
//   1. When a transaction is no longer pending, the page's sentence about it is true of the chain. What is in a block for the
//      player is never reported as lost, a new game that is done is on the board, and a reload forgets nothing that was sent.
//   2. A legal press asks the wallet exactly once, for exactly this transaction. A press that the contract would refuse asks for
//      nothing, and no press does while a transaction is pending or the wallet still shows another request.
//   3. When everything is calm again, nothing is pending, the page is connected, and its board and the links of its moves are the
//      chain's.
//
// `WORLDS=1000 npx vitest run world` tries fresh worlds; `WORLDS=1@seed` repeats one of them.
import { isDeepStrictEqual } from "node:util";
import { numberToHex } from "viem/utils";
import { afterEach, expect, test, vi } from "vitest";
import { type Action, encodeAction } from "../../src/contract.ts";
import type { Request } from "../../src/rpc.ts";
import type { Address, Hex } from "../../src/rules.ts";
import { account, ALICE, BEN, CARLA, FakeNode, isOver, rpcError, SEPOLIA, TABLE } from "../support/node.ts";
import type { FakeGame, Sent } from "../support/node.ts";
import { closeVisit, linkTo, newStorages, openPage, serve, type Visit } from "./support/page.ts";

const newGame = (replaces: bigint, ...players: [Address, Address]): Action => ({ kind: "newGame", players, replaces });

/** A press for a transaction, and what the wallet has made of it. */
interface Wish {
  action: Action;
  from: Address;
  /** The game that it is for or that it replaces, and how many moves the board had. */
  number: bigint;
  moves: number;
  /** The newest block, and the time. */
  block: number;
  time: number;
  answer: "asked" | "declined" | "refused" | "sent" | null;
  nonce: number;
  /** Its hash, and those under which it was sped up. */
  hashes: Hex[];
}

const EVENTS = 30;
const [SECOND, RELAYER] = [account(4), account(9)];
const DECLINED = rpcError(4001, "No.");

class World {
  readonly faults: string[] = [];
  readonly counts: string[] = [];
  private readonly seed: number;
  private random: number;
  private readonly story: string[] = [];
  private page!: Visit;
  private readonly storages = newStorages();
  private visits = 0;

  private readonly node = Object.assign(new FakeNode(SEPOLIA), { automine: false });
  private wasDown = -Infinity;

  /** It has a chain and an account of its own, and reads at the node. */
  private readonly wallet = this.node.wallet(ALICE);
  private answers: "confirm" | "wait" | "decline" = "confirm";
  /** What the wallet shows, and what it shows since before a reload, of which the page does not know. */
  private shown: ((confirmed: boolean) => void)[] = [];
  private forgotten: typeof this.shown = [];

  /** The last press for a transaction, and those that the wallet was asked for. */
  private pressed: Wish | null = null;
  private readonly requests: Wish[] = [];
  private isStopping = false;

  constructor(seed: number) {
    this.seed = this.random = seed;
  }

  /** A whole number below `sides`. */
  private roll(sides: number): number {
    this.random = (this.random * 48_271) % 2_147_483_647;
    return (this.random >> 8) % sides;
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

  // -- the wallet --

  private ask = (request: Request): unknown => {
    const { method, params = [] } = request;
    if (method === "wallet_switchEthereumChain" && this.answers === "decline") {
      if (this.pressed !== null) this.pressed.answer ??= "declined";
      throw DECLINED;
    }
    if (/accounts|chain/i.test(method)) return this.wallet.request(request);
    if (this.wallet.chainId !== SEPOLIA) throw rpcError(-32_000, "another chain");
    return method === "eth_sendTransaction" ? this.sign(params[0]) : this.node.request(request);
  };

  private async sign(asked: unknown): Promise<Hex> {
    const wish = this.pressed;
    if (wish === null || wish.answer !== null) {
      this.fault("the wallet was asked without a press");
      throw DECLINED;
    }
    const { action, from } = wish;
    const wanted = { from, to: TABLE, data: encodeAction(action), chainId: numberToHex(SEPOLIA) };
    if (!isDeepStrictEqual(asked, wanted)) this.fault("the wallet was asked for another transaction");
    if (this.shown.length > 0) this.fault("a second request beside one that the wallet shows");
    this.requests.push(wish);
    wish.answer = "asked";
    let confirmed = this.answers === "confirm";
    if (this.answers === "wait") confirmed = await new Promise<boolean>((resolve) => this.shown.push(resolve));
    wish.answer = confirmed ? "refused" : "declined";
    if (!confirmed) throw DECLINED;
    if (this.wallet.chainId !== SEPOLIA) throw rpcError(-32_603, "another chain");
    const hash = (await this.node.request({ method: "eth_sendTransaction", params: [asked] })) as Hex;
    Object.assign(wish, { answer: "sent", nonce: this.node.pool.at(-1)?.nonce, hashes: [hash] });
    return hash;
  }

  private release(confirmed: boolean): void {
    for (const answer of [...this.forgotten.splice(0), ...this.shown.splice(0)]) answer(confirmed);
  }

  private switchWallet = (chain: number): unknown =>
    this.wallet.answer("wallet_switchEthereumChain", [{ chainId: numberToHex(chain) }]);

  private selectAccount(selected: Address): void {
    this.wallet.accounts = [selected];
    this.wallet.emit("accountsChanged", [selected]);
  }

  // -- the page --

  /** Opens the page, again if it is open. A page that was left gets no answers. */
  private async open(): Promise<void> {
    const visit = (this.visits += 1);
    const here = (answer: (request: Request) => unknown) => async (request: Request) =>
      (async () => answer(request))().finally(() => (visit === this.visits ? null : new Promise(() => undefined)));
    const before = visit === 1 ? null : this.pending();
    vi.clearAllTimers();
    this.forgotten.push(...this.shown.splice(0));
    serve({ request: here((request) => this.node.request(request)) });
    const wallet = this.wallet.removeAllListeners();
    const provider = { request: here(this.ask), on: wallet.on.bind(wallet) };
    this.page = await openPage(linkTo(SEPOLIA), this.storages, { wallet: provider });
    const { state, wallets } = this.page;
    let pending = this.pending();
    if (before && pending !== before) this.fault("a reload lost what was pending");
    state.pending.subscribe(() => {
      const was = pending;
      pending = this.pending();
      if (was !== null && pending === null) this.ended(was);
    });
    const [found] = state.wallets.value;
    if (visit === 1 && found) await wallets.connect(found);
    await this.pass(4000);
  }

  /** The hash of what is pending, empty while the wallet asks; null if nothing is. */
  private pending(): string | null {
    const { value: pending } = this.page.state.pending;
    return pending && (pending.phase === "sent" ? pending.hash : "");
  }

  /** The game on the board. */
  private board(): FakeGame | null {
    const game = this.page.state.snapshot.value?.game;
    if (!game) return null;
    const { number, playerX: x, playerO: o, status, moves } = game;
    return { number, x, o, moves, forfeited: status.endsWith("forfeits") };
  }

  private get number(): bigint {
    return this.board()?.number ?? 0n;
  }

  // -- 1: what the page says --

  private ended(hash: string): void {
    const wish = hash === "" ? this.pressed : this.requests.find(({ hashes }) => hashes.includes(hash as Hex));
    if (!wish) return this.fault("something ended that nobody wanted");
    const { value: notice } = this.page.state.notice;
    // What the notice claims, in a word or in the contract's reason.
    const claim = notice?.kind === "reason" ? notice.reason : (notice?.kind ?? "done");
    this.counts.push(`${wish.action.kind}: ${this.isStopping ? "stopped" : claim}`);
    if (!this.isStopping && !this.isTrue(claim, wish)) this.fault(`"${claim}" is not true of ${wish.action.kind}`);
  }

  private isTrue(claim: string, wish: Wish): boolean {
    const { action, number, from, moves, hashes, answer } = wish;
    const { blocks, pool, receipts } = this.node;
    const mined = receipts.map(({ sent }) => sent);
    const own = receipts.filter(({ sent }) => hashes.includes(sent.hash));
    const hasHappened = own.some(({ succeeded }) => succeeded);
    // Since the press, and in a few blocks before it, which a reorg may have put in the place of later ones.
    const since = Math.max(0, wish.block - 3);
    const games = blocks.slice(since).map(({ game }) => game);
    const now = games.filter((game) => game.number === number);
    const later = games.filter((game) => game.number > number);
    const withNonce = mined.filter((sent) => sent.from === from && sent.nonce === wish.nonce);
    const all = [...mined, ...pool];
    // A reorg has taken the block back that the board is of.
    const isLost = !blocks.some(({ hash }) => hash === this.page.state.snapshot.value?.head.hash);
    const claims: Record<string, () => boolean> = {
      done: () => {
        if (hasHappened) return action.kind !== "newGame" || this.number > number || isLost;
        if (action.kind === "newGame") return later.some(({ x, o }) => isDeepStrictEqual([x, o], action.players));
        return now.some((game) => (action.kind === "move" ? game.moves.includes(action.cell) : isOver(game)));
      },
      noAnswer: () => this.wasDown >= wish.time,
      relayed: () => all.some((sent) => hashes.includes(sent.hash) && sent.from !== from),
      begun: () => later.length > 0,
      overwritten: () => later.length > 0,
      // A first game that was sped up looks like a cancelled one once another has replaced it.
      replaced: () => (!hasHappened || number === 0n) && withNonce.length > 0,
      // The rest of the sentences say that it did not happen.
      declined: () => !hasHappened && answer === "declined",
      refused: () => !hasHappened && answer === "refused",
      dropped: () => !all.some(({ hash }) => hashes.includes(hash)),
      reverted: () => !hasHappened && own.length > 0,
      reorg: () => !hasHappened && answer === null,
      taken: () => !hasHappened && now.some((game) => isOver(game) || game.moves.length > moves),
    };
    const isReason = (): boolean => blocks.some((_, at) => at >= since && this.reasonAt(wish, at) === claim);
    return claims[claim]?.() ?? (!hasHappened && isReason());
  }

  /** Why the contract refuses it as of a block; empty if it does not. */
  private reasonAt({ from, action }: Wish, block: number): string {
    try {
      this.node.answer("eth_call", [{ from, to: TABLE, data: encodeAction(action) }, numberToHex(block)]);
      return "";
    } catch (error) {
      return String((error as Error).message).replace("execution reverted: ", "");
    }
  }

  // -- 2: what a press does --

  /** Presses, for a transaction or for nothing that needs one. */
  private async press(action: Action | null, press: () => unknown): Promise<void> {
    if (document.visibilityState === "hidden") return;
    const { node, number } = this;
    const { connection, nodeStatus } = this.page.state;
    const board = this.board();
    const from = connection.value?.accounts[0];
    const before = this.requests.length;
    let reason: string | null = null;
    if (action !== null && this.pending() === null && from !== undefined) {
      const [moves, block, time] = [board?.moves.length ?? 0, node.blocks.length - 1, Date.now()];
      this.pressed = { action, from, number, moves, block, time, answer: null, nonce: -1, hashes: [] };
      reason = this.reasonAt(this.pressed, block);
    }
    const isReady =
      nodeStatus.value === "connected" &&
      !node.down &&
      isDeepStrictEqual(board, node.game) &&
      this.shown.length === 0 &&
      (this.wallet.chainId === SEPOLIA || this.answers !== "decline");
    void press();
    await this.pass(50);
    const asked = this.requests.length - before;
    const isLegal = reason === "" && isReady;
    this.counts.push(isLegal ? "a legal press" : "another press");
    if (isLegal && asked === 0) this.fault("a legal press did not ask the wallet");
    if (asked > (reason === "" ? 1 : 0)) this.fault(`a press asked the wallet ${asked} times, against "${reason}"`);
  }

  private send = (action: Action): Promise<void> => this.press(action, () => this.page.transactions.send(action));

  private async pressMove(cell: number): Promise<void> {
    const game = this.board();
    const isOn = game !== null && game.number > 0n && !isOver(game);
    const { playCell } = await import("../../src/view/Table.tsx");
    await this.press(isOn ? { kind: "move", cell, number: game.number } : null, () => playCell(cell));
  }

  private async pressAgain(): Promise<void> {
    const game = this.board();
    const isPlayer = this.wallet.accounts.some((own) => own === game?.x || own === game?.o);
    const canAgain = game !== null && game.number > 0n && isOver(game) && isPlayer;
    await this.press(canAgain ? newGame(game.number, game.o, game.x) : null, () => this.page.transactions.playAgain());
  }

  private async stopWaiting(): Promise<void> {
    this.isStopping = true;
    if (this.page.state.mayStop.value) this.page.transactions.stopWaiting();
    await this.pass(0);
    this.isStopping = false;
  }

  // -- what happens --

  /** A move to an empty cell, or to any if there is none. */
  private move(): Action & { kind: "move" } {
    const { number, moves } = this.node.game;
    const free = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((cell) => moves.length === 9 || !moves.includes(cell));
    return { kind: "move", cell: this.pick(free), number };
  }

  /** What the game needs to go on: a press, or the other's move. */
  private async step(): Promise<void> {
    const { number, x, o, moves } = this.node.game;
    const turn = moves.length % 2 === 0 ? x : o;
    if (number === 0n) await this.send(newGame(this.number, ALICE, BEN));
    else if (isOver(this.node.game)) await this.pressAgain();
    else if (this.wallet.accounts.includes(turn)) await this.pressMove(this.move().cell);
    else if (turn !== ALICE) this.other(turn, this.move());
  }

  /** A transaction from elsewhere, in a block without the pool or in front of it; behind it if the account has one there. */
  private other(from: Address, action: Action): void {
    const { node } = this;
    const sent = node.sign(from, encodeAction(action));
    if (node.pool.some((waiting) => waiting.from === from)) return node.mine({}, [...node.pool.splice(0), sent]);
    node.mine({}, [sent, ...(this.roll(2) === 0 ? [] : node.pool.splice(0))]);
  }

  private otherGame = (from: Address, ...players: [Address, Address]): void =>
    this.other(from, newGame(this.node.game.number, ...players));

  /** The newest transaction in the pool gets another fee, or another one takes its place. */
  private replace(by: Partial<Sent>): void {
    const last = this.node.pool.at(-1)?.hash;
    const wish = this.requests.find(({ hashes }) => last && hashes.includes(last));
    if (wish === undefined) return;
    const hash = this.node.replace(by);
    if (by.data === undefined) wish.hashes.push(hash);
  }

  /** Other blocks take the place of the newest ones: empty ones, or with the same transactions, others' under another hash. */
  private reorg(depth: number): void {
    const { node } = this;
    if (node.blocks.length <= depth + 1) return;
    const waiting = node.pool.splice(0);
    for (const { sent } of node.blocks.splice(-depth).flatMap(({ receipts }) => receipts)) {
      node.pool.push(sent);
      if (!this.requests.some(({ hashes }) => hashes.includes(sent.hash))) node.replace();
    }
    node.pool.push(...waiting);
    const blocks = depth + this.roll(2);
    for (let block = 0; block < blocks; block += 1) node.mine({}, this.roll(2) === 0 ? [] : node.pool.splice(0));
  }

  private stayBehind(): void {
    const head = this.node.answer("eth_getBlockByNumber", []);
    this.node.overrides["eth_getBlockByNumber"] = () => head;
  }

  private endTrouble(): void {
    Object.assign(this.node, { down: false, relayer: null, overrides: {} });
    this.answers = "confirm";
    this.selectAccount(ALICE);
    this.switchWallet(SEPOLIA);
    this.page.browser.setHidden(false);
  }

  /** What can happen, and how often. */
  private readonly events: readonly [weight: number, name: string, act: () => unknown][] = [
    [16, "the next step", () => this.step()],
    [2, "any cell", () => this.pressMove(this.roll(9))],
    [1, "giving up", () => this.send({ kind: "forfeit", number: this.number })],
    [1, "a new game", () => this.send(newGame(this.number, ALICE, this.pick([ALICE, BEN])))],
    [1, "playing again", () => this.pressAgain()],
    [1, "no more waiting", () => this.stopWaiting()],
    [1, "a move from elsewhere", () => this.other(ALICE, this.move())],
    [1, "the other's forfeit", () => this.other(BEN, { kind: "forfeit", number: this.node.game.number })],
    [1, "the other's game", () => this.otherGame(BEN, BEN, ALICE)],
    [1, "a stranger's game", () => this.otherGame(CARLA, CARLA, this.pick([ALICE, BEN]))],
    [1, "an empty block", () => this.node.mine({}, [])],
    [1, "a reorg", () => this.reorg(1 + this.roll(2))],
    [2, "a wallet that waits", () => (this.answers = "wait")],
    [1, "a wallet that declines", () => (this.answers = "decline")],
    [4, "a confirmation", () => this.release(true)],
    [1, "a refusal", () => this.release(false)],
    [1, "a dropped pool", () => this.node.pool.splice(0)],
    [3, "a higher fee", () => this.replace({})],
    [1, "a cancellation", () => this.replace({ to: null, data: "0x" })],
    [1, "a relayer", () => (this.node.relayer = RELAYER)],
    [1, "a node that is down", () => (this.node.down = true)],
    [3, "a node that is behind", () => this.stayBehind()],
    [1, "a hidden tab", () => this.page.browser.setHidden(true)],
    [1, "another account", () => this.selectAccount(SECOND)],
    [1, "another chain", () => this.switchWallet(1)],
    [4, "the end of all trouble", () => this.endTrouble()],
    [2, "a reload", () => this.open()],
  ];

  async live(): Promise<void> {
    const events = this.events.flatMap((event) => Array<typeof event>(event[0]).fill(event));
    const players: [Address, Address] = this.roll(2) === 0 ? [ALICE, BEN] : [BEN, ALICE];
    if (this.roll(3) > 0) this.otherGame(BEN, ...players);
    await this.open();
    for (let event = 0; event < EVENTS && this.faults.length === 0; event += 1) {
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
    const { node } = this;
    const { state } = this.page;
    this.story.push("the calm");
    this.endTrouble();
    this.release(true);
    await this.pass(3000);
    this.reorg(1);
    for (let stretch = 0; stretch < 2; stretch += 1) {
      if (stretch > 0) node.mine();
      await this.pass(40_000);
      if (state.nodeStatus.value !== "connected") this.fault("the page is not connected");
      if (!isDeepStrictEqual(this.board(), node.game)) this.fault("the board is not the chain's");
      const { hashes } = node;
      const links = state.links.value ?? [];
      if (links.join() !== hashes.join()) this.fault("the links are not the chain's");
    }
    const { value: pending } = state.pending;
    // A transaction that no node has shown may still be on its way.
    if (pending?.phase === "asking" || (pending && pending.nonce !== null)) this.fault("something is pending");
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
