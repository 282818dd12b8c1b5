// Every form in which wallets and nodes report a failure, and the sentence for it.
import { expect, test } from "vitest";
import { asWords, REASONS, toFailure } from "../../src/failures.ts";
import { clientOf, InvalidAnswer, NoAnswer } from "../../src/rpc.ts";
import { text } from "../../src/text.ts";
import { failureText } from "../../src/words.ts";
import { revert } from "./support/node.ts";

const sentence = (error: unknown): string => failureText(toFailure(error));

/** The sentence for what a wallet throws, through the page's client. */
async function sentenceOfWallet(error: unknown): Promise<string> {
  const request = async (): Promise<never> => {
    throw error;
  };
  try {
    return String(await clientOf({ request }).request({ method: "eth_chainId" }));
  } catch (thrown) {
    return sentence(thrown);
  }
}
const encoded = (reason: string): unknown => revert(reason).data;

test.each([
  ["a node", (reason: string) => ({ code: 3, message: `execution reverted: ${reason}`, data: encoded(reason) })],
  [
    "a wallet that wraps it",
    (reason: string) => ({
      code: -32603,
      message: "Internal JSON-RPC error.",
      data: { code: 3, data: encoded(reason) },
    }),
  ],
  [
    "a wallet that wraps it twice",
    (reason: string) => ({
      code: -32603,
      message: "x",
      data: { originalError: { code: 3, data: encoded(reason), message: "reverted" } },
    }),
  ],
  [
    "Hardhat",
    (reason: string) => ({
      code: -32603,
      message: `VM Exception while processing transaction: reverted with reason string '${reason}'`,
    }),
  ],
  ["a message alone", (reason: string) => ({ code: -32000, message: `execution reverted: ${reason}` })],
  [
    "a message on a line of its own",
    (reason: string) => ({ code: -32000, message: `execution reverted:\n  ${reason}` }),
  ],
])("each reason of the contract has its sentence, from %s", async (_, shape) => {
  for (const reason of REASONS) {
    expect(sentence(shape(reason))).toBe(text.reason[reason]);
    expect(await sentenceOfWallet(shape(reason))).toBe(text.reason[reason]);
  }
});

test.each<[string, unknown]>([
  [text.failure.declined, { code: 4001, message: "No." }],
  [text.failure.declined, { code: "ACTION_REJECTED" }],
  [text.failure.declined, { code: -32603, message: "User denied transaction signature" }],
  [text.failure.declined, { code: 4001, message: "No.", data: null }],
  [text.failure.declined, { message: "x", error: { code: 4001, message: "No." } }],
  [text.failure.declined, { message: "x", info: { code: 4001, message: "No." } }],
  [text.failure.declined, { code: -32603, message: "user canceled" }],
  [text.failure.declined, { code: -32603, message: "User cancelled the request" }],
  [`The wallet refused: ${"x".repeat(160)}`, { code: -32603, message: `${"x".repeat(1000)} user rejected` }],
  [text.reason["not your turn"], { code: -32603, message: "VM execution error: revert not your turn" }],
  [text.reason["not your turn"], { code: -32603, message: "REVERTED: not your turn" }],
  ...[",", ".", "(", " ("].map((end): [string, unknown] => [
    text.reason["not your turn"],
    { code: -32603, message: `reverted: not your turn${end} at block 7` },
  ]),
  [text.reason["not your turn"], { code: 3, message: `execution reverted:${" ".repeat(60)}not your turn` }],
  [
    text.reason["not your turn"],
    { code: 3, message: "execution reverted: not your turn", data: { message: "Internal error" } },
  ],
  [text.failure.reverted, { code: 3, message: "execution reverted", data: `${encoded("not your turn")}zz` }],
  [text.failure.reverted, { code: 3, message: "execution reverted", data: `${encoded("not your turn")}0` }],
  [text.failure.noAnswer, { code: -32603, message: "Request timeout" }],
  [text.failure.noAnswer, { code: -32603, message: "The request timed out" }],
  [text.failure.unknownChain, { code: 4902, message: "Unrecognized chain" }],
  [
    text.failure.unknownChain,
    { code: -32603, message: "Internal error", data: { originalError: { code: 4902, message: "Unrecognized chain" } } },
  ],
  [text.failure.funds, { code: -32003, message: "Insufficient funds for gas * price + value" }],
  [text.failure.busy, { code: -32002, message: "Request of type already pending" }],
  [text.failure.locked, { code: 4100, message: "unauthorized" }],
  [text.failure.noAnswer, { code: 4900, message: "disconnected" }],
  [text.failure.noAnswer, new NoAnswer("x")],
  [text.failure.noAnswer, new TypeError("Failed to fetch")],
  [text.failure.invalidAnswer, new InvalidAnswer("x")],
  [
    "The wallet refused: <img src=x onerror=alert(1)> of a wallet",
    { code: -32603, message: "<img src=x onerror=alert(1)> of a wallet" },
  ],
  [
    `The wallet refused: transaction failed ${"!".repeat(141)}`,
    { code: -32603, message: `transaction failed ${"!".repeat(5000)}` },
  ],
  [text.failure.reverted, { code: 3, message: "execution reverted", data: "0x" }],
  [text.failure.reverted, { code: 3, message: "execution reverted: something not of this contract" }],
  [text.failure.reverted, { code: 3, message: "execution reverted: not your turn at all" }],
])("%s", async (words, error) => {
  expect(sentence(error)).toBe(words);
  expect(await sentenceOfWallet(error)).toBe(words);
});

test("a decline is found inside 19 errors, and not inside 20", () => {
  const inside = (errors: number): object =>
    errors === 0 ? { code: 4001, message: "No." } : { message: "layer", data: inside(errors - 1) };
  expect([sentence(inside(19)), sentence(inside(20))]).toEqual([text.failure.declined, "The wallet refused: layer"]);
});

const circle: Record<string, unknown> = { code: -32603, message: "round and round" };
Object.assign(circle, { data: circle, cause: circle, error: circle });
const bomb = Object.defineProperty({}, "message", {
  get() {
    throw new Error("bomb");
  },
});

test.each([
  ["null", null, "The wallet refused: ?"],
  ["undefined", undefined, "The wallet refused: undefined"],
  ["a number", 42, "The wallet refused: 42"],
  ["words", "words", "The wallet refused: words"],
  ["a symbol", Symbol("s"), "The wallet refused: Symbol(s)"],
  ["an object without a prototype", Object.create(null), "The wallet refused: ?"],
  ["an error inside itself", circle, "The wallet refused: round and round"],
  ["a property that throws", bomb, "The wallet refused: ?"],
  ["a message that is no text", { message: { toString: null } }, "The wallet refused: ?"],
  ["control characters", { message: "one\u202e\u0000\n\n<b>two</b>\u200b" }, "The wallet refused: one <b>two</b>"],
  ["20 million characters", { message: "x".repeat(20_000_000) }, `The wallet refused: ${"x".repeat(160)}`],
  ["revert data of two million digits", { code: 3, data: `0x08c379a0${"f".repeat(2_000_000)}` }, text.failure.reverted],
  [
    "revert data without content",
    { code: 3, message: "execution reverted", data: { data: "0x08c379a0" } },
    text.failure.reverted,
  ],
])("%s causes a sentence", (_, thrown, words) => {
  expect(sentence(thrown)).toBe(words);
});

test("an error of 800 kB is read in a moment", () => {
  const message = `revert${" ".repeat(993)}!`;
  const nest = (depth: number): object => ({
    message,
    ...(depth === 0
      ? {}
      : Object.fromEntries(["data", "originalError", "cause", "error", "info"].map((key) => [key, nest(depth - 1)]))),
  });
  // With a pattern of quadratic time it took ten seconds, twice the time limit of a test.
  expect(sentence(nest(4))).toBe(text.failure.reverted);
});

test("foreign words become one short line", () => {
  expect(asWords("One\nline\r\n\u2028only\t ", 40)).toBe("One line only");
  expect(asWords("\u202eksaMateM \u0000\u0007\u200b", 40)).toBe("ksaMateM");
  expect(asWords(`Z${"\u0335\u0336".repeat(400)}algo`, 40)).toBe("Z\u0335\u0336algo");
  expect([...asWords("🦊".repeat(100), 40)]).toHaveLength(40);
  expect(asWords({}, 40)).toBe("");
});
