// A player or a table: a face, the ends of the address, the whole address to copy, and its page in the explorer.
import { useSignal } from "@preact/signals";
import { explorerLink } from "../chains.ts";
import type { Address } from "../rules.ts";
import { fill, text } from "../text/index.ts";
import { short } from "../words.ts";
import { Button, OutsideLink } from "./Button.tsx";
import { Face } from "./Face.tsx";
import "./Person.css";

export function Person({ address }: { address: Address }) {
  return (
    <span class="person">
      <Face address={address} />
      <bdi class="mono" title={address}>
        {short(address)}
      </bdi>
    </span>
  );
}

/** How long "copied" is shown, in milliseconds. */
const SHOWN = 2000;

export function AddressTools({ address, chain }: { address: Address; chain: number }) {
  const said = useSignal("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(address);
      said.value = text.address.copied;
    } catch {
      // No permission, or no secure connection: the address is shown to be copied by hand.
      said.value = address;
      return;
    }
    setTimeout(() => (said.value = ""), SHOWN);
  };
  const href = explorerLink(chain, address);
  const names = { address: short(address) };
  return (
    <span class="address-tools">
      <Button class="link" label={fill(text.address.copyLabel, names)} press={copy}>
        {text.address.copy}
      </Button>
      {href !== null && (
        <OutsideLink href={href} label={fill(text.address.explorerLabel, names)}>
          {text.address.explorer}
        </OutsideLink>
      )}
      <bdi class="hint" role="status">
        {said}
      </bdi>
    </span>
  );
}
