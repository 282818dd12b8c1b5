// Which event ends which notice.
import { afterEach, expect, test } from "vitest";
import type { Failure } from "../../src/failures.ts";
import type { Notice } from "../../src/state.ts";
import { BEN, FakeNode, GAME } from "./support/node.ts";
import { closeVisit, connect, linkTo, openPage, openTable, walletOf } from "./support/table.ts";

afterEach(closeVisit);

const failure = (kind: string, more: object = {}): Notice => ({
  kind: "failure",
  failure: { kind, ...more } as Failure,
});
const reason = (words: string): Notice => failure("reason", { reason: words });

/** Another account, another chain, another wallet, and none. */
const WALLET = "account chain wallet disconnect";

test.each<[string, Notice, string]>([
  ["a copied link", { kind: "copied" }, "time"],
  ["a link that was not copied", { kind: "notCopied" }, ""],
  ["a reorg", { kind: "reorg", moves: 1 }, "move game"],
  ["a first game", failure("begun"), "move"],
  ["a game that was replaced", failure("overwritten"), "move"],
  ["another move", failure("taken"), "move"],
  ["the wrong game", reason("not the current game"), "move"],
  ["the wrong turn", reason("not your turn"), "move game"],
  ["another contract", failure("notTable"), ""],
  ["a decline", failure("declined"), `move game ${WALLET}`],
  ["no money", failure("funds"), `move game ${WALLET}`],
])("the notice of %s ends in time", async (_, notice, expected) => {
  const ends: string[] = [];
  for (const event of ["block", "move", "game", "account", "chain", "wallet", "disconnect", "time"]) {
    const node = new FakeNode();
    const { page, pass } = await openTable(node, GAME);
    page.change({ notice });
    await pass(100);
    expect(page.state.notice).toBe(notice);
    if (event === "block") node.mine();
    if (event === "move") node.mine({ moves: [4] });
    if (event === "game") node.mine({ number: 2n });
    const { connection } = page.state;
    if (connection === null) throw new Error("no wallet");
    if (event === "account") page.change({ connection: { ...connection, accounts: [BEN] } });
    if (event === "chain") page.change({ connection: { ...connection, chain: 1 } });
    if (event === "wallet") page.change({ connection: { ...connection, wallet: walletOf(node, "Another") } });
    if (event === "disconnect") page.change({ connection: null });
    await pass(event === "time" ? 120_000 : 1000);
    if (page.state.notice === null) ends.push(event);
    closeVisit();
  }
  expect(ends.join(" ")).toBe(expected);
});

test("the first board and the first wallet end no notice, and a later notice is not ended for an earlier one", async () => {
  const node = new FakeNode();
  node.mine(GAME);
  const visit = await openPage(linkTo(node.chainId));
  const reorg: Notice = { kind: "reorg", moves: 1 };
  visit.page.change({ notice: { kind: "copied" } });
  await visit.pass(5000);
  visit.page.change({ notice: reorg });
  await connect(visit, node);
  expect(visit.page.state.snapshot?.game?.number).toBe(1n);
  await visit.pass(10_000);
  expect(visit.page.state.notice).toBe(reorg);
});
