// Tables with names: their addresses, and their deployment. build.test.ts compares the addresses with the Python library's.
import { afterEach, expect, test } from "vitest";
import { BYTECODE } from "../../src/generated/bytecode.ts";
import { deployData, FACTORY, parseName, tableAddress } from "../../src/naming.ts";
import { BEN, CODE, FakeNode } from "./support/node.ts";
import { closeVisit, connect, openPage, serve, type Visit } from "./support/table.ts";

afterEach(closeVisit);

const NAMES = ["anna-and-ben", "a", "9", "a".repeat(32)];

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
  const opened: string[] = [];
  window.addEventListener("popstate", () => opened.push(location.search));
  node.mine();
  await visit.pass(3000);
  // It is open already.
  expect(opened).toEqual([]);
  const { link, pending, snapshot } = visit.page.state;
  expect([pending, snapshot?.code]).toEqual([null, "table"]);
  expect(link).toMatchObject({ table: { address: tableAddress("anna-and-ben"), name: "anna-and-ben" } });
  expect(visit.page.memory.recall.forAll("deploy")).toBeNull();
});

test("a wallet on another chain is asked to go to the link's chain first", async () => {
  const node = new FakeNode();
  serve(node);
  const visit = await openPage("?chain=31337&table=anna-and-ben");
  const wandering = new FakeNode(1);
  wandering.blocks = node.blocks;
  wandering.overrides["wallet_switchEthereumChain"] = ([wanted]) => {
    wandering.chainId = Number((wanted as { chainId: string }).chainId);
  };
  await connect(visit, wandering);
  const { link } = visit.page.state;
  if (link.kind !== "table") throw new Error("no table");
  void visit.page.transactions.deploy(link.table);
  for (let tries = 0; tries < 100 && wandering.sent.length === 0 && visit.page.state.notice === null; tries += 1) await visit.pass(20);
  expect([wandering.chainId, visit.page.state.notice]).toEqual([31_337, null]);
  expect(wandering.sent).toMatchObject([{ to: FACTORY, data: deployData("anna-and-ben", BYTECODE) }]);
});

test("a deployment of one name is not shown at another", async () => {
  const node = new FakeNode();
  node.automine = false;
  const { storages } = await settingUp(node);
  for (const search of ["?chain=31337&table=ben-and-anna", "?chain=1&table=anna-and-ben"]) {
    expect((await openPage(search, storages)).page.state.pending).toBeNull();
  }
});

test("from the start page a table with a name opens at the link with its name", async () => {
  const node = new FakeNode();
  node.automine = false;
  const { page, browser, pass } = await settingUp(node);
  browser.visit("");
  node.mine();
  await pass(3000);
  expect(page.state.link).toMatchObject({ table: { address: tableAddress("anna-and-ben"), name: "anna-and-ben" } });
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
