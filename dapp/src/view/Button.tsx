// A button that keeps the focus while it cannot be pressed: `disabled` would lose it.
import type { ComponentChildren } from "preact";
import "./Button.css";

interface Props {
  press: () => unknown;
  able?: boolean;
  class?: string | undefined;
  label?: string | undefined;
  children: ComponentChildren;
}

export function Button({ press, able = true, class: look, label, children }: Props) {
  return (
    <button
      type="button"
      class={look}
      aria-label={label}
      aria-disabled={able ? undefined : "true"}
      onClick={() => void (able && press())}
    >
      {children}
    </button>
  );
}

/** A link to another page of the site, opened in place. */
export function LocalLink({
  href,
  go,
  class: look,
  children,
}: {
  href: string;
  go: () => void;
  class?: string;
  children: ComponentChildren;
}) {
  const open = (event: MouseEvent): void => {
    // The browser opens new tabs and windows itself.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go();
  };
  return (
    <a href={href} class={look} onClick={open}>
      {children}
    </a>
  );
}

/** A link to another site. */
export function OutsideLink({ href, label, children }: { href: string; label?: string; children: ComponentChildren }) {
  return (
    <a href={href} aria-label={label} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
