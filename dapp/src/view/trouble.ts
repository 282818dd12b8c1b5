// The view for a link that opens no table, with the reason; and the question whether to connect to a link's endpoint.
import { PRACTICE_CHAIN } from "../chains.ts";
import { go } from "../link.ts";
import { allowEndpoint, lookNow, practise } from "../session.ts";
import { type State, state } from "../state.ts";
import { fill, text } from "../text/index.ts";
import { chainName } from "../words.ts";
import { byId, setText } from "./dom.ts";
import { openWallets } from "./dialogs.ts";

interface Trouble {
  kind: "link" | "none" | "other" | "unknown" | "wrongChain" | "consent" | "practice";
  title: string;
  words: string;
  yes: string;
  no: string;
}

export function troubleOf(now: State): Trouble | null {
  const words = text.trouble;
  const { link, snapshot, source, nodeStatus, practice } = now;
  if (link.kind === "home") return null;
  if (link.kind === "fault") {
    return { kind: "link", title: words.linkTitle, words: words[link.fault], yes: words.home, no: "" };
  }
  const { address, rpc } = link.table;
  const names = { address, chain: chainName(link.table.chain) };
  if (practice === "failed" && link.table.chain === PRACTICE_CHAIN) {
    return { kind: "practice", title: words.practiceTitle, words: words.practice, yes: words.retry, no: words.home };
  }
  if (source?.kind === "none" && source.why === "consent" && rpc !== null) {
    const { host } = new URL(rpc);
    return {
      kind: "consent",
      title: fill(text.consent.title, { host }),
      words: fill(text.consent.text, names),
      yes: text.consent.yes,
      no: text.consent.no,
    };
  }
  if (source?.kind === "none" && !(practice === "loading" && link.table.chain === PRACTICE_CHAIN)) {
    return { kind: "unknown", title: words.unknownTitle, words: fill(words.unknown, names), yes: words.connect, no: words.home };
  }
  if (nodeStatus === "wrongChain") {
    return { kind: "wrongChain", title: words.wrongChainTitle, words: fill(words.wrongChain, names), yes: words.retry, no: words.home };
  }
  if (snapshot?.code === "none") {
    return { kind: "none", title: words.noneTitle, words: fill(words.none, names), yes: words.retry, no: words.home };
  }
  if (snapshot?.code === "other") {
    return { kind: "other", title: words.otherTitle, words: fill(words.other, names), yes: words.home, no: "" };
  }
  return null;
}

export function buildTrouble(): void {
  byId("trouble-yes").addEventListener("click", () => {
    switch (troubleOf(state)?.kind) {
      case "consent":
        return allowEndpoint(true);
      case "unknown":
        return openWallets();
      case "none":
      case "wrongChain":
        return lookNow();
      case "practice":
        return void practise();
      default:
        return go(null);
    }
  });
  byId("trouble-no").addEventListener("click", () => {
    if (troubleOf(state)?.kind === "consent") allowEndpoint(false);
    else go(null);
  });
}

export function drawTrouble(now: State): void {
  const trouble = troubleOf(now);
  if (trouble === null) return;
  setText(byId("trouble-title"), trouble.title);
  setText(byId("trouble-text"), trouble.words);
  setText(byId("trouble-yes"), trouble.yes);
  setText(byId("trouble-no"), trouble.no);
  byId("trouble-no").hidden = trouble.no === "";
  byId("trouble").setAttribute("data-kind", trouble.kind);
}
