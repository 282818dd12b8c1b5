// Why a link opens no table, and what to do about it.
import { PRACTICE_CHAIN } from "../chains.ts";
import { go } from "../link.ts";
import { lookNow, practise } from "../session.ts";
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
  const { link, snapshot, source, nodeStatus, practice } = state;
  const home = { label: words.home, press: () => go(null) };
  const again = { label: words.retry, press: lookNow };
  if (link.kind === "home") return null;
  if (link.kind === "fault") return { title: words.linkTitle, words: words[link.fault], yes: home };
  const { address, chain } = link.table;
  const names = { address, chain: chainName(chain) };
  if (practice === "failed" && chain === PRACTICE_CHAIN) {
    return {
      title: words.practiceTitle,
      words: words.practice,
      yes: { label: words.retry, press: practise },
      no: home,
    };
  }
  if (source?.kind === "none" && !(practice === "loading" && chain === PRACTICE_CHAIN)) {
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
