// A wallet. It announces itself in the page and answers from here, where a test can make it decline, wait or change its chain.
import type { Page } from "@playwright/test";
import type { Address, Hex } from "viem";
import { decodeFunctionData } from "viem/utils";
import { ABI } from "../../src/generated/contract.ts";
import { ANNA, type Answer, GAS, type Table, type TestNode } from "./node.ts";

export interface WalletOptions {
  name?: string;
  /** By which the page remembers it. */
  rdns?: string;
  icon?: string;
  account?: Address;
  /** Announces itself when the test calls `announce`. */
  late?: boolean;
  /** Only sets window.ethereum, as old wallets do. */
  lone?: boolean;
}

/** Wallets agree on the code, not on the words. */
const DECLINED = { code: 4001, message: "No." };

let count = 0;

export class TestWallet {
  readonly asked: { method: string; params: readonly unknown[] }[] = [];
  readonly sent: Hex[] = [];
  account: Address;
  /** Lets the page see its accounts without asking, as after an earlier visit. */
  trusted = false;
  /** The chain that it is on, and the chains that it can switch to, or add. */
  chain: number;
  readonly known: Set<number>;
  readonly addable = new Set<number>();
  declines = false;
  /** Its node is down. */
  isCut = false;
  /** Awaited before it shows accounts without asking. */
  sleep: Promise<unknown> | null = null;
  /** Awaited before it sends or switches. */
  hold: Promise<unknown> | null = null;
  private readonly page: Page;
  private readonly node: TestNode;
  private readonly key = `wallet${++count}`;

  private constructor(page: Page, node: TestNode, account: Address) {
    this.page = page;
    this.node = node;
    this.account = account;
    this.chain = node.chain;
    this.known = new Set([node.chain]);
  }

  static async install(page: Page, node: TestNode, options: WalletOptions = {}): Promise<TestWallet> {
    const { name = "Test wallet", account = ANNA, late = false, lone = false } = options;
    const icon = options.icon ?? "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";
    const wallet = new TestWallet(page, node, account);
    await page.exposeFunction(wallet.key, wallet.answer);
    const { key } = wallet;
    const rdns = options.rdns ?? `test.${key}`;
    await page.addInitScript(announceInPage, { key, name, icon, rdns, late, lone });
    return wallet;
  }

  private answer = async (method: string, params: readonly unknown[]): Promise<Answer> => {
    this.asked.push({ method, params });
    const { chainId } = (params[0] ?? {}) as { chainId?: string };
    if (this.hold && /^eth_sendTransaction$|^wallet_/.test(method)) await this.hold;
    if (this.declines && /^eth_(request|send)|^wallet_/.test(method)) return { error: DECLINED };
    switch (method) {
      case "eth_accounts":
        await this.sleep;
        return { result: this.trusted ? [this.account] : [] };
      case "eth_requestAccounts":
        this.trusted = true;
        return { result: [this.account] };
      case "wallet_switchEthereumChain":
        if (!this.known.has(Number(chainId))) return { error: { code: 4902, message: "Unrecognized chain ID" } };
        await this.wander(Number(chainId));
        return { result: null };
      case "wallet_addEthereumChain":
        if (!this.addable.has(Number(chainId))) return { error: { code: -32602, message: "cannot add" } };
        this.known.add(Number(chainId));
        return { result: null };
      case "eth_sendTransaction":
        if (Number(chainId) !== this.chain) return { error: { code: -32603, message: "wrong chain in transaction" } };
        return this.send({ ...GAS, ...(params[0] as object), chainId: undefined });
    }
    if (this.isCut) return { error: { code: -32603, message: "failed to fetch" } };
    if (method === "eth_chainId") return { result: `0x${this.chain.toString(16)}` };
    if (this.chain !== this.node.chain) return { error: { code: -32603, message: "another chain" } };
    return this.node.answer(method, params);
  };

  private async send(transaction: object): Promise<Answer> {
    const answer = await this.node.answer("eth_sendTransaction", [transaction]);
    if (answer.result) this.sent.push(answer.result as Hex);
    return answer;
  }

  /** What it was asked to send: function and arguments. Everything goes from `from` to the table, without money. */
  calls({ address }: Table, from: Address): unknown[][] {
    const requests = this.asked.filter(({ method }) => method === "eth_sendTransaction");
    return requests.map(({ params }) => {
      const { data, ...rest } = params[0] as { data: Hex; from: Address; to: Address; value?: string };
      const { functionName, args = [] } = decodeFunctionData({ abi: ABI, data });
      if (rest.from !== from || rest.to !== address || rest.value !== undefined) return [functionName, rest];
      return [functionName, ...args];
    });
  }

  count = (method: string): number => this.asked.filter((request) => request.method === method).length;

  async wander(chain: number): Promise<void> {
    this.chain = chain;
    await this.raise("chainChanged", `0x${chain.toString(16)}`);
  }

  async select(account: Address): Promise<void> {
    this.account = account;
    await this.raise("accountsChanged", [account]);
  }

  announce = (): Promise<void> => this.raise("announce", null);

  private raise(event: string, detail: unknown): Promise<void> {
    const raised = [`${this.key}:${event}`, { detail }] as const;
    return this.page.evaluate(([name, more]) => void window.dispatchEvent(new CustomEvent(name, more)), raised);
  }
}

type Announcement = Record<"key" | "name" | "icon" | "rdns", string> & { late: boolean; lone: boolean };

function announceInPage({ key, name, icon, rdns, late, lone }: Announcement): void {
  const ask = (window as unknown as Record<string, (method: string, params: unknown) => Promise<Answer>>)[key];
  const provider = {
    async request({ method, params = [] }: { method: string; params?: unknown[] }) {
      const { result, error } = (await ask?.(method, params)) ?? {};
      if (error) throw Object.assign(new Error(error.message), error);
      return result;
    },
    on(event: string, listener: (value: unknown) => void) {
      window.addEventListener(`${key}:${event}`, (raised) => listener((raised as CustomEvent).detail));
    },
    removeListener: () => null,
  };
  const detail = Object.freeze({ info: { uuid: `${name} ${Math.random()}`, name, icon, rdns }, provider });
  const announce = (): boolean => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  const begin = (): void => {
    if (lone) {
      Object.assign(window, { ethereum: provider });
      window.dispatchEvent(new Event("ethereum#initialized"));
    } else {
      window.addEventListener("eip6963:requestProvider", announce);
      announce();
    }
  };
  if (late) window.addEventListener(`${key}:announce`, begin);
  else begin();
}
