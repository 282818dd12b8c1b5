// Every form in which wallets and nodes report a failure, and the sentence for it.
import { expect, test } from "vitest";
import { type Reason, toFailure } from "../../src/failures.ts";
import { InvalidAnswer, NoAnswer } from "../../src/rpc.ts";
import { text } from "../../src/text.ts";
import { noticeText } from "../../src/words.ts";
import { revert } from "../support/node.ts";

const sentence = (error: unknown): string => noticeText(toFailure(error));

const encoded = (reason: string): unknown => revert(reason).data;
const wrapped = (data: object) => ({ code: -32603, message: "Internal JSON-RPC error.", data });
const said = (message: string, code = -32603) => ({ code, message });
/** A revert with this data. */
const data = (value: unknown, words = "execution reverted") => ({ ...said(words, 3), data: value });

test("each reason of the contract has its sentence", () => {
  for (const reason of Object.keys(text.reason) as Reason[])
    expect(sentence(data(encoded(reason), `execution reverted: ${reason}`))).toBe(text.reason[reason]);
});

const { failure } = text;
const TURN = text.reason["not your turn"];
const refused = (detail: string): string => `The wallet refused: ${detail}`;

/** Wallets wrap an error a few times. More errors inside each other would only keep the page busy. */
const inside = (errors: number): object =>
  errors === 0 ? said("No.", 4001) : { message: "layer", data: inside(errors - 1) };

test.each<[string, unknown]>([
  [failure.declined, inside(0)],
  [failure.declined, inside(19)],
  [refused("layer"), inside(20)],
  [failure.declined, { code: "ACTION_REJECTED", message: "x" }],
  [failure.declined, wrapped({ originalError: { code: 4001 } })],
  [failure.declined, said("MetaMask Tx Signature: User denied transaction signature.")],
  [failure.declined, said("user cancelled the request")],
  // Only the first 1,000 characters count.
  [refused("x".repeat(160)), said(`${"x".repeat(1000)} user rejected`)],
  [TURN, wrapped({ originalError: data(encoded("not your turn"), "reverted") })],
  [TURN, said("VM Exception while processing: reverted with reason string 'not your turn'")],
  [TURN, said("execution reverted:\n  not your turn", -32000)],
  [TURN, said("VM execution error: revert not your turn")],
  [TURN, said("REVERTED: not your turn")],
  ...[",", ".", "(", " ("].map((end): [string, unknown] => [TURN, said(`reverted: not your turn${end} at block 7`)]),
  [TURN, said(`execution reverted:${" ".repeat(60)}not your turn`, 3)],
  [TURN, data({ message: "Internal error" }, "execution reverted: not your turn")],
  ...[`${encoded("not your turn")}zz`, `${encoded("not your turn")}0`, "0x"].map((wrong): [string, unknown] => [
    failure.reverted,
    data(wrong),
  ]),
  [failure.reverted, said("execution reverted: something not of this contract", 3)],
  [failure.reverted, data(encoded("something not of this contract"))],
  [failure.reverted, said("execution reverted: not your turn at all", 3)],
  [failure.noAnswer, said("Request timeout")],
  [failure.noAnswer, said("The request timed out")],
  [failure.noAnswer, said("disconnected", 4900)],
  [failure.noAnswer, said("disconnected", 4901)],
  [failure.noAnswer, new NoAnswer("x")],
  [failure.noAnswer, new TypeError("Failed to fetch")],
  [failure.invalidAnswer, new InvalidAnswer("x")],
  [failure.unknownChain, wrapped({ originalError: said("Unrecognized chain", 4902) })],
  [failure.funds, said("Insufficient funds for gas * price + value", -32003)],
  [failure.busy, said("Request of type already pending", -32002)],
  [failure.locked, said("unauthorized", 4100)],
  [refused("?"), null],
  [refused("undefined"), undefined],
  [refused("?"), { message: { toString: null } }],
  [refused("one <b>two</b>"), { message: "one\u202e\u0000\n\n<b>two</b>\u200b" }],
  // A pattern of quadratic time would take minutes.
  [failure.reverted, said(`revert${" ".repeat(993)}!`.repeat(100_000))],
  [failure.reverted, data(`0x08c379a0${"f".repeat(2_000_000)}`)],
])("%s", (words, error) => {
  expect(sentence(error)).toBe(words);
});
