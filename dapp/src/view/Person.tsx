// A player or a table: a face, the ends of the address, the whole address to copy, and its page in the explorer.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { explorerLink } from "../chains.ts";
import type { Address } from "../rules.ts";
import { fill, text } from "../text.ts";
import { short } from "../words.ts";
import { Button, OutsideLink } from "./Button.tsx";
import { Face } from "./Face.tsx";
import "./Card.css";
import "./Person.css";

export function Person({ address }: { address: Address }) {
  return (
    <span class="person row">
      <Face address={address} />
      <bdi class="mono">{short(address)}</bdi>
    </span>
  );
}

interface CardProps {
  address: Address;
  chain: number;
  children: ComponentChildren;
}

/** A short form as a button that shows the whole address. */
export function AddressButton({ address, chain, children }: CardProps) {
  const card = useId();
  return (
    <>
      <button type="button" class="link person-button" title={address} {...{ popovertarget: card }}>
        {children}
      </button>
      <div id={card} popover="auto">
        <Face address={address} />
        <FullAddress address={address} chain={chain} />
      </div>
    </>
  );
}

/** How long "copied" is shown, in milliseconds. */
const SHOWN = 3000;

export function FullAddress({ address, chain }: { address: Address; chain: number }) {
  const copied = useSignal(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(address);
      copied.value = true;
      setTimeout(() => (copied.value = false), SHOWN);
    } catch {
      // No permission, or no secure connection. The address can be selected.
    }
  };
  const href = explorerLink(chain, address);
  return (
    <p class="full-address stack">
      <bdi class="mono">{address}</bdi>
      <span class="row">
        <Button class="link" press={copy}>
          {text.address.copy}
        </Button>
        {href !== null && (
          <OutsideLink href={href} label={fill(text.address.explorerLabel, { address: short(address) })}>
            {text.address.explorer}
          </OutsideLink>
        )}
        <span class="hint" role="status">
          {copied.value && text.address.copied}
        </span>
      </span>
    </p>
  );
}
