// A face for an address: nine cells like a board's, the right column mirrors the left one. It helps to tell two addresses
// apart at a glance. It proves nothing, because somebody can look for an address with a given face.
import { keccak256 } from "viem/utils";
import type { Address } from "./rules.ts";

export type FaceCell = "empty" | "cross" | "ring" | "square" | "disc";

const KINDS: readonly FaceCell[] = ["empty", "cross", "ring", "square", "disc"];

/** The hash spreads addresses that begin alike. */
export function faceOf(address: Address): FaceCell[] {
  const hash = keccak256(address);
  const kind = (at: number, first = 0): FaceCell =>
    KINDS[first + (Number(`0x${hash.slice(2 + at * 4, 6 + at * 4)}`) % (KINDS.length - first))] ?? "empty";
  return [0, 1, 2].flatMap((row) => {
    const side = kind(row * 2);
    // The centre is never empty, so that no face is.
    return [side, kind(row * 2 + 1, row === 1 ? 1 : 0), side];
  });
}
