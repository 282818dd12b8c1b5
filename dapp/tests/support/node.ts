// A real node, what people do at a table without the page, and what may go wrong between the node and the page.
import type { BrowserContext, Page } from "@playwright/test";
import type { Abi, Address, Hex } from "viem";
import { decodeFunctionResult, encodeDeployData, encodeFunctionData, getAddress } from "viem/utils";
import { startAnvil } from "../../scripts/anvil.mjs";
import { BYTECODE } from "../../src/generated/bytecode.ts";
import { ABI } from "../../src/generated/contract.ts";

export const LOCAL_CHAIN = 31_337;
/** The endpoint of the local chain in the build. */
export const LOCAL_ENDPOINT = "http://127.0.0.1:8545";

// Accounts of every anvil.
export const ANNA = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
export const BEN = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const CARLA = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const DEPLOYER = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720";

/** Anvil's own price depends on the last blocks. With a gas limit, it does not simulate, so a transaction may revert. */
export const GAS = { gas: "0x4c4b40", gasPrice: "0x77359400" };

export interface Answer {
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

export class TestNode {
  /** What is wrong with it, as the page sees it. */
  fault: "is down" | "hangs" | "keeps no events" | null = null;
  readonly chain: number;
  readonly stop: () => void;
  readonly rpc: (method: string, ...params: unknown[]) => Promise<unknown>;
  private readonly url: string;
  private automines = true;

  private constructor(chain: number, { url, rpc, stop }: Awaited<ReturnType<typeof startAnvil>>) {
    this.chain = chain;
    this.url = url;
    this.rpc = rpc;
    this.stop = stop;
  }

  static async start(chain: number): Promise<TestNode> {
    return new TestNode(chain, await startAnvil("--chain-id", String(chain)));
  }

  /** The node's own answer, which may be an error. */
  async answer(method: string, params: readonly unknown[] = []): Promise<Answer> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(this.url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { result, error } = (await response.json()) as Answer;
    return error ? { error } : { result };
  }

  /** Returns the hash once the transaction is in a block, if the node mines by itself. */
  async send(transaction: { from: Address; to?: Address; data: Hex }): Promise<Hex> {
    const hash = (await this.rpc("eth_sendTransaction", { ...GAS, ...transaction })) as Hex;
    if (this.automines) await this.receipt(hash);
    return hash;
  }

  /** Anvil returns the hash before the block is there. */
  async receipt(hash: Hex | undefined): Promise<{ contractAddress: string; status: string }> {
    for (;;) {
      const found = await this.rpc("eth_getTransactionReceipt", hash);
      if (found !== null) return found as { contractAddress: string; status: string };
    }
  }

  mine = (): Promise<unknown> => this.rpc("evm_mine");

  async automine(on: boolean): Promise<void> {
    this.automines = on;
    await this.rpc("evm_setAutomine", on);
  }

  async deploy(data: Hex): Promise<Address> {
    return getAddress((await this.receipt(await this.send({ from: DEPLOYER, data }))).contractAddress);
  }

  /** The pages reach this node at the endpoints of its chain. */
  async serve(pages: Page | BrowserContext): Promise<void> {
    await pages.route(this.chain === LOCAL_CHAIN ? `${LOCAL_ENDPOINT}/**` : /^https:/, async (route) => {
      const { id, method, params } = route.request().postDataJSON();
      if (this.fault === "hangs") return;
      if (this.fault === "is down") return route.abort();
      const refused = this.fault === "keeps no events" && method === "eth_getLogs";
      const answer = refused ? { error: { code: -32601, message: "no logs" } } : await this.answer(method, params);
      const headers = { "access-control-allow-origin": "*" };
      // The page may be gone.
      await route.fulfill({ headers, json: { jsonrpc: "2.0", id, ...answer } }).catch(() => null);
    });
  }
}

/** A table, and what people do there without the page. */
export class Table {
  readonly node: TestNode;
  readonly address: Address;
  readonly link: string;

  private constructor(node: TestNode, address: Address, home: string) {
    this.node = node;
    this.address = address;
    this.link = `${home}?chain=${node.chain}&table=${address}`;
  }

  /** A new table, on a node without faults that mines at once. */
  static async on(node: TestNode, home: string): Promise<Table> {
    node.fault = null;
    await node.rpc("anvil_dropAllTransactions");
    await node.automine(true);
    return new Table(node, await node.deploy(encodeDeployData({ abi: ABI, bytecode: BYTECODE })), home);
  }

  private call(from: Address, functionName: string, ...args: unknown[]): Promise<Hex> {
    const data = encodeFunctionData({ abi: ABI as Abi, functionName, args });
    return this.node.send({ from, to: this.address, data });
  }

  newGame = (x: Address, o: Address, from = x): Promise<Hex> => this.call(from, "newGame", x, o);
  move = (from: Address, cell: number): Promise<Hex> => this.call(from, "makeMove", Math.floor(cell / 3), cell % 3);
  forfeit = (from: Address): Promise<Hex> => this.call(from, "forfeit");

  /** A new game with these moves, X first. Returns the hashes of the moves. */
  async play(x: Address, o: Address, cells: readonly number[]): Promise<Hex[]> {
    await this.newGame(x, o);
    const hashes: Hex[] = [];
    for (const [at, cell] of cells.entries()) hashes.push(await this.move(at % 2 === 0 ? x : o, cell));
    return hashes;
  }

  async game() {
    const data = encodeFunctionData({ abi: ABI, functionName: "gameState" });
    const answer = (await this.node.rpc("eth_call", { to: this.address, data }, "latest")) as Hex;
    return decodeFunctionResult({ abi: ABI, functionName: "gameState", data: answer });
  }
}
