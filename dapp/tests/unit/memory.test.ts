// What the browser keeps for the next visit, and browsers that keep nothing.
import { afterEach, expect, test, vi } from "vitest";
import { ALICE, BEN, CARLA, TABLE } from "../support/node.ts";
import { newStorages, openBrowser } from "./support/page.ts";

afterEach(() => vi.unstubAllGlobals());

const tableAt = (address: typeof TABLE) => ({ chain: 5, address, opponent: BEN, turn: "yours" }) as const;

async function memory(storages = newStorages()) {
  openBrowser("", storages);
  vi.resetModules();
  const { remember, recall } = await import("../../src/memory.ts");
  return { remember, recall };
}

test("tables are remembered, the last one first, each once, eight at most", async () => {
  const storages = newStorages();
  const { remember } = await memory(storages);
  for (const table of [tableAt(ALICE), tableAt(BEN), tableAt(ALICE)]) remember.table(table);
  const { recall } = await memory(storages);
  expect(recall.tables()).toEqual([tableAt(ALICE), tableAt(BEN)]);
  for (let at = 0; at < 12; at += 1) remember.table({ ...tableAt(CARLA), chain: at + 1 });
  expect(recall.tables().map(({ chain }) => chain)).toEqual([12, 11, 10, 9, 8, 7, 6, 5]);
});

test("of what another page has written, only whole tables are used", async () => {
  const whole = [tableAt(TABLE), { ...tableAt(ALICE), opponent: null }];
  const lies = [{ chain: "0" }, { address: "0x12" }, { turn: "toString" }].map((lie) => ({ ...whole[0], ...lie }));
  const mixed = [7, null, "x", ...lies, { ...whole[0], more: 7 }, { ...whole[1], opponent: "<b>" }];
  for (const [stored, expected] of [
    ["{", []],
    ["7", []],
    [JSON.stringify(mixed), whole],
  ] as const) {
    const storages = newStorages();
    storages.local.setItem("tictactoe.tables", stored);
    const { recall } = await memory(storages);
    expect(recall.tables()).toEqual(expected);
  }
});

test("a browser that keeps nothing keeps it for this visit", async () => {
  const { remember, recall } = await memory();
  const get = (): never => {
    throw new Error("denied");
  };
  for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get });
  for (const value of [null, "kept", null]) {
    remember.wallet(value);
    remember.session("pending", value);
    expect([recall.wallet(), recall.session("pending")]).toEqual([value, value]);
  }
});
