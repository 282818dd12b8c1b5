// Keeps the page true. It asks for the head's hash; whenever that is another one it reads the whole game again, once, as
// of that block. So a reorganisation, a restarted node, a lid that was closed and a block that was missed all need no
// case of their own. Nothing is asked while nobody looks.
import { Nonsense, OutOfTouch, type Provider } from "./provider.ts";
import { type Address, type Game } from "./rules.ts";
import { type CodeKind, type Head, readChain, readCode, readGame, readHead } from "./table.ts";

export interface Sight {
  head: Head;
  code: CodeKind;
  /** There is one only where the code is the table's. */
  game: Game | null;
}

export type Touch = "yes" | "no" | "wrongChain";

export interface Follower {
  /** Ask now: something has happened, or somebody looks again. */
  poke(): void;
  stop(): void;
}

const LONGEST_PAUSE = 30_000;
const LOOKS = 3;

export function follow(options: {
  provider: Provider;
  chain: number;
  table: Address;
  pace: number;
  /** What somebody else has told so far, and the page shows. */
  shown: Head | null;
  onSight(sight: Sight): void;
  onTouch(touch: Touch): void;
}): Follower {
  const { provider, chain, table, pace } = options;
  let stopped = false;
  let asking = false;
  let again = false;
  let failures = 0;
  let seen = options.shown;
  let lower = 0;
  // The chain and the code are asked for at the start, and again after every failure: another node may answer then.
  let verified = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    if (!verified && (await readChain(provider)) !== chain) {
      seen = null;
      throw new WrongChain();
    }
    const head = await readHead(provider);
    // The same question can reach two nodes of which one is behind: a lower head counts after so many looks in a row.
    lower = seen !== null && head.number < seen.number ? lower + 1 : 0;
    if (lower > 0 && lower < LOOKS) return;
    lower = 0;
    if (seen?.hash === head.hash && verified) return;
    if (!verified) {
      const code = await readCode(provider, table);
      if (code !== "table") {
        seen = head;
        report({ head, code, game: null });
        return;
      }
    }
    const game = await readGame(provider, table, head.number);
    verified = true;
    seen = head;
    report({ head, code: "table", game });
  }

  function report(sight: Sight): void {
    if (!stopped) options.onSight(sight);
  }

  async function turn(): Promise<void> {
    clearTimeout(timer);
    if (stopped || document.visibilityState === "hidden") return;
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    again = false;
    try {
      await look();
      failures = 0;
      if (!stopped) options.onTouch("yes");
    } catch (error) {
      failures += 1;
      // A table that answers nonsense may have been replaced by other code, in a node that began anew.
      if (error instanceof Nonsense || failures > 1) verified = false;
      if (stopped) return;
      if (error instanceof WrongChain) options.onTouch("wrongChain");
      // One answer that is none may come from a node that is behind; silence, or a second one, is an outage.
      else if (error instanceof OutOfTouch || failures > 1) options.onTouch("no");
    }
    asking = false;
    const pause = failures === 0 ? pace : Math.min(LONGEST_PAUSE, Math.max(250, pace) * 2 ** (failures - 1));
    timer = setTimeout(() => void turn(), again ? 0 : pause);
  }

  function poke(): void {
    failures = Math.min(failures, 1);
    void turn();
  }

  const onVisible = (): void => {
    if (document.visibilityState === "visible") poke();
  };
  document.addEventListener("visibilitychange", onVisible);
  window.addEventListener("online", poke);
  window.addEventListener("pageshow", poke);
  void turn();

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
