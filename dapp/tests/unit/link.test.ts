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
  rpc: [
    ...[
      "",
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)//https://",
      "data:application/json,{}",
      "blob:https://example.com/1",
      "file:///etc/passwd",
      "ws://127.0.0.1:8545",
      "http://example.com",
      "http://localhost.example.com",
      "http://127.0.0.1.example.com",
      "http://127.0.0.1@example.com",
      "http://192.168.0.1",
      "https://user@example.com",
      "https://user:secret@example.com",
      "https://:secret@example.com",
      "https://'example.com",
      "https://example.com'",
      "https://exam(ple.com",
      "https://example.com/#fragment",
      "https://",
      "https://exa mple.com",
      "https://example.com:99999",
      "//example.com",
      "__proto__",
      `https://example.com/${"x".repeat(300)}`,
    ].map((rpc) => `?chain=5&table=${TABLE}&rpc=${encodeURIComponent(rpc)}`),
    `?chain=5&table=${TABLE}&rpc=https://one.example&rpc=https://two.example`,
    `?chain=5&table=${TABLE}&rpc=https://one.example&rpc=https://one.example`,
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

test("a link opens the table that it was made for", () => {
  for (const rpc of [null, "https://example.com/key?a=b", "http://127.0.0.1:8545/", "http://localhost:1/"]) {
    const table = { chain: 5, address: TABLE, rpc };
    expect(parseLink(linkTo(table))).toEqual({ kind: "table", table, inviter: null });
    expect(parseLink(linkTo(table, ALICE))).toEqual({ kind: "table", table, inviter: ALICE });
  }
});

test("a look-alike host is shown by its real name", () => {
  // The first letter is Cyrillic.
  const link = parseLink(`?chain=5&table=${TABLE}&rpc=${encodeURIComponent("https://аpple.com/rpc")}`);
  expect(link).toMatchObject({ table: { rpc: "https://xn--pple-43d.com/rpc" } });
});

test("an address is accepted with its checksum or without, and not with a wrong one", () => {
  expect(parseAddress(`  ${TABLE.toLowerCase()} `)).toBe(TABLE);
  expect(parseAddress(`0x${TABLE.slice(2).toUpperCase()}`)).toBe(TABLE);
  expect(parseAddress(TABLE)).toBe(TABLE);
  for (const text of ["", "0x1234", "vitalik.eth", TABLE.replace("DB", "dB")]) expect(parseAddress(text)).toBeNull();
});

test("a pasted link opens its table, a pasted address one on the chosen chain", () => {
  const table = { chain: 5, address: TABLE, rpc: "https://example.com/key" };
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
    table: { chain: 1, address: TABLE, rpc: null },
    inviter: null,
  });
  const sepolia = { chain: 11_155_111, address: TABLE, rpc: null };
  for (const text of [`sep:${TABLE}`, ` sep:${TABLE.toLowerCase()}\n`, `eip155:11155111:${TABLE}`])
    expect(parsePasted(text, 1)).toMatchObject({ table: sepolia });
  for (const text of [
    "",
    "anna-and-ben",
    "anna.eth",
    "xyz:0x12",
    `xyz:${TABLE}`,
    `:${TABLE}`,
    `sep:sep:${TABLE}`,
    `eip155:${TABLE}`,
    `eip155:01:${TABLE}`,
    `toString:${TABLE}`,
    "https://host/",
    "https://host/?chain=1",
    `?chain=1&table=${TABLE}&rpc=http://example.com`,
    "0x12",
  ]) {
    expect(parsePasted(text, 1)).toBeNull();
  }
  expect(parsePasted(`https://host/?table=${TABLE}&chain=5\n`, null)).toEqual({
    kind: "table",
    table: { ...table, rpc: null },
    inviter: null,
  });
  expect(parsePasted(TABLE, null)).toBeNull();
  expect(parsePasted(`https://host/${linkTo(table, ALICE)}`, null)).toEqual({ kind: "table", table, inviter: ALICE });
});

test("a pasted address names a player, and so does the link with which the player invites", () => {
  const invitation = `https://host/${linkTo({ chain: 5, address: TABLE, rpc: null }, ALICE)}#board`;
  for (const text of [ALICE, ` ${ALICE}\n`, `sep:${ALICE}`, `eip155:1:${ALICE}`, invitation])
    expect(parsePlayer(text)).toBe(ALICE);
  for (const text of [
    "",
    "anna",
    "0x12",
    `xyz:${ALICE}`,
    `https://host/?chain=5&table=${TABLE}`,
    "https://host/?chain=0",
    "?",
  ])
    expect(parsePlayer(text)).toBeNull();
});

test("a link's endpoint has 300 characters at most, and can be an IPv6 address", () => {
  const rpcOf = (rpc: string): unknown => parseLink(`?chain=5&table=${TABLE}&rpc=${encodeURIComponent(rpc)}`);
  for (const rpc of [`https://example.com/${"x".repeat(280)}`, "https://[2001:db8::1]/"])
    expect(rpcOf(rpc)).toMatchObject({ table: { rpc } });
  expect(rpcOf(`https://example.com/${"x".repeat(281)}`)).toEqual({ kind: "fault", fault: "rpc" });
});

test("the page goes to a table and back to the start page, and gives other people its own address", () => {
  openBrowser("?chain=1");
  const table = { chain: 5, address: TABLE, rpc: null };
  const opened: string[] = [];
  window.addEventListener("popstate", () => opened.push(location.search));
  go(table, ALICE);
  go(null);
  expect(opened).toEqual([linkTo(table, ALICE), ""]);
  location.href = "http://host/page/?chain=1#board";
  expect(fullLink(table, null)).toBe(`http://host/page/${linkTo(table)}`);
  vi.unstubAllGlobals();
});
