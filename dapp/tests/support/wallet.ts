// A wallet. It announces itself in the page and answers from here, where a test can make it decline, wait or change its chain.
import type { Page } from "@playwright/test";
import type { Address, Hex } from "viem";
import { decodeFunctionData } from "viem/utils";
import { ABI } from "../../src/generated/contract.ts";
import { ANNA, type Answer, GAS, type Table, type TestNode } from "./node.ts";

const ICON = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";
const DEFAULTS = {
  name: "Test wallet",
  /** By which the page remembers it. */
  rdns: "",
  icon: ICON,
  account: ANNA as Address,
  /** Only sets window.ethereum, as old wallets do. */
  lone: false,
};

export type WalletOptions = Partial<typeof DEFAULTS>;

let count = 0;

export class TestWallet {
  readonly asked: { method: string; params: readonly unknown[] }[] = [];
  readonly sent: Hex[] = [];
  account: Address = ANNA;
  /** Lets the page see its accounts without asking, as after an earlier visit. */
  trusted = false;
  /** The chain that it is on. */
  chain: number;
  declines = false;
  /** Its node is down. */
  isCut = false;
  /** Awaited before it shows accounts without asking, and before it sends or switches. */
  sleep: Promise<unknown> | null = null;
  hold: Promise<unknown> | null = null;
  private readonly page: Page;
  private readonly node: TestNode;
  private readonly key = `wallet${++count}`;

  private constructor(page: Page, node: TestNode) {
    this.page = page;
    this.node = node;
    this.chain = node.chain;
  }

  static async install(page: Page, node: TestNode, options: WalletOptions): Promise<TestWallet> {
    const wallet = new TestWallet(page, node);
    const { key } = wallet;
    const { account, ...announced } = { ...DEFAULTS, rdns: `test.${key}`, ...options };
    await page.exposeFunction(key, wallet.answer);
    await page.addInitScript(announceInPage, { key, ...announced });
    // In a page that is open, it comes late.
    await page.evaluate(announceInPage, { key, ...announced });
    return Object.assign(wallet, { account });
  }

  private answer = async (method: string, params: readonly unknown[]): Promise<Answer> => {
    this.asked.push({ method, params });
    const { chainId } = (params[0] ?? {}) as { chainId?: string };
    const fails = (message: string, code = -32603): Answer => ({ error: { code, message } });
    if (this.hold && /^eth_sendTransaction$|^wallet_/.test(method)) await this.hold;
    // Wallets agree on the code, not on the words.
    if (this.declines && /^eth_(request|send)|^wallet_/.test(method)) return fails("No.", 4001);
    switch (method) {
      case "eth_accounts":
        await this.sleep;
        return { result: this.trusted ? [this.account] : [] };
      case "eth_requestAccounts":
        this.trusted = true;
        return { result: [this.account] };
      case "wallet_switchEthereumChain":
        await this.wander(Number(chainId));
        return { result: null };
      case "eth_sendTransaction": {
        if (Number(chainId) !== this.chain) return fails("wrong chain in transaction");
        const answer = await this.node.answer(method, [{ ...GAS, ...(params[0] as object), chainId: undefined }]);
        if (answer.result) this.sent.push(answer.result as Hex);
        return answer;
      }
    }
    if (this.isCut) return fails("failed to fetch");
    if (method === "eth_chainId") return { result: `0x${this.chain.toString(16)}` };
    return this.chain === this.node.chain ? this.node.answer(method, params) : fails("another chain");
  };

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

  /** Makes it wait before it sends or switches, until the test calls what this returns. */
  wait(): () => void {
    let go = (): void => undefined;
    this.hold = new Promise<void>((resolve) => (go = resolve));
    return go;
  }

  wander(chain: number): Promise<void> {
    this.chain = chain;
    return this.raise("chainChanged", `0x${chain.toString(16)}`);
  }

  select(account: Address): Promise<void> {
    this.account = account;
    return this.raise("accountsChanged", [account]);
  }

  private raise(event: string, detail: unknown): Promise<void> {
    const raised = [`${this.key}:${event}`, { detail }] as const;
    return this.page.evaluate(([name, more]) => void window.dispatchEvent(new CustomEvent(name, more)), raised);
  }
}

type Announcement = Omit<typeof DEFAULTS, "account"> & { key: string };

function announceInPage({ key, lone, ...info }: Announcement): void {
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
  };
  const detail = Object.freeze({ info: { uuid: `${info.name} ${Math.random()}`, ...info }, provider });
  const announce = (): boolean => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  if (lone) {
    Object.assign(window, { ethereum: provider });
    window.dispatchEvent(new Event("ethereum#initialized"));
  } else {
    window.addEventListener("eip6963:requestProvider", announce);
    announce();
  }
}
