// The links and the score from the events of a real node. Endpoints with limits, without old blocks and with lies are tested in
// Vitest.
import { readFrom, draws, expect, gameNumber, linkTo, movesIn, newTable, score, test } from "./support/fixtures.ts";

test("the moves link to their transactions, and the score counts the games between the two, with either mark", async ({
  page,
  host,
  sepolia,
}) => {
  const table = await newTable(sepolia);
  await readFrom(page, sepolia);
  const [x, o, other] = [sepolia.account(0), sepolia.account(1), sepolia.account(2)];
  await sepolia.play(table, o, x, [0, 3, 1, 4, 8, 5]);
  await sepolia.play(table, o, x, [0, 3, 1, 4, 2]);
  await sepolia.play(table, x, o, [0, 1, 2, 4, 3, 5, 7, 6, 8]);
  await sepolia.play(table, x, other, [0, 3, 1, 4, 2]);
  await sepolia.play(table, x, x, [0, 3, 1, 4, 2]);
  await sepolia.play(table, x, o, [0, 3]);
  await sepolia.newGame(table, x, o);
  const hashes = [await sepolia.move(table, x, 4), await sepolia.move(table, o, 0)];
  await page.goto(linkTo(host, sepolia, table));
  const links = movesIn(page).getByRole("link");
  await expect(links).toHaveCount(2);
  for (const [at, hash] of hashes.entries()) {
    await expect(links.nth(at)).toHaveAttribute("href", `https://sepolia.etherscan.io/tx/${hash}`);
    await expect(links.nth(at)).toHaveAttribute("rel", "noopener noreferrer");
  }
  await expect(links.nth(1)).toHaveAccessibleName("Top left: transaction of move 2");
  await expect(gameNumber(page)).toHaveText("Game 7");
  await expect(score(page)).toHaveText(["1", "1"]);
  await expect(draws(page)).toHaveText("Draws: 1");
  await sepolia.forfeit(table, x);
  await expect(score(page)).toHaveText(["1", "2"]);
});
