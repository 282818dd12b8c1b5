// Loads the language, and fills names into sentences.
import type { Reason } from "../failures.ts";
import { recall, remember } from "../memory.ts";
import { en } from "./en.ts";

type Shape<T> = T extends string ? string : { [K in keyof T]: Shape<T[K]> };
/** What a translation must contain. A reason of the contract without a sentence does not compile. */
export type Text = Shape<typeof en> & { reason: Record<Reason, string> };

const loaders: Record<string, () => Promise<Text>> = {
  en: async () => en,
  de: async () => (await import("./de.ts")).de,
};

export const languages: readonly { code: string; name: string }[] = [
  { code: "en", name: "English" },
  { code: "de", name: "Deutsch" },
];

export let text: Text = en;
export let language = "en";

/** The language that the player chose last, else the first of the browser's languages that the page has. */
function preferred(): string {
  const wanted = [recall.language(), ...navigator.languages].map((code) => code?.split("-")[0] ?? "");
  return wanted.find((code) => Object.hasOwn(loaders, code)) ?? "en";
}

export async function loadLanguage(chosen?: string): Promise<void> {
  const code = chosen ?? preferred();
  if (chosen !== undefined) remember.language(chosen);
  try {
    text = (await loaders[code]?.()) ?? en;
    language = code;
  } catch {
    // Offline, and this language was never loaded.
    text = en;
    language = "en";
  }
  const root = document.documentElement;
  root.lang = language;
  root.dir = ["ar", "fa", "he", "ur"].includes(language) ? "rtl" : "ltr";
}

export function fill(sentence: string, names: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (hole, name: string) => (Object.hasOwn(names, name) ? String(names[name]) : hole));
}

export function plural(forms: { one: string; other: string }, count: number): string {
  const form = new Intl.PluralRules(language).select(count) === "one" ? forms.one : forms.other;
  return fill(form, { count });
}
