// Faces, costs and the links into wallets' browsers.
import { getGasPrice } from "viem/actions";
import { expect, test } from "vitest";
import { knownChains } from "../../src/chains.ts";
import { costOf } from "../../src/cost.ts";
import { clientOf } from "../../src/provider.ts";
import { type FaceCell, faceOf } from "../../src/face.ts";
import { GAS } from "../../src/generated/contract.ts";
import type { Address } from "../../src/rules.ts";
import { walletApps } from "../../src/walletapps.ts";
import { ALICE, TABLE } from "./support/node.ts";

const address = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;

test("a face is symmetric, never empty, and the same in capitals and without", () => {
  const faces = Array.from({ length: 500 }, (_, at) => faceOf(address(at)));
  for (const [a, b, c, d, e, f, g, h, i] of faces as [FaceCell, FaceCell, FaceCell, FaceCell, FaceCell, FaceCell, FaceCell, FaceCell, FaceCell][]) {
    expect([[a, d, g], e === "empty"]).toEqual([[c, f, i], false]);
    expect([b, h]).toHaveLength(2);
  }
  // Of 12,500 faces, 500 addresses that differ in their last digits only have nearly as many.
  expect(new Set(faces.map(String)).size).toBeGreaterThan(480);
  expect(new Set(faces.flat())).toEqual(new Set(["empty", "cross", "ring", "square", "disc"]));
  expect(faceOf(TABLE.toLowerCase() as Address)).toEqual(faceOf(TABLE));
});

test("a cost is the gas times the node's price, in the chain's coin", async () => {
  const price = await getGasPrice(clientOf({ request: async () => "0x3b9aca00" }));
  expect(price).toBe(10n ** 9n);
  expect(costOf("table", 11_155_111, price, "en")).toBe("0.0043\u00a0ETH");
  expect(costOf("table", 1, price, "en")).toBe("0.00062\u00a0ETH");
  expect(costOf("move", 1, price, "de")).toBe("0,000032\u00a0ETH");
  expect(costOf("game", 137, 30n * price, "en")).toBe("0.0011\u00a0POL");
  expect(costOf("table", 999, price, "en")).toBe("0.00062\u00a0ETH");
  expect(GAS.amsterdam.table).toBeGreaterThan(GAS.mainnet.table);
  for (const answer of [null, "1", "0x", "-0x1", `0x${"f".repeat(64)}`]) {
    await expect(getGasPrice(clientOf({ request: async () => answer }))).rejects.toThrow("not a number");
  }
});

test("testnets come first, and every public chain has a short name of its own", () => {
  const testnets = knownChains.filter(({ short }) => short !== null).map(({ testnet }) => testnet);
  expect(testnets).toEqual(testnets.toSorted((a, b) => Number(b) - Number(a)));
  const names = knownChains.flatMap(({ short }) => short ?? []);
  expect(new Set(names).size).toBe(knownChains.length - 1);
});

test("a wallet's link opens the whole link of the page, with the invitation", () => {
  const page = `https://play.example/game/?chain=1&table=${TABLE}&with=${ALICE}`;
  const opened = Object.fromEntries(walletApps.map(({ name, open }) => [name, new URL(open(page))]));
  expect(opened["MetaMask"]?.href).toBe(`https://link.metamask.io/dapp/play.example/game/?chain=1&table=${TABLE}&with=${ALICE}`);
  expect(opened["Trust Wallet"]?.href).toMatch(/^https:\/\/link\.trustwallet\.com\/open_url\?coin_id=60&url=https%3A%2F%2Fplay/);
  expect(opened["Trust Wallet"]?.searchParams.get("url")).toBe(page);
  expect(opened["Base (Coinbase Wallet)"]?.href).toMatch(/^https:\/\/go\.cb-w\.com\/dapp\?cb_url=https%3A/);
  expect(opened["Base (Coinbase Wallet)"]?.searchParams.get("cb_url")).toBe(page);
});
