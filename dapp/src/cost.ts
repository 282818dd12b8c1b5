// What a transaction costs before it is paid: its gas is known, the price of gas is the node's (viem's `getGasPrice`).
import { chainById } from "./chains.ts";
import { GAS } from "./generated/contract.ts";

export type Priced = keyof (typeof GAS)["mainnet"];

/** Two digits and the coin, such as "0.0043 ETH". Rollups add a small fee for the data, so the sentence says "about". */
export function costOf(what: Priced, chain: number, price: bigint, language: string): string {
  const { gas = "mainnet", currency } = chainById(chain) ?? {};
  const coins = Number(BigInt(GAS[gas][what]) * price) / 10 ** (currency?.decimals ?? 18);
  const number = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 }).format(coins);
  return `${number}\u00a0${currency?.symbol ?? "ETH"}`;
}
