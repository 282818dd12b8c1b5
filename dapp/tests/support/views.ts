// Every view of the page, and how to open it. The views of a group are opened one after the other in one page.
import type { Page } from "@playwright/test";
import { fill, text } from "../../src/text.ts";
import { type Address, Anvil } from "./anvil.ts";
import {
  readFrom,
  expect,
  linkTo,
  noticeOf,
  sit,
  cellAt,
  title,
  walletButton,
  deploying,
  walletsIn,
  problem,
  movesIn,
  trouble,
  tables,
} from "./fixtures.ts";
import { Proxy } from "./proxy.ts";
import { TestWallet } from "./wallet.ts";

export interface Place {
  page: Page;
  host: string;
  anvil: Anvil;
  /** A chain with an explorer. */
  sepolia: Anvil;
  /** A new table for each view. */
  table: Address;
  link: string;
  /** The wallet of the views that have one. */
  wallet: TestWallet | null;
  /** Called after each view. */
  ends: (() => Promise<unknown>)[];
}

type View = (place: Place) => Promise<void>;

const WON = [0, 3, 1, 4, 2];
const DRAWN = [0, 1, 2, 4, 3, 5, 7, 6, 8];

/** The page has its wallet from the next navigation on, and in every later view of its group. */
async function seated(place: Place): Promise<TestWallet> {
  const { page, anvil } = place;
  place.wallet ??= await sit(page, anvil, anvil.account(0));
  return Object.assign(place.wallet, { chainId: anvil.chainId, hold: null });
}

const players = ({ anvil }: Place): [Address, Address] => [anvil.account(0), anvil.account(1)];
const troubled = (page: Page, words: string): Promise<void> =>
  expect(trouble(page).getByRole("heading")).toHaveText(words);

/** A game on a chain with an explorer, so that its moves have links, behind a proxy. */
async function onSepolia(
  { page, host, sepolia, ends }: Place,
  cells: number[],
): Promise<{ proxy: Proxy; link: string }> {
  const proxy = await Proxy.start(sepolia);
  ends.push(() => proxy.stop());
  const table = await sepolia.deploy();
  await sepolia.play(table, sepolia.account(0), sepolia.account(1), cells);
  await readFrom(page, proxy);
  return { proxy, link: linkTo(host, proxy, table) };
}

export const VIEWS: Record<string, Record<string, View>> = {
  "without a wallet": {
    "the start page": async ({ page, host }) => {
      await page.goto(host);
      await expect(page.locator(".home h1")).toBeVisible();
    },

    "an invalid link": async ({ page, host }) => {
      await page.goto(`${host}?chain=x`);
      await troubled(page, text.trouble.linkTitle);
    },

    "an unknown chain": async ({ page, host, table }) => {
      await page.goto(`${host}?chain=${Number.MAX_SAFE_INTEGER}&table=${table}`);
      await troubled(page, text.trouble.unknownTitle);
    },

    "the dialog of wallets without a wallet": async ({ page, host }) => {
      await page.goto(host);
      await walletButton(page).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },

    "watching without a wallet": async (place) => {
      const { page, anvil, table, link } = place;
      await anvil.play(table, ...players(place), [4]);
      await page.goto(link);
      await expect(noticeOf(page)).toHaveText(text.game.connectToPlay);
    },

    "an address without code": async (place) => {
      const { page, host, anvil } = place;
      await page.goto(linkTo(host, anvil, `0x${"99".repeat(20)}`));
      await troubled(page, text.trouble.noneTitle);
    },

    "an address with other code": async (place) => {
      const { page, host, anvil } = place;
      await page.goto(linkTo(host, anvil, await anvil.deploy("0x600a600c600039600a6000f3602a60005260206000f3")));
      await troubled(page, text.trouble.otherTitle);
    },

    "an endpoint of another chain": async ({ page, sepolia, link }) => {
      await readFrom(page, sepolia, 31_337);
      await page.goto(link);
      await troubled(page, text.trouble.wrongChainTitle);
      await page.unrouteAll();
    },

    "practice that is over": async ({ page, host }) => {
      await page.goto(host);
      for (const cell of WON) await cellAt(page, cell).click();
      await expect(page.locator(".status h2")).toHaveText("X wins");
    },
  },

  "on a phone": {
    "an invitation on a phone without a wallet": async ({ page, anvil, link }) => {
      // The only media query that the page asks for is whether the first pointer is a finger.
      await page.addInitScript(() => Object.assign(window, { matchMedia: () => ({ matches: true }) }));
      await page.goto(`${link}&with=${anvil.account(1)}`);
      await expect(page.getByText(text.wallet.apps)).toBeVisible();
    },
  },

  "on a chain with an explorer": {
    "a table before the first answer": async (place) => {
      const { page } = place;
      const { proxy, link } = await onSepolia(place, []);
      proxy.raw = () => true;
      await page.goto(link);
      await expect(title(page)).toHaveText(text.status.reading);
    },

    "a draw, with nine links to the explorer": async (place) => {
      const { page } = place;
      const { link } = await onSepolia(place, DRAWN);
      await page.goto(link);
      await expect(title(page)).toHaveText(text.status.draw);
      await expect(movesIn(page).getByRole("link")).toHaveCount(9);
    },

    "a lost connection": async (place) => {
      const { page } = place;
      const { proxy, link } = await onSepolia(place, [4, 0]);
      await page.goto(link);
      await expect(movesIn(page).getByRole("link")).toHaveCount(2);
      proxy.raw = (_, response) => {
        response.destroy();
        return true;
      };
      await expect(noticeOf(page)).toHaveText(text.game.nodeLost);
    },
  },

  "in a game": {
    "the opponent's turn, with an error": async (place) => {
      const { page, link, anvil, table } = place;
      await seated(place);
      await anvil.play(table, anvil.account(1), anvil.account(0), []);
      await page.goto(link);
      await expect(title(page)).toHaveText(fill(text.status.theirTurn, { mark: "X" }));
      await cellAt(page, 0).click({ force: true });
      await expect(noticeOf(page)).toHaveText(text.reason["not your turn"]);
    },

    "a move in the wallet": async (place) => {
      const { page, link, anvil, table } = place;
      const wallet = await seated(place);
      wallet.hold = new Promise(() => null);
      await anvil.play(table, ...players(place), [4, 0]);
      await page.goto(link);
      await cellAt(page, 8).click();
      await expect(title(page)).toHaveText(text.status.asking);
    },

    "a pending move": async (place) => {
      const { page, link, anvil, table } = place;
      await seated(place);
      await anvil.play(table, ...players(place), [4, 0]);
      await page.goto(link);
      await expect(title(page)).toHaveText(text.status.yourTurn);
      await anvil.automine(false);
      await cellAt(page, 8).click();
      await expect(title(page)).toHaveText(text.status.sent);
    },

    "a win": async (place) => {
      const { page, link, anvil, table } = place;
      await seated(place);
      await anvil.play(table, ...players(place), WON);
      await page.goto(link);
      await expect(title(page)).toHaveText(text.status.youWin);
    },

    "a forfeit": async (place) => {
      const { page, link, anvil, table } = place;
      await seated(place);
      await anvil.play(table, ...players(place), [4, 0]);
      await anvil.forfeit(table, anvil.account(0));
      await page.goto(link);
      await expect(title(page)).toHaveText(text.status.youLose);
    },

    "a reorg": async (place) => {
      const { page, link, anvil, table } = place;
      await seated(place);
      await anvil.newGame(table, ...players(place));
      const before = await anvil.rpc("evm_snapshot");
      await anvil.move(table, anvil.account(0), 4);
      await anvil.move(table, anvil.account(1), 0);
      await page.goto(link);
      await expect(movesIn(page)).toHaveCount(2);
      await anvil.rpc("evm_revert", before);
      await expect(noticeOf(page)).toHaveText(
        fill(text.failure.reorg, { moves: fill(text.failure.moves.other, { count: "2" }) }),
      );
    },

    "the card of an address": async (place) => {
      const { page, link, anvil, table } = place;
      await seated(place);
      await anvil.play(table, ...players(place), []);
      await page.goto(link);
      await expect(title(page)).toHaveText(text.status.yourTurn);
      await page.locator(".seat").last().getByRole("button").click();
      await expect(page.locator(":popover-open")).toBeVisible();
    },

    "the dialog for a new game over one in progress, with an error": async (place) => {
      const { page, link, anvil, table } = place;
      await seated(place);
      await anvil.play(table, ...players(place), [0]);
      await page.goto(link);
      await page.getByRole("button", { name: text.game.newGame }).click();
      await page.getByRole("dialog").getByRole("textbox").fill("0x12");
      await page.getByRole("dialog").locator("[type=submit]").click();
      await expect(problem(page)).toHaveText(text.newGame.badAddress);
    },

    "the dialog for a forfeit": async (place) => {
      const { page, link, anvil, table } = place;
      await seated(place);
      await anvil.play(table, ...players(place), []);
      await page.goto(link);
      await page.getByRole("button", { name: text.game.forfeit }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },

  "with a wallet": {
    "the start page, with a wallet, a recent table and an error": async (place) => {
      const { page, host, link, anvil, table } = place;
      await seated(place);
      await anvil.newGame(table, ...players(place));
      await page.goto(link);
      await expect(title(page)).toHaveText(text.status.yourTurn);
      await page.goto(host);
      await expect(tables(page)).toHaveCount(1);
      await expect(walletButton(page)).toHaveText(/0x/);
      await page.getByRole("combobox").first().selectOption("other");
      await page.locator("form").getByRole("button").click();
      await expect(problem(page)).toHaveText(text.home.badChain);
    },

    "a pending deployment": async (place) => {
      const { page, host, anvil } = place;
      await seated(place);
      await page.goto(host);
      await expect(walletButton(page)).toHaveText(/0x/);
      await anvil.automine(false);
      await deploying(page).getByRole("button").click();
      await expect(deploying(page).getByRole("status")).toHaveText(text.home.deploySent);
    },

    "a free table": async (place) => {
      await seated(place);
      await place.page.goto(place.link);
      await expect(title(place.page)).toHaveText(text.status.noGame);
    },

    "an invitation": async (place) => {
      await seated(place);
      await place.page.goto(`${place.link}&with=${place.anvil.account(1)}`);
      await expect(title(place.page)).toHaveText(text.status.invited);
    },

    "a wallet on another chain": async (place) => {
      const { page, link, anvil, table } = place;
      const wallet = await seated(place);
      wallet.chainId = 1;
      await anvil.play(table, ...players(place), [4, 0]);
      await page.goto(link);
      await expect(noticeOf(page)).toHaveText(fill(text.game.switchHint, { chain: "Ethereum" }));
      // The page knows the wallet's network before it has read the table.
      await expect(title(page)).not.toHaveText(text.status.reading);
    },

    "the dialog of wallets": async (place) => {
      const { page, host, anvil } = place;
      await seated(place);
      await TestWallet.install(page, anvil, { name: "A wallet with a name that is forty long.." });
      await page.goto(host);
      await expect(walletButton(page)).toHaveText(/0x/);
      await walletButton(page).click();
      await expect(walletsIn(page)).toHaveCount(2);
    },
  },
};
