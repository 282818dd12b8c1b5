// Links: what opens a table, and what does not.
import { expect, test } from "vitest";
import { linkTo, parseAddress, parseLink, parsePasted, parsePlayer } from "../../src/link.ts";
import { ZERO } from "../../src/rules.ts";
import { ALICE, TABLE } from "../support/node.ts";

const table = { chain: 5, address: TABLE };
const opened = { kind: "table", table, inviter: null };
const invited = { ...opened, inviter: ALICE };
const NUMBERS = "0 -1 1e3 0x1 99999999999999999999 <img> １ ٣ +1 01 1.0 9007199254740992 __proto__ javascript:alert(1)";
const ADDRESSES = `0x1234 anna-and-ben anna.eth sep:${TABLE} ${TABLE}00 ${TABLE}# ${TABLE.replace("0x", "0X")} <b>1</b> __proto__`;
const [CHECKSUM, CYRILLIC] = [TABLE.replace("DB", "dB"), TABLE.replace("a", "а")];
const WRONG = [...ADDRESSES.split(" "), "", " ", CHECKSUM, CYRILLIC, `０x${TABLE.slice(2)}`, "0x".repeat(5000)];

test("a link with a wrong, missing or repeated part is damaged", () => {
  const query = (chain: string, address: string): string =>
    `chain=${encodeURIComponent(chain)}&table=${encodeURIComponent(address)}`;
  const repeated = ["chain=5", "chain=", `table=${TABLE}`, "table=", `with=${ALICE}`, "with="];
  for (const damaged of [
    ...[...NUMBERS.split(" "), "", " 1", "1 ", "1\u0000", "9".repeat(400)].map((chain) => query(chain, TABLE)),
    ...WRONG.map((address) => query("1", address)),
    ...[...WRONG, ZERO].map((inviter) => `${query("1", TABLE)}&with=${encodeURIComponent(inviter)}`),
    ...repeated.map((part) => `${linkTo(table, ALICE).slice(1)}&${part}`),
    `table=${TABLE}`,
    "chain=1",
  ])
    expect([damaged, parseLink(`?${damaged}`)]).toEqual([damaged, { kind: "damaged" }]);
});

test("an address is accepted with its checksum or without", () => {
  for (const text of [`  ${TABLE.toLowerCase()} `, `0x${TABLE.slice(2).toUpperCase()}`, TABLE])
    expect(parseAddress(text)).toBe(TABLE);
});

test("a pasted link opens its table, and a pasted address one on the chosen chain", () => {
  for (const text of [`https://host/folder/${linkTo(table)}`, `  http://b.example/${linkTo(table)}#board \n`])
    for (const chain of [1, null]) expect(parsePasted(text, chain)).toEqual(opened);
  expect(parsePasted(`https://host/${linkTo(table, ALICE)}`, null)).toEqual(invited);
  expect(parsePasted(` ${TABLE} `, 5)).toEqual(opened);
  expect(parsePasted(TABLE, null)).toBeNull();
  for (const text of [...WRONG, "https://host/", "https://host/?chain=1"]) expect(parsePasted(text, 1)).toBeNull();
});

test("a pasted address names a player, and so does the link with which the player invites", () => {
  for (const text of [ALICE, ` ${ALICE}\n`, `https://host/${linkTo(table, ALICE)}#board`])
    expect(parsePlayer(text)).toBe(ALICE);
  for (const text of [...WRONG, `https://host/${linkTo(table)}`, "https://host/?chain=0", "?"])
    expect(parsePlayer(text)).toBeNull();
});
