// The view for a link that opens no table; and the question whether to connect to a link's endpoint.
import { Button } from "./Button.tsx";
import type { TroubleText } from "./troubleText.ts";
import "./Trouble.css";

export function Trouble({ trouble: { title, words, yes, no } }: { trouble: TroubleText }) {
  return (
    <section class="trouble stack">
      <svg viewBox="0 0 100 100" stroke-width="3.5" aria-hidden="true">
        <path d="M35 8c-1 28 1 56 0 84M66 8c1 28-1 56 0 84M8 35c28-1 56 1 84 0M8 66c28 1 34 0 50 0" />
      </svg>
      <h1 tabIndex={-1}>{title}</h1>
      <p class="lead">{words}</p>
      <div class="row">
        <Button class="primary" press={yes.press}>
          {yes.label}
        </Button>
        {no && <Button press={no.press}>{no.label}</Button>}
      </div>
    </section>
  );
}
