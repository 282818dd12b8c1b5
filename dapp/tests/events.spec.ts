// The links and the score from the events of a real node. Endpoints with limits, without old blocks and with lies are tested in
// Vitest.
import { Anvil, expect, linkTo, allow, test, movesIn, score } from "./support/fixtures.ts";

test("the moves link to their transactions, and the score is there", async ({ page, host }) => {
  // A chain with an explorer.
  const node = await Anvil.start(11_155_111);
  const table = await node.deploy();
  await allow(page, node);
  const [x, o] = [node.account(0), node.account(1)];
  await node.play(table, x, o, [0, 3, 1, 4, 2]);
  await node.newGame(table, x, o);
  const hashes = [await node.move(table, x, 4), await node.move(table, o, 0)];
  await page.goto(linkTo(host, node, table));
  const links = movesIn(page).getByRole("link");
  await expect(links).toHaveCount(2);
  for (const [at, hash] of hashes.entries()) await expect(links.nth(at)).toHaveAttribute("href", new RegExp(`${hash}$`));
  await expect(score(page)).toHaveText(["1", "0"]);
  await node.forfeit(table, x);
  await expect(score(page)).toHaveText(["1", "1"]);
  await node.down();
});
