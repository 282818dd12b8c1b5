// X and O, drawn with two coloured pencils.
import { type Mark, X } from "../rules.ts";

const STROKES = {
  x: ["M23 25c19 15 37 33 54 52", "M77 23C60 40 40 60 24 78"],
  o: ["M53 20c21-2 31 15 28 33-3 20-21 29-36 25-18-5-27-21-23-37 4-13 16-22 33-20"],
};

export function Glyph({ mark }: { mark: Mark }) {
  const name = mark === X ? "x" : "o";
  return (
    <svg key={name} class={`glyph ink-${name}`} viewBox="0 0 100 100" stroke-width="12" aria-hidden="true">
      {STROKES[name].map((d) => (
        <path key={d} d={d} pathLength="1" />
      ))}
    </svg>
  );
}
