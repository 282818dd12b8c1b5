// A wallet for the tests. It announces itself in the page and answers from here, where a test can make it decline, change its
// chain, hide its accounts, be slow or lie.
import type { Page } from "@playwright/test";
import { type Address, type Anvil, PRICE } from "./anvil.ts";

interface Answer {
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

export interface WalletOptions {
  name?: string;
  rdns?: string;
  icon?: string;
  /** Announces itself only when the test calls `announce`. */
  late?: boolean;
  /** Only sets window.ethereum, as old wallets do. */
  lone?: boolean;
  accounts?: Address[];
  /** Lets the page see its accounts without asking, as after an earlier visit. */
  trusted?: boolean;
}

let count = 0;

export class TestWallet {
  readonly asked: { method: string; params: readonly unknown[] }[] = [];
  accounts: Address[];
  trusted: boolean;
  chainId: number;
  /** The chains that it knows. It refuses others with 4902, wrapped in another error if `wrapped`. */
  chains: Map<number, Anvil>;
  wrapped = false;
  declines = false;
  /** Thrown instead of sending. */
  refusal: Answer["error"] | null = null;
  /** Awaited before it sends. */
  hold: Promise<unknown> | null = null;
  /** Confirms a switch and stays on its chain. */
  stubborn = false;
  overrides: Record<string, (params: readonly unknown[]) => unknown> = {};
  readonly sent: string[] = [];
  private readonly page: Page;
  private readonly key: string;

  private constructor(page: Page, anvil: Anvil, options: WalletOptions) {
    this.page = page;
    this.accounts = options.accounts ?? [anvil.account(0)];
    this.trusted = options.trusted ?? false;
    this.chainId = anvil.chainId;
    this.chains = new Map([[anvil.chainId, anvil]]);
    this.key = `wallet${++count}`;
  }

  static async install(page: Page, anvil: Anvil, options: WalletOptions = {}): Promise<TestWallet> {
    const wallet = new TestWallet(page, anvil, options);
    await page.exposeFunction(wallet.key, (method: string, params: readonly unknown[]) =>
      wallet.answer(method, params),
    );
    const {
      name = "Test wallet",
      rdns = `test.${wallet.key}`,
      icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E",
    } = options;
    await page.addInitScript(announceInPage, {
      key: wallet.key,
      name,
      rdns,
      icon,
      late: options.late ?? false,
      lone: options.lone ?? false,
    });
    return wallet;
  }

  private async answer(method: string, params: readonly unknown[]): Promise<Answer> {
    this.asked.push({ method, params });
    try {
      return { result: await this.handle(method, params) };
    } catch (error) {
      const { code = -32603, message, data } = error as { code?: number; message: string; data?: unknown };
      return { error: { code, message, data } };
    }
  }

  private async handle(method: string, params: readonly unknown[]): Promise<unknown> {
    const override = this.overrides[method];
    if (override) return override(params);
    const anvil = this.chains.get(this.chainId);
    switch (method) {
      case "eth_chainId":
        return `0x${this.chainId.toString(16)}`;
      case "eth_accounts":
        return this.trusted ? this.accounts : [];
      case "eth_requestAccounts":
        if (this.declines) throw rejection;
        this.trusted = true;
        return this.accounts;
      case "wallet_switchEthereumChain": {
        if (this.declines) throw rejection;
        const id = Number((params[0] as { chainId: string }).chainId);
        if (!this.chains.has(id)) {
          const unknown = { code: 4902, message: "Unrecognized chain ID" };
          throw this.wrapped ? { code: -32603, message: "Internal error", data: { originalError: unknown } } : unknown;
        }
        if (!this.stubborn) await this.wander(id);
        return null;
      }
      case "wallet_addEthereumChain": {
        if (this.declines) throw rejection;
        const id = Number((params[0] as { chainId: string }).chainId);
        const added = this.addable.get(id);
        if (added === undefined) throw { code: -32602, message: "cannot add" };
        this.chains.set(id, added);
        return null;
      }
      case "eth_sendTransaction": {
        if (this.hold) await this.hold;
        if (this.declines) throw rejection;
        if (this.refusal) throw this.refusal;
        const [{ chainId, ...transaction }] = params as [Record<string, unknown>];
        if (chainId !== undefined && Number(chainId) !== this.chainId)
          throw { code: -32603, message: "wrong chain in transaction" };
        // With a fixed gas limit anvil does not simulate, so a transaction can revert in its block.
        const hash = await anvil?.rpc("eth_sendTransaction", { gas: "0x4c4b40", gasPrice: PRICE, ...transaction });
        this.sent.push(String(hash));
        return hash;
      }
      default:
        return anvil?.rpc(method, ...params);
    }
  }

  /** Chains that wallet_addEthereumChain can add. */
  readonly addable = new Map<number, Anvil>();

  async emit(event: string, argument: unknown): Promise<void> {
    await this.page.evaluate(
      ([key, name, value]) => window.dispatchEvent(new CustomEvent(`${key}:${name}`, { detail: value })),
      [this.key, event, argument] as const,
    );
  }

  async wander(chainId: number): Promise<void> {
    this.chainId = chainId;
    await this.emit("chainChanged", `0x${chainId.toString(16)}`);
  }

  async selectAccounts(accounts: Address[]): Promise<void> {
    this.accounts = accounts;
    await this.emit("accountsChanged", accounts);
  }

  async announce(): Promise<void> {
    await this.page.evaluate((key) => window.dispatchEvent(new Event(`${key}:announce`)), this.key);
  }

  /** The data of every transaction that it was asked to send. */
  get calldata(): `0x${string}`[] {
    const requests = this.asked.filter(({ method }) => method === "eth_sendTransaction");
    return requests.map(({ params }) => (params[0] as { data: `0x${string}` }).data);
  }

  count(method: string): number {
    return this.asked.filter((request) => request.method === method).length;
  }
}

// Wallets agree on the code, not on the message.
const rejection = { code: 4001, message: "No." };

function announceInPage({
  key,
  name,
  rdns,
  icon,
  late,
  lone,
}: {
  key: string;
  name: string;
  rdns: string;
  icon: string;
  late: boolean;
  lone: boolean;
}): void {
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
  if (lone) {
    const inject = (): void => {
      Object.assign(window, { ethereum: provider });
      window.dispatchEvent(new Event("ethereum#initialized"));
    };
    if (late) window.addEventListener(`${key}:announce`, inject);
    else inject();
    return;
  }
  const detail = Object.freeze({ info: { uuid: `${name} ${Math.random()}`, name, icon, rdns }, provider });
  const announce = (): boolean => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  const begin = (): void => {
    window.addEventListener("eip6963:requestProvider", announce);
    announce();
  };
  if (late) window.addEventListener(`${key}:announce`, begin);
  else begin();
}
