// The face of an address, for the eye only: the address is always written beside it.
import { type FaceCell, faceOf } from "../face.ts";
import type { Address } from "../rules.ts";
import "./Face.css";

const SHAPES: Record<FaceCell, string> = {
  empty: "",
  cross: "m2.5 2.5 5 5m0-5-5 5",
  ring: "M5 2.3a2.7 2.7 0 1 0 .01 0z",
  square: "M1.5 1.5h7v7h-7z",
  disc: "M5 1.5a3.5 3.5 0 1 0 .01 0z",
};

export function Face({ address }: { address: Address }) {
  return (
    <svg class="face" viewBox="-1 -1 32 32" aria-hidden="true">
      {faceOf(address).map((kind, cell) => (
        <path key={cell} class={`face-${kind}`} transform={`translate(${(cell % 3) * 10} ${Math.floor(cell / 3) * 10})`} d={SHAPES[kind]} />
      ))}
    </svg>
  );
}
