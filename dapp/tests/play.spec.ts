// People who play and watch, each in a browser of their own, on a real node. Every other ending of a transaction is in Vitest.
import { ANNA, BEN, CARLA, expect, fill, plural, short, type Tab, test, text } from "./support/page.ts";

const DRAWN = [0, 1, 2, 4, 3, 5, 7, 6, 8];
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

test("three games by an invitation, with a reload, an outage and a reorg", async ({
  tab: host,
  another,
  node,
  table,
}) => {
  const wallet = await host.sit(ANNA);
  await host.goto(table.link);
  await expect(host.title).toHaveText(status.host);
  const invitation = await host.invitation.inputValue();
  expect(invitation).toBe(`${table.link}&with=${ANNA}`);

  // The guest presses one button. What was wanted outlives the choice of a wallet.
  const [guest, watcher] = [await another(), await another()];
  const guestWallet = await guest.install({ account: BEN });
  await Promise.all([guest.goto(invitation), watcher.goto(table.link)]);
  await expect(guest.title).toHaveText(status.invited);
  await guest.button(text.invite.play).click();
  await guest.button("Test wallet").click();
  await expect(guest.title).toHaveText(status.yourTurn);
  expect(await table.game()).toMatchObject({ gameId: 1n, playerX: BEN, playerO: ANNA });
  await expect(watcher.hint).toHaveText(status.watching);

  // The tab of the host says when it is the host's turn, and only then. The guest reloads, and wins.
  await expect(host.title).toHaveText(status.theirTurn);
  await expect(host.hint).toHaveText(fill(status.theirTurnHint, { mark: "O" }));
  await expect(host.page).not.toHaveTitle(/●/);
  await playByTurns([guest, host], [0]);
  await expect(host.page).toHaveTitle(`● ${status.yourTurn} · ${text.title}`);
  await playByTurns([host, guest], [3, 1]);
  await guest.page.reload();
  await guest.expectBoard("xx.o.....");
  await playByTurns([host, guest], [4, 2]);
  await expect(guest.title).toHaveText(status.youWin);
  await expect(host.title).toHaveText(status.youLose);
  await expect(watcher.title).toHaveText(fill(status.wins, { mark: "X" }));
  await expect(watcher.lines).toHaveCount(1);

  // Both press "Play again" before there is a block. One game starts, with the seats swapped, and nobody reads of an error.
  await node.automine(false);
  for (const each of [host, guest]) {
    await each.button(text.game.rematch).click();
    await expect(each.title).toHaveText(status.sent);
  }
  await node.mine();
  await expect(host.title).toHaveText(status.yourTurn);
  const ends = await Promise.all([wallet, guestWallet].map(({ sent }) => node.receipt(sent.at(-1))));
  expect(ends.map((receipt) => receipt.status).toSorted()).toEqual(["0x0", "0x1"]);
  expect(await table.game()).toMatchObject({ gameId: 2n, playerX: ANNA, playerO: BEN });
  for (const each of [host, guest]) await expect(each.notice).toHaveCount(0);
  await expect(watcher.score).toHaveText(["0", "1"]);
  await node.automine(true);

  // The host's wallet loses its node for a while.
  await playByTurns([host, guest], [0, 3]);
  await host.expectBoard("x..o.....");
  wallet.isCut = true;
  await expect(host.notice).toHaveText(text.game.nodeLost);
  await expect(host.alerted).toHaveText(text.game.nodeLost);
  wallet.isCut = false;
  await expect(host.notice).toHaveCount(0);
  await expect(host.said).toContainText(text.say.nodeBack);
  await playByTurns([host, guest], [1, 4, 2]);
  await expect(host.title).toHaveText(status.youWin);

  // The chain takes two moves of the third game back. They are played again, and the game is drawn.
  await guest.button(text.game.rematch).click();
  await playByTurns([guest, host], [0, 1]);
  const before = await node.rpc("evm_snapshot");
  await playByTurns([guest, host], [8, 4]);
  for (const each of [guest, host]) await each.expectBoard("xo..o...x");
  await node.rpc("evm_revert", before);
  const moves = plural(text.reorg.moves, 2);
  for (const each of [guest, host]) await expect(each.notice).toHaveText(fill(text.reorg.some, { moves }));
  await playByTurns([guest, host], DRAWN.slice(2));
  for (const each of [guest, host, watcher]) await expect(each.title).toHaveText(status.draw);
  await expect(watcher.players).toContainText(fill(text.game.scoreLabel, { x: 1, o: 1, draws: 1 }));

  // Every transaction named its game, and the wallet was asked to sign nothing else.
  expect(wallet.calls(table, ANNA)).toEqual([
    ["makeMove", 1, 0, 1n],
    ["makeMove", 1, 1, 1n],
    ["newGame", ANNA, BEN, 1n],
    ...[0, 1, 2].map((column) => ["makeMove", 0, column, 2n]),
    ...[1, 4, 4, 5, 6].map((cell) => ["makeMove", Math.floor(cell / 3), cell % 3, 3n]),
  ]);
  expect(wallet.asked.filter(({ method }) => /sign|raw|grant|permit|wallet_/i.test(method))).toEqual([]);
});

test("a move from its press to its block, what cannot be done, and giving up", async ({ tab, page, node, table }) => {
  const wallet = await tab.sit(ANNA);
  await table.newGame(ANNA, BEN);
  await tab.goto(table.link);
  await expect(tab.title).toHaveText(status.yourTurn);
  const confirm = wallet.wait();
  await node.automine(false);
  await tab.cell(4).click();
  await expect(tab.cell(4)).toHaveAttribute("data-phase", "asking");
  await expect(tab.cell(4)).toHaveAccessibleName("Centre, X, not in a block yet");
  await expect(tab.title).toHaveText(status.asking);
  confirm();
  await expect(tab.cell(4)).toHaveAttribute("data-phase", "sent");
  await expect(tab.button(text.game.newGame)).toBeDisabled();
  await node.mine();
  await tab.expectBoard("....x....");
  await expect(tab.button(text.game.forfeit)).toHaveCount(0);

  // A notice goes when the game goes on.
  await tab.clickAnyway(0);
  await expect(tab.notice).toHaveText(text.reason["not your turn"]);
  await node.automine(true);
  await table.move(BEN, 0);
  await expect(tab.notice).toHaveCount(0);
  await tab.clickAnyway(0);
  await expect(tab.notice).toHaveText(text.reason["cell is taken"]);

  // An account without coins reads it before the press, and a real node's refusal after it.
  const balance = await node.rpc("eth_getBalance", ANNA, "latest");
  await node.rpc("anvil_setBalance", ANNA, "0x0");
  await page.reload();
  await expect(page.getByText(fill(text.chain.noCoins, { chain: text.chain.local }))).toBeVisible();
  await tab.cell(8).click();
  await expect(tab.notice).toHaveText(text.failure.funds);
  await node.rpc("anvil_setBalance", ANNA, balance);

  // The dialog for giving up asks about one game. It never ends the next one.
  const giveUp = tab.button(text.game.forfeit);
  await giveUp.click();
  await tab.button(text.forfeit.no).click();
  await expect(giveUp).toBeFocused();
  await giveUp.click();
  await table.newGame(ANNA, BEN, BEN);
  await expect(tab.players).toContainText("Game 2");
  await expect(tab.dialog).toBeHidden();
  await expect(tab.notice).toHaveText(text.failure.overwritten);
  await giveUp.click();
  await tab.inDialog(text.game.forfeit).click();
  await expect(tab.title).toHaveText(status.youLose);
  await expect(tab.hint).toHaveText(status.youGaveUp);
  await expect(tab.focusedCell).toHaveCount(1);
  await tab.clickAnyway(8);
  await expect(tab.notice).toHaveText(text.reason["no game in progress"]);
  expect(wallet.calls(table, ANNA)).toEqual([
    ["makeMove", 1, 1, 1n],
    ["makeMove", 2, 2, 1n],
    ["forfeit", 2n],
  ]);
});

test("a new game: who cannot play, warnings, a faster opponent", async ({ tab, page, table }) => {
  const wallet = await tab.sit(ANNA);
  await tab.goto(table.link);
  await tab.button(text.invite.other).click();
  const input = page.getByLabel(text.newGame.opponent);
  for (const [typed, words] of [
    ["vitalik.eth", text.newGame.badAddress],
    [`0x${"0".repeat(40)}`, text.reason["player is the zero address"]],
    [ANNA, text.newGame.yourself],
  ] as const) {
    await input.fill(typed);
    await expect(tab.problem).toHaveText("");
    await tab.button(text.newGame.begin).click();
    await expect(tab.problem).toHaveText(words);
    await expect(input).toBeFocused();
    await expect(input).toHaveAttribute("aria-invalid", "true");
  }

  // The contract refuses another contract, and the wallet is not asked.
  await input.fill(table.address);
  await tab.button(text.newGame.begin).click();
  await expect(tab.notice).toHaveText(text.reason["player is a contract"]);

  // Both sides, by one account.
  await tab.button(text.invite.other).click();
  await page.getByRole("radio", { name: text.newGame.seatBoth }).check();
  await expect(input).toBeHidden();
  await tab.button(text.newGame.begin).click();
  for (const [cell, mark] of ["X", "O"].entries()) {
    await expect(tab.title).toHaveText(fill(status.bothTurn, { mark }));
    await tab.cell(cell).click();
  }
  await tab.expectBoard("xo.......");

  // It warns, and closes if another game starts meanwhile.
  await tab.button(text.game.newGame).click();
  const over = fill(text.newGame.over, { x: short(ANNA), o: short(ANNA) });
  await expect(tab.dialog).toContainText(over);
  await table.newGame(CARLA, BEN);
  await expect(tab.dialog).toBeHidden();
  await expect(tab.notice).toHaveText(text.failure.overwritten);
  await table.forfeit(CARLA);
  await tab.button(text.invite.other).click();
  await page.getByRole("radio", { name: "O", exact: true }).check();
  await input.fill(BEN);
  await tab.button(text.newGame.begin).click();
  await expect(tab.players).toContainText("Game 3");

  expect(wallet.calls(table, ANNA)).toEqual([
    ["newGame", ANNA, ANNA],
    ["makeMove", 0, 0, 1n],
    ["makeMove", 0, 1, 1n],
    ["newGame", BEN, ANNA, 2n],
  ]);
});

test("a table is set up: free before it costs, declined, sent, reloaded, slow, opened", async ({
  tab,
  page,
  home,
  node,
}) => {
  const wallet = await tab.install();
  const setUp = (chain: string) => tab.button(fill(text.home.deploy, { chain }));
  const network = page.getByLabel(text.home.chain, { exact: true });
  wallet.chain = 1;
  await tab.goto(home);
  await tab.account.click();
  await tab.button("Test wallet").click();
  // The wallet is on Ethereum, where coins have a price.
  await expect(tab.deploying.getByRole("link")).toHaveText(fill(text.chain.freeCoins, { chain: "Sepolia" }));
  await expect(setUp("Sepolia")).toBeVisible();
  await network.selectOption(fill(text.chain.realMoney, { label: "Ethereum" }));
  const label = fill(text.home.deploy, { chain: "Ethereum" });
  await expect(tab.button(fill(text.chain.realMoney, { label }))).toBeVisible();
  await expect(tab.deploying.getByRole("link")).toHaveCount(0);
  await network.selectOption(text.chain.local);
  wallet.declines = true;
  await setUp(text.chain.local).click();
  await expect(tab.deploying.getByRole("alert")).toHaveText(text.failure.declined);
  wallet.declines = false;
  await node.automine(false);
  await setUp(text.chain.local).click();
  await expect(tab.deploying).toContainText(text.home.deploySent);
  // The offer to stop comes later, so that it is not under the pointer that has just pressed the button.
  await page.clock.install();
  await page.reload();
  await expect(tab.deploying).toContainText(text.home.deploySent);
  await expect(tab.button(status.stopWaiting)).toBeHidden();
  await page.clock.fastForward(30_000);
  await expect(tab.deploying).toContainText(status.slow);
  await tab.button(status.stopWaiting).click();
  await setUp(text.chain.local).click();
  await expect(tab.deploying).toContainText(text.home.deploySent);
  await node.mine();
  await expect(tab.title).toHaveText(status.host);
  expect(page.url()).toMatch(/\?chain=31337&table=0x\w{40}$/);
});

test("practice is a game by the rules, without a request, and leads to a friend", async ({ tab, page, home }) => {
  await tab.goto(home);
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const heading = (name: string) => page.getByRole("status").getByRole("heading", { name, exact: true });
  await expect(heading(text.home.practise)).toBeVisible();
  for (const cell of [0, 3, 1, 4, 0]) await tab.clickAnyway(cell);
  await expect(heading(fill(status.bothTurn, { mark: "X" }))).toBeVisible();
  await tab.cell(2).click();
  await expect(heading(fill(status.wins, { mark: "X" }))).toBeVisible();
  await tab.clickAnyway(8);
  await tab.expectBoard("xxxoo....");
  await expect(tab.lines).toHaveCount(1);
  await tab.button(text.game.rematch).press("Enter");
  await tab.expectBoard(".........");
  await expect(tab.focusedCell).toHaveCount(1);
  for (const cell of DRAWN) await tab.cell(cell).click();
  await expect(heading(status.draw)).toBeVisible();
  await tab.button(text.home.deployTitle).click();
  await expect(tab.button(fill(text.home.deploy, { chain: "Sepolia" }))).toBeFocused();
  expect(asked).toEqual([]);
});
