// All that the page shows inside another page's frame, which could draw its own buttons over these. Many static hosts cannot
// forbid frames by a header.
import { text } from "../text.ts";
import { OutsideLink } from "./Button.tsx";

export function Framed() {
  return (
    <main>
      <p>
        <OutsideLink href={location.href}>{text.framed}</OutsideLink>
      </p>
    </main>
  );
}
