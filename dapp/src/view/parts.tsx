// What several views are made of: buttons, links, cards, fields, people, codes.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentProps } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { keccak256 } from "viem/utils";
import { explorerLink, faucetLink, knownChains } from "../chains.ts";
import { fullLink, go, linkTo, type TableLink } from "../link.ts";
import type { Address } from "../rules.ts";
import { state } from "../state.ts";
import { fill, text } from "../text.ts";
import { chainOf, stopWaiting } from "../transactions.ts";
import { chainName, short, spending } from "../words.ts";

// -- buttons and links ----------------------------------------------------------------

interface ButtonProps extends ComponentProps<"button"> {
  press: () => unknown;
  /** Its words, where they are all that it has. */
  words?: string;
  able?: boolean;
}

/** A button that keeps the focus while it cannot be pressed: `disabled` would lose it. */
export const Button = ({ press, words, able = true, children, ...rest }: ButtonProps) => (
  <button type="button" aria-disabled={able ? undefined : "true"} onClick={() => void (able && press())} {...rest}>
    {words}
    {children}
  </button>
);

const canShare = (): boolean => typeof navigator.share === "function";

interface CopyButtonProps {
  what: string;
  words: string;
  /** What the share sheet gets, if the device has one. */
  share?: ShareData;
  class: string;
}

/** How long a button says what came of the press, in milliseconds. */
const SHOWN = 3000;

/** Copies, and says so on itself; or opens the device's share sheet, which speaks for itself. */
function CopyButton({ what, words, share, class: look }: CopyButtonProps) {
  const outcome = useSignal("");
  const press = async (): Promise<void> => {
    try {
      if (share && canShare()) return await navigator.share(share);
    } catch (error) {
      // The person has closed the sheet. Otherwise a copy may help.
      if ((error as Error).name === "AbortError") return;
    }
    try {
      // Without a secure connection there is no clipboard, and this throws.
      await navigator.clipboard.writeText(what);
      outcome.value = text.game.copied;
    } catch {
      outcome.value = text.game.notCopied;
    }
    setTimeout(() => (outcome.value = ""), SHOWN);
  };
  return (
    <Button class={look} press={press}>
      <span aria-live="polite">{outcome.value || words}</span>
    </Button>
  );
}

/** Sends the link to a table on, by the device's share sheet or as a copy. At a free table it says who invites. */
export function Share({ table, host, class: look }: { table: TableLink; host: Address | null; class: string }) {
  const url = fullLink(table, host);
  const share = { title: text.title, text: text.invite.message, url };
  return <CopyButton class={look} what={url} share={share} words={canShare() ? text.invite.send : text.game.share} />;
}

type LocalLinkProps = { table: TableLink | null; class?: string; children: ComponentChildren };

/** A link to a table, or to the start page for null, opened in place. */
export function LocalLink({ table, ...rest }: LocalLinkProps) {
  const open = (event: MouseEvent): void => {
    // The browser opens new tabs and windows itself.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(table);
  };
  return <a href={table === null ? "./" : linkTo(table)} onClick={open} {...rest} />;
}

/** A link to another site, or only its words where there is none. */
export function OutsideLink({ href, label, words }: { href: string | null; label?: string; words: string }) {
  if (href === null) return <>{words}</>;
  return (
    <a href={href} aria-label={label} target="_blank" rel="noopener noreferrer">
      {words}
    </a>
  );
}

// -- cards and fields -----------------------------------------------------------------

interface CardProps {
  title: string;
  class?: string;
  /** Beside the title. */
  aside?: string;
  children: ComponentChildren;
}

export function Card({ title, class: look = "", aside, children }: CardProps) {
  const heading = useId();
  return (
    <section class={`card stack ${look}`} aria-labelledby={heading}>
      <div class="row apart">
        <h2 id={heading}>{title}</h2>
        {aside && <span class="hint">{aside}</span>}
      </div>
      {children}
    </section>
  );
}

/** What is wrong with what a person has filled in or asked for. */
export const Problem = ({ words }: { words: ComponentChildren }) => (
  <p class="hint error" role="alert">
    {words}
  </p>
);

type PasteFieldProps = ComponentProps<"input"> & { label: string; hint?: string; problem: string };

/** A field into which a link or an address is pasted: the browser changes nothing in it. */
export function PasteField({ label, hint, problem, ...rest }: PasteFieldProps) {
  const [field, about] = [useId(), useId()];
  const plain = { autocomplete: "off", autocapitalize: "off", spellcheck: false, maxLength: 600 } as const;
  const described = { "aria-invalid": problem ? "true" : undefined, "aria-describedby": about } as const;
  return (
    <div class="field stack tight">
      <label for={field}>{label}</label>
      <input id={field} class="mono" {...plain} {...described} {...rest} />
      <div id={about} class="hint">
        {hint}
        <Problem words={problem} />
      </div>
    </div>
  );
}

/** The known chains, and the wallet's own. */
export function Networks({ value, choose }: { value: number; choose: (id: number) => void }) {
  const field = useId();
  const own = state.connection.value?.chain;
  const ids = new Set([...knownChains.map(({ id }) => id), ...(own === undefined ? [] : [own])]);
  return (
    <div class="field stack tight">
      <label for={field}>{text.home.chain}</label>
      <select id={field} value={value} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
        {[...ids].map((id) => (
          <option key={id} value={id} label={spending(chainName(id), id)} />
        ))}
      </select>
    </div>
  );
}

/** Whether the player's account is empty, and where a player gets the coins of a test network. */
export function FreeCoins({ chain }: { chain: number }) {
  const isEmpty = state.isBroke.value && state.connection.value?.chain === chain;
  const href = faucetLink(chain);
  if (!isEmpty && href === null) return null;
  const names = { chain: chainName(chain) };
  return (
    <p class="hint">
      {isEmpty && `${fill(text.chain.noCoins, names)} `}
      {href && <OutsideLink href={href} words={fill(text.chain.freeCoins, names)} />}
    </p>
  );
}

/** The player's transaction that no block includes yet: its link, and after a while the offer to stop waiting. */
export function Waiting() {
  const { value: pending } = state.pending;
  const { value: mayStop } = state.mayStop;
  const href = pending?.phase === "sent" ? explorerLink(chainOf(pending), pending.hash) : null;
  if (pending === null || (href === null && !mayStop)) return null;
  return (
    <p class="row">
      {href !== null && <OutsideLink href={href} words={text.status.transaction} />}
      {mayStop && (
        <>
          <span class="hint">{text.status.slow}</span>
          <Button class="link" press={stopWaiting} words={text.status.stopWaiting} />
        </>
      )}
    </p>
  );
}

// -- people ---------------------------------------------------------------------------

/** The path in a cell of 10 x 10, and its look. */
const SHAPES = [
  ["", ""],
  ["m2.5 2.5 5 5m0-5-5 5", "ink-x"],
  ["M5 2.3a2.7 2.7 0 1 0 .01 0z", "ink-o"],
  ["M2.5 2.5h5v5h-5z", "ink-x solid"],
  ["M5 2.5a2.5 2.5 0 1 0 .01 0z", "ink-o solid"],
] as const;

/**
 * A face for an address: nine cells like a board's, the right column mirrors the left one. It helps to tell two addresses apart at a
 * glance, and the address is always written beside it. It proves nothing: somebody can look for an address with a given face.
 */
export function Face({ address }: { address: Address }) {
  // The hash spreads addresses that begin alike.
  const hash = keccak256(address);
  const cellView = (cell: number) => {
    const at = 2 + 8 * Math.floor(cell / 3) + (cell % 3 === 1 ? 4 : 0);
    const part = Number(`0x${hash.slice(at, at + 4)}`);
    // The centre is never empty, so that no face is.
    const [path, look] = SHAPES[cell === 4 ? 1 + (part % 4) : part % 5] ?? SHAPES[0];
    const corner = `translate(${(cell % 3) * 10} ${Math.floor(cell / 3) * 10})`;
    return <path key={cell} class={look} transform={corner} d={path} />;
  };
  return (
    <svg class="face" viewBox="-1 -1 32 32" stroke-width="2" aria-hidden="true">
      {[0, 1, 2, 3, 4, 5, 6, 7, 8].map(cellView)}
    </svg>
  );
}

/** A face, and the ends of the address. */
export function Person({ address }: { address: Address }) {
  return (
    <span class="row tight">
      <Face address={address} />
      <bdi class="mono">{short(address)}</bdi>
    </span>
  );
}

type AddressProps = { address: Address; chain: number };

/** A short form as a button that unfolds the whole address below it. */
export function AddressButton({ address, chain }: AddressProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <Button class="link" aria-expanded={isOpen.value} press={() => (isOpen.value = !isOpen.value)}>
        <Person address={address} />
      </Button>
      {isOpen.value && <FullAddress address={address} chain={chain} />}
    </>
  );
}

export function FullAddress({ address, chain }: AddressProps) {
  const href = explorerLink(chain, address);
  return (
    <span class="stack tight">
      <bdi class="mono">{address}</bdi>
      <span class="row">
        <CopyButton class="link" what={address} words={text.address.copy} />
        {href !== null && <OutsideLink href={href} words={text.address.explorer} />}
      </span>
    </span>
  );
}

/** A QR code. The encoder is loaded when the first code is drawn. */
export function QrCode({ words, label }: { words: string; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = async (): Promise<void> => {
      const { correction, generate } = await import("lean-qr/nano");
      if (canvas.current) generate(words, { minCorrectionLevel: correction.M }).toCanvas(canvas.current);
    };
    // Without a network there is no code. The link is there, too.
    void draw().catch(() => null);
  }, [words]);
  return <canvas ref={canvas} class="qr" role="img" aria-label={label} />;
}
