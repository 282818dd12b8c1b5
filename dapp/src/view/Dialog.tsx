// The frame of every dialog. A modal <dialog> keeps the focus inside, closes with Escape and returns the focus.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { closeDialog } from "./dialogs.ts";
import "./Card.css";
import "./Field.css";

export function Dialog({ title, children }: { title: string; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    box.current?.showModal();
    return () => box.current?.close();
  }, []);
  // The event comes late, when the next dialog may be open.
  const closed = (): void => void (box.current?.isConnected && closeDialog());
  return (
    <dialog ref={box} class="stack" aria-labelledby={heading} onClose={closed} {...{ closedby: "any" }}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
