// Opens a table by its link or its address.
import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import { knownChains } from "../chains.ts";
import { go, parseChain, parsePasted } from "../link.ts";
import { state } from "../state.ts";
import { text } from "../text.ts";
import { chainName } from "../words.ts";
import { Card } from "./Card.tsx";
import { pasted } from "./pasted.ts";

const OTHER = "other";

/** The wallet's chain, if the page knows it. */
function walletChain(): string {
  const chain = knownChains.find(({ id }) => id === state.connection?.chain) ?? knownChains[0];
  return String(chain?.id ?? OTHER);
}

/** The chains whose coins are free, or the others. */
const chainsOf = (free: boolean) => (
  <optgroup label={free ? text.home.testnets : text.home.mainnets}>
    {knownChains
      .filter(({ testnet }) => testnet === free)
      .map(({ id }) => (
        <option key={id} value={String(id)}>
          {chainName(id)}
        </option>
      ))}
  </optgroup>
);

export function OpenForm() {
  /** The chain that the player has chosen. Until then it follows the wallet. */
  const chosen = useSignal<string | null>(null);
  const problem = useSignal<"badChain" | "badAddress" | null>(null);
  const [number, address] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const [chainField, numberField, addressField, error] = [useId(), useId(), useId(), useId()];
  const choice = chosen.value ?? walletChain();

  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    const chain = parseChain(choice === OTHER ? (number.current?.value.trim() ?? "") : choice);
    const found = parsePasted(address.current?.value ?? "", chain);
    if (found !== null) return go(found.table, found.inviter);
    // A link names its own chain.
    problem.value = chain === null ? "badChain" : "badAddress";
    (chain === null ? number : address).current?.focus();
  };

  return (
    <Card title={text.home.openTitle}>
      <p>{text.home.openText}</p>
      <form class="stack" noValidate onSubmit={open}>
        <div class="field stack">
          <label for={addressField}>{text.home.address}</label>
          <input
            ref={address}
            id={addressField}
            {...pasted}
            placeholder="https://… 0x…"
            aria-invalid={problem.value === "badAddress" ? "true" : undefined}
            aria-describedby={error}
          />
        </div>
        <div class="field stack">
          <label for={chainField}>{text.home.chain}</label>
          <select id={chainField} value={choice} onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}>
            {chainsOf(true)}
            {chainsOf(false)}
            <option value={OTHER}>{text.home.otherChain}</option>
          </select>
        </div>
        {choice === OTHER && (
          <div class="field stack">
            <label for={numberField}>{text.home.chainNumber}</label>
            <input
              ref={number}
              id={numberField}
              inputMode="numeric"
              autocomplete="off"
              maxLength={16}
              aria-invalid={problem.value === "badChain" ? "true" : undefined}
              aria-describedby={error}
            />
          </div>
        )}
        <p class="hint error" id={error} role="alert">
          {problem.value && text.home[problem.value]}
        </p>
        <button type="submit">{text.home.open}</button>
      </form>
    </Card>
  );
}
