// Wallets in a real page: found, chosen, changed and switched, and the way to one on a phone. The rest is in Vitest.
import { CHAINS } from "../src/generated/chains.ts";
import { walletApps } from "../src/walletapps.ts";
import { ANNA, BEN, CARLA, expect, fill, short, Table, test, text } from "./support/page.ts";

test("wallets come late, are declined, chosen, exchanged and left", async ({ tab, page, table }) => {
  const first = await tab.install({ name: "First", late: true });
  const second = await tab.install({ name: "Second", late: true, account: BEN });
  await tab.goto(table.link);
  await expect(tab.title).toHaveText(text.status.noGame);
  await expect(tab.notice).toHaveText(text.game.connectToPlay);
  await expect(tab.account).toHaveText(text.header.noWallet);
  await tab.account.click();
  await expect(tab.dialog.getByRole("listitem")).toHaveText([
    new RegExp(text.wallet.install),
    fill(text.wallet.coins, { chain: text.chain.local }),
    text.wallet.back,
  ]);
  await expect(tab.dialog.getByRole("img", { name: text.wallet.code })).toBeVisible();
  // Links into apps are for phones.
  await expect(tab.dialog.getByRole("link", { name: "MetaMask" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(tab.account).toBeFocused();

  // A press on the board asks for a wallet.
  await tab.clickAnyway(4);
  await first.announce();
  first.declines = true;
  await tab.button("First").click();
  await expect(tab.problem).toHaveText(text.failure.declined);
  first.declines = false;
  await tab.button("First").click();
  await expect(tab.title).toHaveText(text.status.host);

  await table.newGame(ANNA, BEN);
  await expect(tab.title).toHaveText(text.status.yourTurn);
  await tab.account.click();
  await second.announce();
  await expect(tab.wallets).toHaveText([`First${text.wallet.connected} · ${short(ANNA)}`, "Second"]);
  await expect(tab.dialog).toContainText(ANNA);
  await tab.button("Second").click();
  await expect(tab.account).toHaveText(short(BEN));
  await expect(tab.hint).toHaveText(fill(text.status.theirTurnHint, { mark: "O" }));
  await second.select(CARLA);
  await expect(tab.hint).toHaveText(fill(text.status.changed, { player: short(BEN) }));
  await tab.account.click();
  await tab.button(text.wallet.disconnect).click();
  await expect(tab.account).toHaveText(text.header.connect);
});

test("a wallet elsewhere switches with the same press, or learns the chain", async ({ tab, page, home, sepolia }) => {
  const table = await Table.on(sepolia, home);
  await table.newGame(ANNA, BEN);
  await sepolia.serve(page);
  const wallet = await tab.sit(ANNA, sepolia);
  wallet.chain = 1;
  wallet.known.clear();
  await tab.goto(table.link);
  await expect(tab.title).toHaveText(text.status.yourTurn);
  await expect(tab.notice).toHaveText(fill(text.game.switchHint, { chain: "Ethereum" }));
  const toSepolia = tab.button(fill(text.game.switchChain, { chain: "Sepolia" }));
  await tab.cell(4).click();
  await expect(tab.notice).toHaveText(fill(text.refused, { detail: "cannot add" }));
  wallet.addable.add(sepolia.chain);
  await tab.cell(4).click();
  await tab.expectBoard("....x....");
  await expect(toSepolia).toBeHidden();
  const added = wallet.asked.findLast(({ method }) => method === "wallet_addEthereumChain")?.params[0];
  const known = CHAINS.find(({ id }) => id === sepolia.chain);
  expect(added).toMatchObject({ chainName: "Sepolia", rpcUrls: known?.rpcUrls.default.http });

  // One button only switches.
  await wallet.wander(137);
  await toSepolia.click();
  await expect(toSepolia).toBeHidden();
  expect(wallet.chain).toBe(sepolia.chain);

  expect(wallet.calls(table, ANNA)).toEqual([["makeMove", 1, 1, 1n]]);
});

test("on a phone one tap opens the invitation in a wallet, and one plays", async ({ another, table }) => {
  const phone = { viewport: { width: 390, height: 664 }, isMobile: true, hasTouch: true };
  const tab = await another(phone);
  const { page } = tab;
  await tab.goto(`${table.link}&with=${ANNA}`);
  await expect(tab.title).toHaveText(text.status.invited);
  for (const { name, open } of walletApps)
    await expect(page.getByRole("link", { name })).toHaveAttribute("href", open(page.url()));
  await expect(tab.button(text.invite.play)).toHaveCount(0);
  const deep = (await page.getByRole("link", { name: "MetaMask" }).getAttribute("href")) ?? "";

  // The wallet opens what follows `dapp/`, over HTTPS; the test's host has HTTP only. Such wallets set window.ethereum.
  const inside = await another(phone);
  await inside.install({ account: BEN, lone: true });
  await inside.goto(deep.replace("https://link.metamask.io/dapp/", "http://"));
  await inside.button(text.invite.play).tap();
  await expect(inside.title).toHaveText(text.status.yourTurn);
  await inside.cell(4).tap();
  await inside.expectBoard("....x....");
  expect(await table.game()).toMatchObject({ playerX: BEN, playerO: ANNA, currentPlayer: 2 });
});
