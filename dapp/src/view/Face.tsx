// The face of an address, for the eye only: the address is always written beside it.
import { type FaceCell, faceOf } from "../face.ts";
import type { Address } from "../rules.ts";
import "./Face.css";

/** The path in a cell of 10 x 10, and its look. */
const SHAPES: Record<FaceCell, [path: string, look: string]> = {
  empty: ["", ""],
  cross: ["m2.5 2.5 5 5m0-5-5 5", "ink-x"],
  ring: ["M5 2.3a2.7 2.7 0 1 0 .01 0z", "ink-o"],
  square: ["M2.5 2.5h5v5h-5z", "ink-x solid"],
  disc: ["M5 2.5a2.5 2.5 0 1 0 .01 0z", "ink-o solid"],
};

export function Face({ address }: { address: Address }) {
  return (
    <svg class="face" viewBox="-1 -1 32 32" stroke-width="2" aria-hidden="true">
      {faceOf(address).map((kind, cell) => {
        const [path, look] = SHAPES[kind];
        return (
          <path
            key={cell}
            class={look}
            transform={`translate(${(cell % 3) * 10} ${Math.floor(cell / 3) * 10})`}
            d={path}
          />
        );
      })}
    </svg>
  );
}
