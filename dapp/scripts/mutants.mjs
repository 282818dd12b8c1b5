// Changes the page's logic in every small way that Stryker knows, and runs the unit tests on each change. Stores every verdict in
// tests/mutants.json, with the totals. Arguments are modules; without any it takes all of stryker.config.json.
// `--check` only recomputes the totals from the stored verdicts.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const dapp = fileURLToPath(new URL("..", import.meta.url));
const path = join(dapp, "tests", "mutants.json");
const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const stored = existsSync(path) ? read(path) : { totals: totalsOf({}), verdicts: {} };

/** How many mutants the tests noticed, by module. A mutant that never ends is noticed, too. */
function totalsOf(verdicts) {
  const modules = Object.entries(verdicts).map(([name, lines]) => [name, lines.length, lines.filter((line) => /^(Killed|Timeout) /.test(line)).length]);
  const sum = (column) => modules.reduce((total, row) => total + row[column], 0);
  const line = (all, noticed) => `${noticed} of ${all} (${Math.floor((100 * noticed) / Math.max(1, all))} %)`;
  return { all: line(sum(1), sum(2)), ...Object.fromEntries(modules.map(([name, all, noticed]) => [name, line(all, noticed)])) };
}

/** One line per mutant: its verdict, where it is, what it replaces and by what. */
function verdictsOf({ source, mutants }) {
  const lines = source.split("\n");
  const place = ({ location: { start } }) => start.line * 1000 + start.column;
  const shorten = (code) => code.trim().replace(/\s+/g, " ").slice(0, 70);
  return mutants
    .filter(({ status }) => status !== "Ignored")
    .toSorted((a, b) => place(a) - place(b))
    .map(({ location: { start, end }, replacement = "", status }) => {
      const before = lines[start.line - 1].slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined);
      return `${status} ${start.line}:${start.column} ${shorten(before)} -> ${shorten(replacement)}`;
    });
}

const [first, ...rest] = process.argv.slice(2);
if (first === "--check") {
  const same = JSON.stringify(totalsOf(stored.verdicts)) === JSON.stringify(stored.totals);
  if (!same) console.error("tests/mutants.json: the totals are not those of the verdicts");
  process.exit(same ? 0 : 1);
}

const chosen = first === undefined ? [] : ["--mutate", [first, ...rest].join(",")];
const { status } = spawnSync("npx", ["stryker", "run", ...chosen], { cwd: dapp, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
const found = Object.entries(read(join(dapp, "results", "mutants.json")).files).map(([name, file]) => [name, verdictsOf(file)]);
const all = Object.entries({ ...stored.verdicts, ...Object.fromEntries(found) });
const verdicts = Object.fromEntries(all.filter(([name]) => existsSync(join(dapp, name))).toSorted());
writeFileSync(path, `${JSON.stringify({ totals: totalsOf(verdicts), verdicts }, null, 1)}\n`);
