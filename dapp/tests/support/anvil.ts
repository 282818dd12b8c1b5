// A real node on a free port, and what the tests do to it.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { decodeFunctionResult, encodeDeployData, encodeFunctionData, getAddress } from "viem/utils";
import { BYTECODE } from "../../src/generated/bytecode.ts";
import { ABI } from "../../src/generated/contract.ts";

export type Address = `0x${string}`;
type Hex = `0x${string}`;

/** A fixed gas price: anvil's own depends on the last blocks. */
export const PRICE = "0x77359400";

const packages = fileURLToPath(new URL("../../node_modules/@foundry-rs/", import.meta.url));

export async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

function program(): string {
  // The program, not npm's wrapper around it, so that the signal reaches it.
  const found = readdirSync(packages).find((name) => name.startsWith("anvil-"));
  if (found === undefined) throw new Error("npm installed no anvil for this platform");
  return `${packages}${found}/bin/anvil${process.platform === "win32" ? ".exe" : ""}`;
}

export class Anvil {
  process: ChildProcess | null = null;
  accounts: Address[] = [];
  private automines = true;
  readonly port: number;
  readonly chainId: number;

  constructor(port: number, chainId = 31_337) {
    this.port = port;
    this.chainId = chainId;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  static async start(chainId?: number, ...options: string[]): Promise<Anvil> {
    const anvil = new Anvil(await freePort(), chainId);
    await anvil.up(...options);
    return anvil;
  }

  async up(...options: string[]): Promise<void> {
    const args = ["--silent", "--port", String(this.port), "--chain-id", String(this.chainId), ...options];
    const child = spawn(program(), args, { stdio: "ignore" });
    this.process = child;
    // Ends with the tests, even if one fails before `down`.
    const kill = (): void => void child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.removeListener("exit", kill));
    for (let tries = 0; ; tries += 1) {
      try {
        this.accounts = ((await this.rpc("eth_accounts")) as string[]).map((account) => getAddress(account));
        return;
      } catch (error) {
        if (tries > 200 || this.process.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async down(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const { process } = this;
    if (process === null || process.exitCode !== null || process.signalCode !== null) return;
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill(signal);
    await ended;
  }

  async rpc(method: string, ...params: unknown[]): Promise<unknown> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const body = (await response.json()) as {
      result?: unknown;
      error?: { code: number; message: string; data?: unknown };
    };
    if (body.error) throw Object.assign(new Error(body.error.message), body.error);
    return body.result;
  }

  account(at: number): Address {
    const account = this.accounts[at];
    if (account === undefined) throw new Error(`anvil has no account ${at}`);
    return account;
  }

  async send(from: Address, to: Address | undefined, data: Hex, more: object = {}): Promise<Hex> {
    const hash = await this.rpc("eth_sendTransaction", {
      from,
      ...(to ? { to } : {}),
      data,
      gas: "0x1c9c38",
      gasPrice: PRICE,
      ...more,
    });
    if (this.automines) await this.receipt(hash as Hex);
    return hash as Hex;
  }

  /** Anvil returns the hash before the block is there, also with automine. */
  async receipt(hash: Hex): Promise<{ contractAddress: string; status: string }> {
    for (let tries = 0; tries < 500; tries += 1) {
      const found = await this.rpc("eth_getTransactionReceipt", hash);
      if (found !== null) return found as { contractAddress: string; status: string };
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`${hash} was not mined`);
  }

  /** The statuses of the receipts of all these transactions. */
  async receipts(...hashes: string[][]): Promise<string[]> {
    return Promise.all(hashes.flat().map(async (hash) => (await this.receipt(hash as Hex)).status));
  }

  async deploy(code: Hex = encodeDeployData({ abi: ABI, bytecode: BYTECODE as Hex })): Promise<Address> {
    const hash = await this.send(this.account(9), undefined, code);
    return getAddress((await this.receipt(hash)).contractAddress);
  }

  newGame(table: Address, x: Address, o: Address, from = x, more: object = {}): Promise<Hex> {
    return this.send(from, table, encodeFunctionData({ abi: ABI, functionName: "newGame", args: [x, o] }), more);
  }

  move(table: Address, from: Address, cell: number, more: object = {}): Promise<Hex> {
    const args = [Math.floor(cell / 3), cell % 3] as const;
    return this.send(from, table, encodeFunctionData({ abi: ABI, functionName: "makeMove", args }), more);
  }

  forfeit(table: Address, from: Address): Promise<Hex> {
    return this.send(from, table, encodeFunctionData({ abi: ABI, functionName: "forfeit" }));
  }

  async game(table: Address) {
    const data = encodeFunctionData({ abi: ABI, functionName: "gameState" });
    const answer = (await this.rpc("eth_call", { to: table, data }, "latest")) as Hex;
    return decodeFunctionResult({ abi: ABI, functionName: "gameState", data: answer });
  }

  /** A game of these cells between two accounts, X first. */
  async play(table: Address, x: Address, o: Address, cells: number[]): Promise<void> {
    await this.newGame(table, x, o);
    for (const [at, cell] of cells.entries()) await this.move(table, at % 2 === 0 ? x : o, cell);
  }

  mine(): Promise<unknown> {
    return this.rpc("evm_mine");
  }

  automine(on: boolean): Promise<unknown> {
    this.automines = on;
    return this.rpc("evm_setAutomine", on);
  }
}
