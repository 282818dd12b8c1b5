// People who play and watch, each in a browser of their own: on a real node as `npm run dev` starts it, and with what only the page's
// own buttons and dialogs can do. Every ending of a transaction is in Vitest.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ALICE, BEN, DECLINES, expect, fill, GAME, HOME, LINK, short, TABLE, test, text } from "./support/page.ts";
import type { Tab } from "./support/page.ts";

const { status } = text;

/** Two people play these cells by turns. */
async function playByTurns(tabs: readonly [Tab, Tab], cells: readonly number[]): Promise<void> {
  for (const [at, cell] of cells.entries()) {
    const tab = tabs[at % 2 === 0 ? 0 : 1];
    await expect(tab.title).toHaveText(status.yourTurn);
    await tab.cell(cell).click();
    await expect(tab.cell(cell)).toHaveAttribute("data-phase", "settled");
  }
}

test("npm run dev: two play on a real node, with a reload, a reorg and a rematch", async ({ tab: host, another }) => {
  // Without npm in between, so that the signal reaches it. With port 0, any free one.
  const root = fileURLToPath(new URL("..", import.meta.url));
  const dev = spawn("node", ["scripts/dev.mjs"], { cwd: root, env: { ...process.env, PORT: "0" } });
  const ended = new Promise((resolve) => dev.once("exit", resolve));
  let output = "";
  for (const stream of [dev.stdout, dev.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()));
  const printed = (label: string): string => RegExp(`${label}\\s+(\\S+)`).exec(output)?.[1] ?? "";
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const data = { jsonrpc: "2.0", id: 1, method, params };
    const answer = await host.page.request.post(printed("Local chain"), { data });
    return ((await answer.json()) as { result: unknown }).result;
  };
  try {
    await expect.poll(() => printed("The page"), { timeout: 30_000 }).toBeTruthy();
    await host.page.goto(printed("The page"));
    await expect(host.title).toHaveText(status.noGame, { timeout: 20_000 });
    await host.account.click();
    await host.button("Test player Anna").click();
    await expect(host.title).toHaveText(status.host);

    // The guest presses one button. What was wanted outlives the choice of a wallet.
    const [guest, watcher] = [await another(), await another()];
    await guest.open(await host.invitation.inputValue(), status.invited);
    await guest.button(text.invite.play).click();
    await guest.button("Test player Ben").click();
    await watcher.page.goto(printed("The page"));
    await expect(watcher.hint).toHaveText(status.watching);

    // The tab of the host says when it is the host's turn, and only then.
    await expect(host.title).toHaveText(status.theirTurn);
    await expect(host.hint).toHaveText(fill(status.theirTurnHint, { mark: "O" }));
    await expect(host.page).not.toHaveTitle(/●/);
    await playByTurns([guest, host], [0]);
    await expect(host.page).toHaveTitle(`● ${status.yourTurn} · ${text.title}`);

    // The chain takes two moves back.
    const before = await ask("evm_snapshot");
    await playByTurns([host, guest], [8, 7]);
    await host.expectBoard("x......xo");
    await ask("evm_revert", before);
    for (const { notice } of [guest, host])
      await expect(notice).toHaveText(fill(text.reorg.some, { moves: "2 moves" }));
    await playByTurns([host, guest], [3, 1]);
    await guest.page.reload();
    await guest.expectBoard("xx.o.....");
    await playByTurns([host, guest], [4, 2]);
    await expect(guest.title).toHaveText(status.youWin);
    await expect(host.title).toHaveText(status.youLose);
    await expect(watcher.title).toHaveText(fill(status.wins, { mark: "X" }));
    await expect(watcher.lines).toHaveCount(1);
    await expect(watcher.players).toContainText(fill(text.game.scoreLabel, { x: 1, o: 0, draws: 0 }));

    // Both press "Play again" before there is a block. One game starts, with the seats swapped, and nobody reads of an error.
    await ask("evm_setAutomine", false);
    for (const { button, title } of [host, guest]) {
      await button(text.game.rematch).click();
      await expect(title).toHaveText(status.sent);
      await expect(button(text.game.rematch)).toHaveCount(0);
    }
    await ask("evm_mine");
    await expect(host.title).toHaveText(status.yourTurn);
    await expect(watcher.players).toContainText("Game 2");
    await expect(watcher.score).toHaveText(["0", "1"]);
    for (const { notice } of [host, guest]) await expect(notice).toHaveCount(0);
  } finally {
    dev.kill("SIGTERM");
    await ended;
  }
});

test("a new game: who cannot play, both sides, and a warning", async ({ tab, page, node }) => {
  const wallet = await tab.sit(ALICE);
  await tab.open(LINK, status.host);
  await tab.button(text.invite.other).click();
  const input = page.getByLabel(text.newGame.opponent);
  for (const [typed, words] of [
    [`0x${"0".repeat(40)}`, text.reason["player is the zero address"]],
    [ALICE, text.newGame.yourself],
  ] as const) {
    await input.fill(typed);
    await expect(tab.problem).toHaveText("");
    await tab.button(text.newGame.begin).click();
    await expect(tab.problem).toHaveText(words);
    await expect(input).toBeFocused();
    await expect(input).toHaveAttribute("aria-invalid", "true");
  }

  // The contract refuses another contract, and the wallet is not asked.
  await input.fill(TABLE);
  await tab.button(text.newGame.begin).click();
  await expect(tab.notice).toHaveText(text.reason["player is a contract"]);
  expect(wallet.sent).toEqual([]);

  // Both sides, by one account.
  await tab.button(text.invite.other).click();
  await page.getByRole("radio", { name: text.newGame.seatBoth }).check();
  await expect(input).toBeHidden();
  await tab.button(text.newGame.begin).click();
  await expect(tab.title).toHaveText(fill(status.bothTurn, { mark: "X" }));

  await tab.button(text.game.newGame).click();
  await expect(tab.dialog).toContainText(fill(text.newGame.over, { x: short(ALICE), o: short(ALICE) }));
  await page.getByRole("radio", { name: "O", exact: true }).check();
  await input.fill(BEN);
  await tab.button(text.newGame.beginOver).click();
  await expect(tab.players).toContainText("Game 2");
  expect(node.game).toMatchObject({ x: BEN, o: ALICE });
});

test("what cannot be done says why, and a dialog ends no other game than it asks about", async ({ tab, node }) => {
  const wallet = await tab.openGame([4, 0], status.yourTurn);
  await tab.clickAnyway(0);
  await expect(tab.notice).toHaveText(text.reason["cell is taken"]);

  // Each dialog closes when another game starts.
  const giveUp = tab.button(text.game.forfeit);
  await giveUp.click();
  await tab.button(text.forfeit.no).click();
  await expect(giveUp).toBeFocused();
  for (const [number, asking] of [
    [2n, giveUp],
    [3n, tab.button(text.game.newGame)],
  ] as const) {
    await asking.click();
    node.mine({ ...GAME, number });
    await expect(tab.players).toContainText(`Game ${number}`);
    await expect(tab.dialog).toBeHidden();
    await expect(tab.notice).toHaveText(text.failure.overwritten);
    await tab.button(text.dismiss).click();
    await expect(tab.notice).toHaveCount(0);
  }
  await giveUp.click();
  await tab.inDialog(text.game.forfeit).click();
  await expect(tab.title).toHaveText(status.youLose);
  await expect(tab.hint).toHaveText(status.youGaveUp);
  await expect(tab.focusedCell).toHaveCount(1);
  await tab.clickAnyway(8);
  await expect(tab.notice).toHaveText(text.reason["no game in progress"]);
  expect(wallet.sent).toHaveLength(1);
});

test("a table is set up: free ones first, declined, slow, opened", async ({ tab, page, node }) => {
  const wallet = Object.assign(await tab.sit(ALICE), { chainId: 1, automine: false });
  const setUp = (chain: string) => tab.button(fill(text.home.deploy, { chain }));
  const network = page.getByLabel(text.home.chain, { exact: true });
  await page.clock.install();
  await tab.open(HOME, text.home.headline);
  await expect(tab.account).toHaveText(short(ALICE));
  // The wallet is on Ethereum, where coins have a price.
  await expect(tab.deploying.getByRole("link")).toHaveText(fill(text.chain.freeCoins, { chain: "Sepolia" }));
  await expect(setUp("Sepolia")).toBeVisible();
  await network.selectOption(fill(text.chain.realMoney, { label: "Ethereum" }));
  const label = fill(text.home.deploy, { chain: "Ethereum" });
  await expect(tab.button(fill(text.chain.realMoney, { label }))).toBeVisible();
  await expect(tab.deploying.getByRole("link")).toHaveCount(0);
  await network.selectOption(text.chain.local);
  wallet.overrides = DECLINES;
  await setUp(text.chain.local).click();
  await expect(tab.deploying.getByRole("alert")).toHaveText(text.failure.declined);
  wallet.overrides = {};
  await setUp(text.chain.local).click();
  // The offer to stop comes later, so that it is not under the pointer that has just pressed the button.
  await expect(tab.deploying).toContainText(text.home.deploySent);
  await expect(tab.button(status.stopWaiting)).toBeHidden();
  await page.clock.fastForward(30_000);
  await expect(tab.deploying).toContainText(status.slow);
  await tab.button(status.stopWaiting).click();
  await setUp(text.chain.local).click();
  await expect(tab.deploying).toContainText(text.home.deploySent);
  node.mine();
  await expect(tab.title).toHaveText(status.host);
  expect(page.url()).toMatch(/\?chain=31337&table=0x\w{40}$/);
});

test("practice is a game by the rules, without a request, and leads to a friend", async ({ tab, page }) => {
  await page.goto(HOME);
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const title = page.getByRole("status").getByRole("heading");
  await expect(title).toHaveText(text.home.practise);
  for (const cell of [0, 3, 1, 4, 0]) await tab.clickAnyway(cell);
  await expect(title).toHaveText(fill(status.bothTurn, { mark: "X" }));
  await tab.cell(2).click();
  await expect(title).toHaveText(fill(status.wins, { mark: "X" }));
  await tab.clickAnyway(8);
  await tab.expectBoard("xxxoo....");
  await expect(tab.lines).toHaveCount(1);
  await tab.button(text.game.rematch).press("Enter");
  await tab.expectBoard(".........");
  await expect(tab.focusedCell).toHaveCount(1);
  await tab.button(text.home.deployTitle).click();
  await expect(tab.button(fill(text.home.deploy, { chain: "Sepolia" }))).toBeFocused();
  expect(asked).toEqual([]);
});
