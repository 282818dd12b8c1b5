// Which event ends which notice.
import { afterEach, expect, test } from "vitest";
import type { Failure } from "../../src/failures.ts";
import type { Notice } from "../../src/state.ts";
import { BEN, FakeNode, GAME } from "./support/node.ts";
import { closeVisit, openTable } from "./support/table.ts";

afterEach(closeVisit);

const failure = (kind: string, more: object = {}): Notice => ({ kind: "failure", failure: { kind, ...more } as Failure });
const reason = (words: string): Notice => failure("reason", { reason: words });

test.each<[string, Notice, string]>([
  ["a copied link", { kind: "copied" }, "time"],
  ["a link that was not copied", { kind: "notCopied" }, ""],
  ["a reorg", { kind: "reorg", moves: 1 }, "move game"],
  ["another game", failure("started", { by: "opponent", walletAsks: false }), "move"],
  ["a first game", failure("begun"), "move"],
  ["a game that was replaced", failure("overwritten"), "move"],
  ["another move", failure("taken"), "move"],
  ["the wrong game", reason("not the current game"), "move"],
  ["the wrong turn", reason("not your turn"), "move game"],
  ["another contract", failure("notTable"), ""],
  ["a decline", failure("declined"), "move game wallet"],
  ["no money", failure("funds"), "move game wallet"],
])("the notice of %s ends in time", async (_, notice, expected) => {
  const ends: string[] = [];
  for (const event of ["move", "game", "wallet", "time"]) {
    const node = new FakeNode();
    const { page, pass } = await openTable(node, GAME);
    page.change({ notice });
    await pass(100);
    expect(page.state.notice).toBe(notice);
    if (event === "move") node.mine({ moves: [4] });
    else if (event === "game") node.mine({ number: 2n });
    else if (event === "wallet" && page.state.connection) page.change({ connection: { ...page.state.connection, accounts: [BEN] } });
    await pass(event === "time" ? 120_000 : 1000);
    if (page.state.notice === null) ends.push(event);
    closeVisit();
  }
  expect(ends.join(" ")).toBe(expected);
});
