// What the browser keeps for the next visit, and browsers that keep nothing.
import { afterEach, expect, test, vi } from "vitest";
import { newStorages, openBrowser } from "./support/browser.ts";
import { ALICE, BEN, CARLA, TABLE } from "./support/node.ts";

afterEach(() => vi.unstubAllGlobals());

const tableAt = (address: typeof TABLE) => ({ chain: 5, address, opponent: BEN, turn: "yours" }) as const;

async function memory(storages = newStorages()) {
  openBrowser("", storages);
  vi.resetModules();
  return import("../../src/memory.ts");
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
  const storages = newStorages();
  const whole = [tableAt(TABLE), { ...tableAt(ALICE), opponent: null }];
  const lies = [{ chain: "0" }, { address: "0x12" }, { turn: "toString" }].map((lie) => ({
    ...tableAt(TABLE),
    ...lie,
  }));
  const mixed = [7, null, "x", ...lies, { ...whole[0], more: 7 }, { ...tableAt(ALICE), opponent: "<b>" }];
  for (const [stored, expected] of [
    ["{", []],
    ["7", []],
    [JSON.stringify(mixed), whole],
  ] as const) {
    storages.local.setItem("tictactoe.tables", stored);
    storages.local.setItem("tictactoe.wallet", stored);
    const { recall } = await memory(storages);
    expect([recall.tables(), recall.wallet()]).toEqual([expected, null]);
  }
});

test.each(["throws at every access", "is full"])(
  "a browser that %s keeps everything while the page is open",
  async (kind) => {
    const { remember, recall } = await memory();
    const denied = (): never => {
      throw new Error("denied");
    };
    for (const name of ["localStorage", "sessionStorage"]) {
      const value = { getItem: () => null, setItem: denied, removeItem: denied };
      Object.defineProperty(window, name, kind === "is full" ? { value } : { get: denied });
    }
    expect([recall.wallet(), recall.session("pending")]).toEqual([null, null]);
    remember.wallet("test.wallet");
    remember.session("pending", { kind: "move" });
    remember.table(tableAt(TABLE));
    expect([recall.wallet(), recall.session("pending"), recall.tables()]).toEqual([
      "test.wallet",
      { kind: "move" },
      [tableAt(TABLE)],
    ]);
    remember.wallet(null);
    expect(recall.wallet()).toBeNull();
  },
);

test("the next visit finds what was kept, another tab all but the session, and nothing of what was forgotten", async () => {
  const storages = newStorages();
  const keep = async (value: string | null): Promise<void> => {
    const { remember } = await memory(storages);
    remember.wallet(value);
    remember.forAll("deploy", value);
    remember.session("pending", value);
  };
  const found = async (kept = storages): Promise<unknown[]> => {
    const { recall } = await memory(kept);
    return [recall.wallet(), recall.forAll("deploy"), recall.session("pending")];
  };
  await keep("kept");
  expect(await found()).toEqual(["kept", "kept", "kept"]);
  expect(await found({ ...newStorages(), local: storages.local })).toEqual(["kept", "kept", null]);
  await keep(null);
  expect(await found()).toEqual([null, null, null]);
  const left = ["wallet", "deploy"].map((key) => storages.local.getItem(`tictactoe.${key}`));
  expect([...left, storages.session.getItem("tictactoe.pending")]).toEqual([null, null, null]);
});
