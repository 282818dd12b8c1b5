// Tables with names. A factory that every large chain has deploys a contract at an address that follows from a salt and the
// creation code alone (CREATE2). The salt is the hash of the name, so a name is one address on every chain, and no other code
// can be there.
import { concat, getCreate2Address, keccak256, toHex } from "viem/utils";
import { CREATION_HASH } from "./generated/contract.ts";
import type { Address, Hex } from "./rules.ts";

/** It takes a salt of 32 bytes and then the creation code (EIP-7997). */
export const FACTORY: Address = "0x4e59b44847b379578588920cA78FbF26c0B4956C";
export const FACTORY_HASH: Hex = "0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989";

/** A name as people type it: letters and digits, with single hyphens between them. What begins like an address is none. */
export function parseName(text: string): string | null {
  const name = text.trim().toLowerCase();
  return name.length <= 32 && /^(?!0x)[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? name : null;
}

const saltOf = (name: string): Hex => keccak256(toHex(name));

export function tableAddress(name: string): Address {
  return getCreate2Address({ from: FACTORY, salt: saltOf(name), bytecodeHash: CREATION_HASH });
}

/** What the factory is sent to deploy the table. */
export const deployData = (name: string, bytecode: Hex): Hex => concat([saltOf(name), bytecode]);
