// Which event ends which notice.
import { afterEach, expect, test } from "vitest";
import type { Notice } from "../../src/state.ts";
import { BEN, FakeNode, GAME } from "./support/node.ts";
import { closeVisit, connect, linkTo, openPage, openTable } from "./support/table.ts";

afterEach(closeVisit);

const DECLINED: Notice = { kind: "failure", failure: { kind: "declined" } };
const REORG: Notice = { kind: "reorg", moves: 1 };

test("a notice ends with the next move, and with no other event", async () => {
  for (const notice of [DECLINED, REORG, { kind: "notCopied" }] as const) {
    const node = new FakeNode();
    const { page, pass } = await openTable(node, GAME);
    page.change({ notice });
    node.mine();
    await pass(1000);
    const { connection } = page.state;
    page.change({ connection: connection && { ...connection, accounts: [BEN] } });
    node.mine({ number: 2n });
    await pass(120_000);
    expect(page.state.notice).toBe(notice);
    node.mine({ moves: [4] });
    await pass(1000);
    expect(page.state.notice).toBeNull();
    closeVisit();
  }
});

test("one about a copied link ends by itself, and does not end a later one", async () => {
  const node = new FakeNode();
  node.mine(GAME);
  const visit = await openPage(linkTo(node.chainId));
  visit.page.change({ notice: { kind: "copied" } });
  await visit.pass(7900);
  expect(visit.page.state.notice).not.toBeNull();
  await visit.pass(200);
  expect(visit.page.state.notice).toBeNull();
  visit.page.change({ notice: { kind: "copied" } });
  await visit.pass(5000);
  visit.page.change({ notice: REORG });
  // Nor does the first board.
  await connect(visit, node);
  await visit.pass(10_000);
  expect(visit.page.state.notice).toBe(REORG);
});
