// Loads the language, and fills names into sentences.
import { signal } from "@preact/signals";
import type { Reason } from "../failures.ts";
import { recall, remember } from "../memory.ts";
import type { en } from "./en.ts";

type Shape<T> = T extends string ? string : { [K in keyof T]: Shape<T[K]> };
/** What a translation must contain. A reason of the contract without a sentence does not compile. */
export type Text = Shape<typeof en> & { reason: Record<Reason, string> };

const LANGUAGES: Record<string, { name: string; load: () => Promise<Text> }> = {
  en: { name: "English", load: async () => (await import("./en.ts")).en },
  de: { name: "Deutsch", load: async () => (await import("./de.ts")).de },
};

export const languages = Object.entries(LANGUAGES).map(([code, { name }]) => ({ code, name }));

/** Without sentences until the first language is loaded. Nothing is drawn before. */
const chosen = signal({ code: "en", sentences: {} as Text });

/** The sentences in the language of the page. A component that shows one is drawn again when the language changes. */
export const text = new Proxy(chosen.peek().sentences, {
  get: (_, name) => Reflect.get(chosen.value.sentences, name) as unknown,
});
export const language = (): string => chosen.value.code;

/** The language that the player chose last, else the first of the browser's languages that the page has. */
function preferred(): string {
  const wanted = [recall.language(), ...navigator.languages].map((code) => code?.split("-")[0] ?? "");
  return wanted.find((code) => Object.hasOwn(LANGUAGES, code)) ?? "en";
}

export async function loadLanguage(code = preferred()): Promise<void> {
  // Offline, a language that was never loaded is missing. Then the page takes the first one that it can load.
  for (const each of [code, ...Object.keys(LANGUAGES)]) {
    const sentences = await LANGUAGES[each]?.load().catch(() => null);
    if (!sentences) continue;
    chosen.value = { code: each, sentences };
    break;
  }
  const root = document.documentElement;
  root.lang = language();
  root.dir = ["ar", "fa", "he", "ur"].includes(language()) ? "rtl" : "ltr";
}

export async function chooseLanguage(code: string): Promise<void> {
  remember.language(code);
  await loadLanguage(code);
}

export function fill(sentence: string, names: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (hole, name: string) =>
    Object.hasOwn(names, name) ? String(names[name]) : hole,
  );
}

export function plural(forms: { one: string; other: string }, count: number): string {
  const form = new Intl.PluralRules(language()).select(count) === "one" ? forms.one : forms.other;
  return fill(form, { count });
}
