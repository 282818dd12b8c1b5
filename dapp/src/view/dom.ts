// What the views do to the document. Text is set as text, never as markup, because names, errors and addresses come from
// outside.
import { text } from "../text/index.ts";

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`no #${id} in index.html`);
  return element as T;
}

/** Changes the text only if it differs, so that a selection and a screen reader's position survive. */
export function setText(element: Element, words: string): void {
  if (element.textContent !== words) element.textContent = words;
}

export function attribute(element: Element, name: string, value: string | null): void {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function show(element: HTMLElement | SVGElement, visible: boolean): void {
  element.toggleAttribute("hidden", !visible);
}

/** Uses aria-disabled, because a `disabled` button loses the focus. */
export function enable(button: HTMLElement, able: boolean): void {
  attribute(button, "aria-disabled", able ? null : "true");
}

export function onPress(id: string, act: () => void): void {
  const button = byId(id);
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") === null) act();
  });
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function makeSvg(tag: string, attributes: Record<string, string>, ...children: Node[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function sentence(path: string): string {
  let found: unknown = text;
  for (const key of path.split(".")) found = (found as Record<string, unknown>)[key];
  if (typeof found !== "string") throw new Error(`no sentence ${path}`);
  return found;
}

/** Fills index.html with the sentences of the language. */
export function translatePage(): void {
  document.querySelector('meta[name="description"]')?.setAttribute("content", text.description);
  for (const element of document.querySelectorAll("[data-t]")) {
    setText(element, sentence(element.getAttribute("data-t") ?? ""));
  }
  for (const element of document.querySelectorAll("[data-t-label]")) {
    attribute(element, "aria-label", sentence(element.getAttribute("data-t-label") ?? ""));
  }
}
