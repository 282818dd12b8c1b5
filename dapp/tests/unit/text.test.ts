// The translation, and the style sheet's sides.
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { de } from "../../src/text/de.ts";
import { en } from "../../src/text/en.ts";
import { openBrowser } from "./support/browser.ts";

afterEach(() => {
  vi.doUnmock("../../src/text/de.ts");
  vi.doUnmock("../../src/text/en.ts");
  vi.unstubAllGlobals();
});

test.each([
  ["begins in English", ["de"], "de", "en"],
  ["begins in German", ["en"], "en", "de"],
  ["stays in English", ["en", "de"], "de", "en"],
])("without a language's file the page %s", async (_, wanted, missing, shown) => {
  openBrowser();
  vi.resetModules();
  vi.doMock(`../../src/text/${missing}.ts`, () => Promise.reject(new Error("offline")));
  const { language, loadLanguage, text } = await import("../../src/text/index.ts");
  for (const code of wanted) await loadLanguage(code);
  expect([language(), text.language]).toEqual([shown, shown === "de" ? de.language : en.language]);
});

test("a translation has the same sentences with the same {names}, and none in English", () => {
  const flat = (tree: object, path = ""): [string, string][] =>
    Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
      typeof value === "string" ? [[`${path}${key}`, value]] : flat(value as object, `${path}${key}.`),
    );
  const names = (sentence: string): string[] => (sentence.match(/\{\w+\}/g) ?? []).toSorted();
  const german = new Map(flat(de));
  const english = flat(en);
  expect([...german.keys()]).toEqual(english.map(([key]) => key));
  for (const [key, sentence] of english) expect([key, names(german.get(key) ?? "")]).toEqual([key, names(sentence)]);
  const same = english.filter(([key, sentence]) => german.get(key) === sentence).map(([key]) => key);
  // These have nothing but {names}, or the same word in both languages.
  expect(same).toEqual(["board.mark", "game.block", "address.explorer", "say.move", "say.turn"]);
});

test("no style uses left or right instead of start or end", () => {
  const folder = new URL("../../src/", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".css"));
  const styles = files
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("")
    .replaceAll(/\/\*.*?\*\//gs, "");
  const sided = (declaration: string): boolean => {
    const [name = "", value = ""] = declaration.split(/:\s*(.*)/s);
    if (/(^|-)(left|right)(-|$)/.test(name) || /^(width|height)$/.test(name)) return true;
    if (/^(float|clear|text-align|caption-side)$/.test(name)) return /\b(left|right)\b/.test(value);
    // Of four values the second is the right side, the fourth the left.
    const [, right, , left] = value.replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, "()").split(/\s+/);
    return /^(margin|padding|inset|border-(width|style|color))$/.test(name) && left !== undefined && left !== right;
  };
  const declarations = [...styles.matchAll(/[\w-]+:\s*[^;{}]+(?=;)/g)].map(([found]) => found);
  expect(declarations.length).toBeGreaterThan(300);
  expect(declarations.filter(sided)).toEqual([]);
  // The check finds them.
  expect(["margin-left: 1px", "padding: 1px 2px 3px 4px", "text-align: right", "left: 0"].every(sided)).toBe(true);
});
