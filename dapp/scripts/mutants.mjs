// Changes the page's logic in every small way that Stryker knows, and runs the unit tests on each change. Arguments are modules,
// such as `follower`; without any it takes all. It stores every verdict in tests/mutants.json and writes docs/page-mutants.md
// from the verdicts and from tests/mutants.reasons.json.
// `--again` before the modules runs only the lines on which a change was not noticed, and stores what the tests notice by now.
// `--page` only writes that page. `--check` fails when the page differs from the stored verdicts, or they are about other code.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const dapp = fileURLToPath(new URL("..", import.meta.url));
const STORE = join(dapp, "tests", "mutants.json");
const REASONS = join(dapp, "tests", "mutants.reasons.json");
const PAGE = join(dapp, "..", "docs", "page-mutants.md");
/** The modules, and the tests that judge each. */
const MODULES = {
  answers: ["provider", "follower", "wallets"],
  calls: ["transactions", "follower", "next", "naming", "player"],
  events: ["events", "next"],
  failures: ["failures", "transactions", "wallets"],
  follower: ["follower"],
  history: ["events", "session"],
  kept: ["transactions", "naming"],
  link: ["link", "transactions"],
  memory: ["memory", "source", "transactions"],
  naming: ["naming"],
  notices: ["notices", "session"],
  outcome: ["transactions", "next"],
  pending: ["transactions", "next", "naming"],
  player: ["player", "next"],
  provider: ["provider", "endpoints"],
  rules: ["rules", "follower"],
  session: ["session", "source", "events", "transactions", "wallets"],
  source: ["source", "endpoints", "session", "transactions"],
  transactions: ["transactions", "next", "wallets", "naming"],
  wallets: ["wallets", "transactions"],
  words: ["session", "transactions", "wallets", "drawn", "next"],
};
/** The verdicts of a module are out of date when more of them than this are about lines that it no longer has. */
const MOST_CHANGED = 0.1;

const readJson = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {});

// Verdicts are stored by module and line, each as its status and what it replaces by what.
const split = (verdict) => [verdict.slice(0, verdict.indexOf(" ")), verdict.slice(verdict.indexOf(" ") + 1)];
const verdictsOf = (lines) => Object.entries(lines).flatMap(([line, verdicts]) => verdicts.map((verdict) => [line, ...split(verdict)]));
/** By a test that fails or does not end, or by an error that no test expects. */
const isNoticed = ([, status]) => ["Killed", "Timeout", "RuntimeError"].includes(status);

/** The verdicts in Stryker's report on a module. */
function linesOf({ source, mutants }) {
  const text = source.split("\n");
  const place = ({ location: { start } }) => start.line * 1000 + start.column;
  const shorten = (code) => code.trim().replace(/\s+/g, " ").slice(0, 70);
  const found = {};
  for (const { location, replacement = "", status } of mutants.toSorted((a, b) => place(a) - place(b))) {
    const { start, end } = location;
    if (status === "Ignored") continue;
    const line = text[start.line - 1];
    const before = line.slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined);
    (found[line.trim()] ??= []).push(`${status} ${shorten(before)} -> ${shorten(replacement)}`);
  }
  return found;
}

/**
 * The lines of a module on which a change was not noticed, as Stryker takes them. On a busy machine a test may end too late, so a
 * timeout is tried again, too.
 */
function survivedLines(module, stored) {
  const lines = readFileSync(join(dapp, module), "utf8").split("\n");
  const isCertain = (verdict) => isNoticed(verdict) && verdict[1] !== "Timeout";
  const survived = new Set(verdictsOf(stored).flatMap((verdict) => (isCertain(verdict) ? [] : [verdict[0]])));
  const endOf = (line, at) => {
    // A block, to the line that closes it.
    if (!stored[line.trim()].some((verdict) => split(verdict)[1] === "{ -> {}")) return at;
    return lines.findIndex((next, below) => below > at && next.startsWith(`${/^ */.exec(line)[0]}}`));
  };
  return lines.flatMap((line, at) => (survived.has(line.trim()) ? [`${module}:${at + 1}-${endOf(line, at) + 1}`] : []));
}

/** The stored verdicts with the new ones in their places. A change that was not made again, such as one of a whole block, keeps its verdict. */
function merge(stored, again) {
  const merged = structuredClone(stored);
  for (const [line, verdicts] of Object.entries(again)) {
    for (const change of new Set(verdicts.map((verdict) => split(verdict)[1]))) {
      const isSame = (verdict) => split(verdict)[1] === change;
      const [before, now] = [(merged[line] ?? []).filter(isSame), verdicts.filter(isSame)];
      if (before.length === now.length) merged[line] = merged[line].map((verdict) => (isSame(verdict) ? now.shift() : verdict));
    }
  }
  return merged;
}

const code = (text) => `\`\` ${text.replaceAll("|", "\\|")} \`\``;

function page(stored, reasons) {
  const counts = Object.entries(stored).map(([name, lines]) => {
    const verdicts = verdictsOf(lines);
    return [name, verdicts.length, verdicts.filter(isNoticed).length];
  });
  const sum = (column) => counts.reduce((total, row) => total + row[column], 0);
  const row = ([name, all, noticed]) => `| ${name} | ${all} | ${noticed} | ${all - noticed} | ${Math.floor((100 * noticed) / Math.max(1, all))} % |`;
  const survivors = Object.entries(stored).flatMap(([name, lines]) =>
    verdictsOf(lines)
      .filter((verdict) => !isNoticed(verdict))
      .map(([line, , change]) => `| ${name.slice(4)} | ${code(line)} | ${code(change)} | ${reasons[name]?.[line]?.[change] ?? "no test yet"} |`),
  );
  return `# Mutants of the page

Written by \`npm run mutants\` in \`dapp\`. It makes every change that [Stryker](https://stryker-mutator.io) knows to the page's logic, and
runs the tests in \`dapp/tests/unit\` on it. What a module does while it is loaded is left out. The verdicts are in
[\`mutants.json\`](../dapp/tests/mutants.json). A unit test counts them again, and fails when more than a tenth of a module's verdicts
are about lines that have changed since.

| module | changes | noticed | not noticed | |
| --- | --: | --: | --: | --: |
${counts.map(row).join("\n")}
${row(["all", sum(1), sum(2)])}

What is not noticed:

| where | line | change | why |
| --- | --- | --- | --- |
${survivors.join("\n")}
`;
}

/** What is wrong with the stored verdicts. */
function* faults(stored, reasons) {
  if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page(stored, reasons)) yield "docs/page-mutants.md differs from the stored verdicts";
  for (const [name, lines] of Object.entries(stored)) {
    const path = join(dapp, name);
    const present = new Set(existsSync(path) ? readFileSync(path, "utf8").split("\n").map((line) => line.trim()) : []);
    const verdicts = verdictsOf(lines);
    const changed = verdicts.filter(([line]) => !present.has(line)).length;
    if (changed > MOST_CHANGED * verdicts.length) yield `${changed} of ${verdicts.length} verdicts are about lines that ${name} no longer has: npm run mutants ${name.slice(4, -3)}`;
  }
  for (const [name, lines] of Object.entries(reasons)) {
    const survivors = new Set(verdictsOf(stored[name] ?? {}).flatMap((verdict) => (isNoticed(verdict) ? [] : [`${verdict[0]} ${verdict[2]}`])));
    for (const [line, changes] of Object.entries(lines)) {
      for (const change of Object.keys(changes)) if (!survivors.has(`${line} ${change}`)) yield `${name}: a reason for what is noticed: ${line}: ${change}`;
    }
  }
}

const given = process.argv.slice(2);
if (given[0] === "--check") {
  const found = [...faults(readJson(STORE), readJson(REASONS))];
  for (const fault of found) console.error(fault);
  process.exit(found.length === 0 ? 0 : 1);
}
const writePage = () => writeFileSync(PAGE, page(readJson(STORE), readJson(REASONS)));
if (given[0] === "--page") process.exit(writePage());
const isAgain = given[0] === "--again";
const names = isAgain ? given.slice(1) : given;
for (const name of names.length === 0 ? Object.keys(MODULES) : names) {
  const module = `src/${name}.ts`;
  const before = readJson(STORE)[module] ?? {};
  const mutate = isAgain ? survivedLines(module, before) : [module];
  if (mutate.length === 0) continue;
  const TESTS = MODULES[name].map((test) => `tests/unit/${test}.test.ts`).join();
  const { status } = spawnSync("npx", ["stryker", "run", "--mutate", mutate.join()], { cwd: dapp, stdio: "inherit", env: { ...process.env, TESTS } });
  if (status !== 0) process.exit(status ?? 1);
  const found = linesOf(readJson(join(dapp, "results", "mutants.json")).files[module]);
  const verdicts = isAgain ? merge(before, found) : found;
  const stored = Object.fromEntries(Object.entries({ ...readJson(STORE), [module]: verdicts }).toSorted());
  writeFileSync(STORE, `${JSON.stringify(stored, null, 1)}\n`);
  writePage();
}
for (const fault of faults(readJson(STORE), readJson(REASONS))) console.error(fault);
