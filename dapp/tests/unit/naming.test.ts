// Tables with names: the page and the Python library derive the same addresses, each from its own build of the contract.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { keccak256 } from "viem/utils";
import { afterEach, expect, test } from "vitest";
import { BYTECODE } from "../../src/generated/bytecode.ts";
import { deployData, FACTORY, FACTORY_HASH, parseName, tableAddress } from "../../src/naming.ts";
import { BEN, CODE, FACTORY_CODE, FakeNode } from "./support/node.ts";
import { closeVisit, connect, openPage, type Visit } from "./support/table.ts";

afterEach(closeVisit);

const NAMES = ["anna-and-ben", "a", "9", "a".repeat(32)];

const SCRIPT = `
import json, sys
from tictactoe import naming, table_address
addresses = [table_address(name) for name in sys.argv[1:]]
print(json.dumps({"factory": naming.FACTORY, "code": "0x" + naming.FACTORY_CODE.hex(), "addresses": addresses, "salt": naming.salt(sys.argv[1]).hex()}))
`;

function library(): { factory: string; code: `0x${string}`; addresses: string[]; salt: string } {
  // VYPER names the compiler of an active environment: its Python has the library, too.
  const [program = "", ...before] = process.env["VYPER"] === undefined ? ["uv", "run", "python"] : ["python"];
  const cwd = fileURLToPath(new URL("../../..", import.meta.url));
  const output = execFileSync(program, [...before, "-c", SCRIPT, ...NAMES], { cwd, encoding: "utf8" });
  // Ape may say first that it compiles the contract.
  return JSON.parse(output.trim().split("\n").at(-1) ?? "");
}

test("a name gives the address that the Python library gives", { timeout: 60_000 }, () => {
  const { factory, code, addresses, salt } = library();
  expect(NAMES.map(tableAddress)).toEqual(addresses);
  expect(new Set(addresses).size).toBe(NAMES.length);
  expect([FACTORY, FACTORY_HASH, FACTORY_CODE]).toEqual([factory, keccak256(code), code]);
  expect(deployData("anna-and-ben", BYTECODE)).toBe(`0x${salt}${BYTECODE.slice(2)}`);
});

test("a name has letters and digits, and single hyphens between them", () => {
  for (const text of NAMES) expect(parseName(` ${text.toUpperCase()}\n`)).toBe(text);
  for (const text of ["", "-", "a-", "-a", "a--b", "a b", "a_b", "ä", "anna.eth", "0x1", "0Xa", "a".repeat(33)]) expect(parseName(text)).toBeNull();
});

/** At the link of a table with a name that is not deployed, after "Set up". */
async function settingUp(node: FakeNode, chain = node.chainId): Promise<Visit> {
  const visit = await openPage(`?chain=${chain}&table=anna-and-ben`);
  await connect(visit, node);
  const { link, snapshot } = visit.page.state;
  if (link.kind !== "table") throw new Error("no table");
  expect(snapshot?.code).toBe("none");
  void visit.page.transactions.deploy(link.table);
  // The code of the table is loaded first.
  for (let tries = 0; tries < 100 && node.sent.length === 0 && visit.page.state.notice === null; tries += 1) await visit.pass(20);
  return visit;
}

test("a table with a name is deployed through the factory, and opens at its link, also after a reload", async () => {
  const node = new FakeNode();
  node.automine = false;
  const { storages } = await settingUp(node);
  expect(node.sent).toMatchObject([{ to: FACTORY, data: deployData("anna-and-ben", BYTECODE) }]);
  const visit = await openPage("?chain=31337&table=anna-and-ben", storages);
  await connect(visit, node);
  expect(visit.page.state.pending).toMatchObject({ phase: "sent", action: { kind: "deploy", name: "anna-and-ben" } });
  node.mine();
  await visit.pass(3000);
  const { link, pending, snapshot } = visit.page.state;
  expect([pending, snapshot?.code]).toEqual([null, "table"]);
  expect(link).toMatchObject({ table: { address: tableAddress("anna-and-ben"), name: "anna-and-ben" } });
  expect(visit.page.memory.recall.forAll("deploy")).toBeNull();
});

test("a deployment of one name is not shown at another", async () => {
  const node = new FakeNode();
  node.automine = false;
  const { storages } = await settingUp(node);
  const visit = await openPage("?chain=31337&table=ben-and-anna", storages);
  await connect(visit, node);
  expect(visit.page.state.pending).toBeNull();
});

test("a name that somebody else has set up first opens all the same", async () => {
  const node = new FakeNode();
  node.automine = false;
  const { page, pass } = await settingUp(node);
  for (const own of node.sent) node.pool.unshift({ ...own, from: BEN, hash: `0x${"77".repeat(32)}` });
  node.mine();
  await pass(3000);
  expect(node.head.code.get(tableAddress("anna-and-ben"))).toBe(CODE);
  expect([page.state.pending, page.state.notice, page.state.snapshot?.code]).toEqual([null, null, "table"]);
});

test.each<[string, `0x${string}` | null]>([
  ["no code", null],
  ["other code", "0x00"],
])("where the factory has %s, nothing is sent", async (_, code) => {
  const node = new FakeNode();
  node.head.code = new Map(code === null ? [] : [[FACTORY, code]]);
  const { page } = await settingUp(node);
  expect(page.state.notice).toEqual({ kind: "failure", failure: { kind: "noFactory" } });
  expect(node.sent).toEqual([]);
});
