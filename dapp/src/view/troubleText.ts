// Why a link opens no table, and what to do about it.
import { go } from "../link.ts";
import { lookNow } from "../session.ts";
import { state } from "../state.ts";
import { fill, text } from "../text.ts";
import { chainName } from "../words.ts";
import { openWallets } from "./dialogs.ts";

interface Choice {
  label: string;
  press: () => unknown;
}

export interface TroubleText {
  title: string;
  words: string;
  yes: Choice;
  no?: Choice;
}

export function troubleOf(): TroubleText | null {
  const words = text.trouble;
  const { link, snapshot, source, nodeStatus } = state;
  const home = { label: words.home, press: () => go(null) };
  const again = { label: words.retry, press: lookNow };
  if (link.kind === "home") return null;
  if (link.kind === "fault") return { title: words.linkTitle, words: words[link.fault], yes: home };
  const { address, chain } = link.table;
  const names = { address, chain: chainName(chain) };
  if (source?.kind === "none") {
    return {
      title: words.unknownTitle,
      words: fill(words.unknown, names),
      yes: { label: words.connect, press: () => openWallets() },
      no: home,
    };
  }
  if (nodeStatus === "wrongChain")
    return { title: words.wrongChainTitle, words: fill(words.wrongChain, names), yes: again, no: home };
  if (snapshot?.code === "none")
    return { title: words.noneTitle, words: fill(words.none, names), yes: again, no: home };
  if (snapshot?.code === "other") return { title: words.otherTitle, words: fill(words.other, names), yes: home };
  return null;
}
