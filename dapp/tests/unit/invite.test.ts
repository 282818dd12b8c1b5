// Who invites whom; faces, and the links into wallets' browsers.
import { expect, test } from "vitest";
import { knownChains, LOCAL_CHAIN } from "../../src/chains.ts";
import { faceOf } from "../../src/face.ts";
import { hostOf, inviterOf } from "../../src/invitation.ts";
import type { Address, Game } from "../../src/rules.ts";
import { type State, state } from "../../src/state.ts";
import { walletApps } from "../../src/walletapps.ts";
import { ALICE, BEN, CARLA, TABLE } from "./support/node.ts";

const address = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;

test("a face is symmetric, never empty, and the same in capitals and without", () => {
  const faces = Array.from({ length: 500 }, (_, at) => faceOf(address(at)));
  for (const face of faces) {
    const mirrored = [0, 3, 6].flatMap((row) => face.slice(row, row + 3).toReversed());
    expect([mirrored, face[4] === "empty"]).toEqual([face, false]);
  }
  // Of 12,500 faces, 500 addresses that differ in their last digits only have nearly as many.
  expect(new Set(faces.map(String)).size).toBeGreaterThan(480);
  expect(new Set(faces.flat())).toEqual(new Set(["empty", "cross", "ring", "square", "disc"]));
  expect(faceOf(TABLE.toLowerCase() as Address)).toEqual(faceOf(TABLE));
});

test("testnets come first", () => {
  const testnets = knownChains.filter(({ id }) => id !== LOCAL_CHAIN).map(({ testnet }) => testnet);
  expect(testnets).toEqual(testnets.toSorted((a, b) => Number(b) - Number(a)));
});

test("a wallet's link opens the whole link of the page, with the invitation", () => {
  const page = `https://play.example/game/?chain=1&table=${TABLE}&with=${ALICE}`;
  const opened = Object.fromEntries(walletApps.map(({ name, open }) => [name, new URL(open(page))]));
  expect(opened["MetaMask"]?.href).toBe(
    `https://link.metamask.io/dapp/play.example/game/?chain=1&table=${TABLE}&with=${ALICE}`,
  );
  expect(opened["Trust Wallet"]?.href).toMatch(
    /^https:\/\/link\.trustwallet\.com\/open_url\?coin_id=60&url=https%3A%2F%2Fplay/,
  );
  expect(opened["Trust Wallet"]?.searchParams.get("url")).toBe(page);
  expect(opened["Base (Coinbase Wallet)"]?.href).toMatch(/^https:\/\/go\.cb-w\.com\/dapp\?cb_url=https%3A/);
  expect(opened["Base (Coinbase Wallet)"]?.searchParams.get("cb_url")).toBe(page);
});

/** A table with this game, seen with this account. */
function seen(game: Partial<Game> | null, account: Address | null, inviter: Address | null, chain = 1): State {
  const whole: Game = { number: 1n, playerX: BEN, playerO: CARLA, moves: [], turn: null, status: "no_game", ...game };
  const wallet = { id: "test", name: "", icon: null, provider: { request: async () => null } };
  return {
    ...state,
    link: { kind: "table", table: { chain, address: TABLE }, inviter },
    snapshot: { head: { hash: "0x", number: 1 }, code: "table", game: game && whole },
    connection: account && { wallet, accounts: [account], chain },
  };
}

test.each<[string, State, Address | null, Address | null]>([
  ["no wallet", seen({}, null, ALICE), ALICE, null],
  ["a guest", seen({}, BEN, ALICE), ALICE, null],
  ["the inviter", seen({}, ALICE, ALICE), null, ALICE],
  ["a link without an inviter", seen({}, BEN, null), null, BEN],
  ["the table is not read yet", seen(null, BEN, ALICE), null, null],
  ["a game of others", seen({ status: "in_progress", turn: 1 }, ALICE, BEN), null, null],
  ["a game of others that is over", seen({ status: "x_won" }, ALICE, BEN), BEN, null],
  ["the same, by the inviter", seen({ status: "draw" }, ALICE, ALICE), null, ALICE],
  ["an own game that is over", seen({ status: "x_won" }, BEN, CARLA), null, null],
])("who invites whom: %s", (_, now, inviter, host) => {
  expect([inviterOf(now), hostOf(now)]).toEqual([inviter, host]);
});
