// Keeps the board up to date. It polls the hash of the newest block and reads the whole game again whenever the hash has
// changed, as of that block. So reorgs, restarted nodes, sleeping laptops and missed blocks need no special case. A hidden
// page asks nothing, except slowly while the player waits for the other side.
import type { Client } from "viem";
import { getChainId } from "viem/actions";
import { InvalidAnswer } from "./answers.ts";
import { type CodeKind, type Head, readCode, readGame, readHead } from "./calls.ts";
import { NoAnswer } from "./provider.ts";
import type { Address, Game } from "./rules.ts";

/** What the page has read last, all of it as of one block. */
export interface Snapshot {
  head: Head;
  code: CodeKind;
  /** Null where the code is not a table's. */
  game: Game | null;
}

export type NodeStatus = "connected" | "lost" | "wrongChain";

export interface Follower {
  /** Ask now instead of at the next interval. */
  poke(): void;
  stop(): void;
}

const LONGEST_PAUSE = 30_000;
/** Milliseconds between two requests of a hidden page. */
const HIDDEN_INTERVAL = 15_000;
/** How many times in a row a node must report a lower block before the page believes it. */
const LOWER_HEADS = 3;

export function follow(options: {
  client: Client;
  chain: number;
  table: Address;
  /** Milliseconds between two requests for the head. */
  interval: number;
  /** The block that the page shows already, from another source. */
  shown: Head | null;
  /** Whether a hidden page keeps asking: the player waits for the other side. */
  waiting(): boolean;
  onSnapshot(snapshot: Snapshot): void;
  onNodeStatus(status: NodeStatus): void;
}): Follower {
  const { client, chain, table, interval } = options;
  let stopped = false;
  let asking = false;
  let again = false;
  let asked = -Infinity;
  let failures = 0;
  let last = options.shown;
  let lower = 0;
  // Null until the chain and the code are checked, at the start and again after failures: another node may answer by then.
  let code: CodeKind | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    if (code === null && (await getChainId(client)) !== chain) {
      last = null;
      throw new WrongChain();
    }
    const head = await readHead(client);
    // An endpoint can have several nodes, some of them a block behind.
    lower = last !== null && head.number < last.number ? lower + 1 : 0;
    if (lower > 0 && lower < LOWER_HEADS) return;
    lower = 0;
    if (last?.hash === head.hash && code !== null) return;
    // A table's code stays. Where there is none, any block may bring it.
    const found = code === "table" ? code : await readCode(client, table);
    const game = found === "table" ? await readGame(client, table, head.number) : null;
    code = found;
    last = head;
    report({ head, code, game });
  }

  function report(snapshot: Snapshot): void {
    if (!stopped) options.onSnapshot(snapshot);
  }

  async function poll(now = false): Promise<void> {
    clearTimeout(timer);
    if (stopped) return;
    if (asking) {
      again = true;
      return;
    }
    if (document.visibilityState === "hidden") {
      if (!options.waiting()) return;
      const rest = now ? 0 : asked + HIDDEN_INTERVAL - performance.now();
      if (rest > 0) {
        timer = setTimeout(() => void poll(), rest);
        return;
      }
    }
    asking = true;
    again = false;
    asked = performance.now();
    try {
      await look();
      failures = 0;
      if (!stopped) options.onNodeStatus("connected");
    } catch (error) {
      failures += 1;
      // A local node that was restarted may have other code at the table's address.
      if (error instanceof InvalidAnswer || failures > 1) code = null;
      if (stopped) return;
      if (error instanceof WrongChain) options.onNodeStatus("wrongChain");
      // A single error may come from a node that is behind. No answer at all, or a second error, is an outage.
      else if (error instanceof NoAnswer || failures > 1) options.onNodeStatus("lost");
    }
    asking = false;
    const pause = failures === 0 ? interval : Math.min(LONGEST_PAUSE, Math.max(250, interval) * 2 ** (failures - 1));
    const soon = again;
    timer = setTimeout(() => void poll(soon), soon ? 0 : pause);
  }

  function poke(): void {
    failures = Math.min(failures, 1);
    void poll(true);
  }

  const onVisible = (): void => {
    if (document.visibilityState === "visible") poke();
    else void poll();
  };
  document.addEventListener("visibilitychange", onVisible);
  window.addEventListener("online", poke);
  window.addEventListener("pageshow", poke);
  void poll();

  return {
    poke,
    stop() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
      window.removeEventListener("online", poke);
      window.removeEventListener("pageshow", poke);
    },
  };
}

class WrongChain extends Error {}
