// Links: what opens a table, and which part of an invalid one is named.
import { expect, test, vi } from "vitest";
import {
  fullLink,
  go,
  type LinkFault,
  linkTo,
  parseAddress,
  parseLink,
  parsePasted,
  parsePlayer,
} from "../../src/link.ts";
import { ZERO } from "../../src/rules.ts";
import { openBrowser } from "./support/browser.ts";
import { ALICE, TABLE } from "./support/node.ts";

const FAULTS: Record<LinkFault, string[]> = {
  chain: [
    "?chain=&table=",
    `?table=${TABLE}`,
    ...[
      "0",
      "-1",
      "1e3",
      "0x1",
      "99999999999999999999",
      "<img src=x onerror=alert(1)>",
      "１",
      "٣",
      "1\u0000",
      " 1",
      "1 ",
      "+1",
      "01",
      "1.0",
      "9".repeat(400),
      "9007199254740992",
      "__proto__",
      "constructor",
      "javascript:alert(1)",
      "<b>1</b>",
    ].map((chain) => `?chain=${encodeURIComponent(chain)}&table=${TABLE}`),
    `?chain=1&chain=31337&table=${TABLE}`,
    `?chain=1&chain=1&table=${TABLE}`,
    `?chain=31337&table=${TABLE}&chain=`,
  ],
  table: [
    "?chain=1",
    ...[
      "0x1234",
      "anna-and-ben",
      "anna.eth",
      `sep:${TABLE}`,
      " ",
      `${TABLE}00`,
      TABLE.replace("DB", "dB"),
      "javascript:alert(1)",
      "__proto__",
      `${TABLE}#`,
      TABLE.replace("0x", "0X"),
      `０x${TABLE.slice(2)}`,
      TABLE.replace("a", "а"),
      "0x".repeat(5000),
      "<img src=x onerror=alert(1)>",
    ].map((table) => `?chain=1&table=${encodeURIComponent(table)}`),
    `?chain=1&table=${TABLE}&table=${TABLE.toLowerCase()}`,
    `?chain=1&table=${TABLE}&table=`,
  ],
  with: [
    ...[
      "",
      ZERO,
      "0x12",
      "anna",
      "sep:anna",
      `sep:${ALICE}`,
      `${ALICE}0`,
      ALICE.replace("0x", "0X"),
      TABLE.replace("DB", "dB"),
      "javascript:alert(1)",
      "<b>1</b>",
      "__proto__",
      "0x".repeat(5000),
    ].map((inviter) => `?chain=1&table=${TABLE}&with=${encodeURIComponent(inviter)}`),
    `?chain=1&table=${TABLE}&with=${ALICE}&with=${ALICE}`,
    `?chain=1&table=${TABLE}&with=${ALICE}&with=`,
  ],
};

test.each(Object.entries(FAULTS))("an invalid or repeated %s is named", (part, queries) => {
  for (const query of queries) expect([query, parseLink(query)]).toEqual([query, { kind: "fault", fault: part }]);
});

test("parameters named like object properties open the start page", () => {
  expect(parseLink("?__proto__=1&constructor=2&toString=3&rpc=https://example.com")).toEqual({ kind: "home" });
});

test("a link opens the table that it was made for, and its endpoint from an older page is ignored", () => {
  const table = { chain: 5, address: TABLE };
  for (const more of ["", "&rpc=https://example.com/", "&rpc=javascript:alert(1)&rpc="]) {
    expect(parseLink(linkTo(table) + more)).toEqual({ kind: "table", table, inviter: null });
    expect(parseLink(linkTo(table, ALICE) + more)).toEqual({ kind: "table", table, inviter: ALICE });
  }
});

test("an address is accepted with its checksum or without, and not with a wrong one", () => {
  expect(parseAddress(`  ${TABLE.toLowerCase()} `)).toBe(TABLE);
  expect(parseAddress(`0x${TABLE.slice(2).toUpperCase()}`)).toBe(TABLE);
  expect(parseAddress(TABLE)).toBe(TABLE);
  for (const text of ["", "0x1234", "vitalik.eth", TABLE.replace("DB", "dB")]) expect(parseAddress(text)).toBeNull();
});

test("a pasted link opens its table, a pasted address one on the chosen chain", () => {
  const table = { chain: 5, address: TABLE };
  for (const text of [
    `https://host/folder/${linkTo(table)}`,
    `  http://other.example/${linkTo(table)}#board \n`,
    linkTo(table),
  ]) {
    expect(parsePasted(text, 1)).toEqual({ kind: "table", table, inviter: null });
    expect(parsePasted(text, null)).toEqual({ kind: "table", table, inviter: null });
  }
  expect(parsePasted(` ${TABLE} `, 1)).toEqual({
    kind: "table",
    table: { chain: 1, address: TABLE },
    inviter: null,
  });
  for (const text of [
    "",
    "anna-and-ben",
    "anna.eth",
    `sep:${TABLE}`,
    "https://host/",
    "https://host/?chain=1",
    "0x12",
  ]) {
    expect(parsePasted(text, 1)).toBeNull();
  }
  expect(parsePasted(`https://host/?table=${TABLE}&chain=5\n`, null)).toEqual({
    kind: "table",
    table,
    inviter: null,
  });
  expect(parsePasted(TABLE, null)).toBeNull();
  expect(parsePasted(`https://host/${linkTo(table, ALICE)}`, null)).toEqual({ kind: "table", table, inviter: ALICE });
});

test("a pasted address names a player, and so does the link with which the player invites", () => {
  const invitation = `https://host/${linkTo({ chain: 5, address: TABLE }, ALICE)}#board`;
  for (const text of [ALICE, ` ${ALICE}\n`, invitation]) expect(parsePlayer(text)).toBe(ALICE);
  for (const text of [
    "",
    "anna",
    "0x12",
    `sep:${ALICE}`,
    `https://host/?chain=5&table=${TABLE}`,
    "https://host/?chain=0",
    "?",
  ])
    expect(parsePlayer(text)).toBeNull();
});

test("the page goes to a table and back to the start page, and gives other people its own address", () => {
  openBrowser("?chain=1");
  const table = { chain: 5, address: TABLE };
  const opened: string[] = [];
  window.addEventListener("popstate", () => opened.push(location.search));
  go(table, ALICE);
  go(null);
  expect(opened).toEqual([linkTo(table, ALICE), ""]);
  location.href = "http://host/page/?chain=1#board";
  expect(fullLink(table, null)).toBe(`http://host/page/${linkTo(table)}`);
  vi.unstubAllGlobals();
});
