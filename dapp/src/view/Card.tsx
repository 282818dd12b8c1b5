import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "./Card.css";

interface Props {
  title: string;
  class?: string;
  /** Beside the title. */
  aside?: string;
  children: ComponentChildren;
}

export function Card({ title, class: look = "", aside, children }: Props) {
  const heading = useId();
  return (
    <section class={`card stack ${look}`} aria-labelledby={heading}>
      <div class="card-head row apart">
        <h2 id={heading}>{title}</h2>
        {aside && <span class="hint">{aside}</span>}
      </div>
      {children}
    </section>
  );
}
