// The wallets in this browser, and the one that is connected. Wallets announce themselves (EIP-6963), at any time; an old
// one that only sets `window.ethereum` is listed too.
import { createStore } from "mipd";
import { chainById, LOCAL_CHAIN, PRACTICE_WALLET } from "./chains.ts";
import { hasCode } from "./failures.ts";
import type { Table } from "./link.ts";
import { recall, remember } from "./memory.ts";
import { asAccounts, asNumber, ask, asWords, type Provider, toQuantity } from "./provider.ts";
import type { Address } from "./rules.ts";
import { change, state } from "./state.ts";

export interface Wallet {
  /** The name by which the page remembers it. */
  id: string;
  /** Its own name for itself, as far as it can be read. Empty for a wallet without one. */
  name: string;
  icon: string | null;
  provider: Provider;
}

export interface Connection {
  wallet: Wallet;
  /** The accounts the player lets the page see, the selected one first. */
  accounts: readonly Address[];
  chain: number;
}

export const LONE = "window.ethereum";

/** More than anybody has; whoever announces more of them wants something else. */
const MOST_WALLETS = 100;

// Anything in this browser may call itself a wallet, in any form. What is none is stopped here, before the store has it:
// one that is malformed would hide all that come after it.
const uuids = new Set<string>();
window.addEventListener("eip6963:announceProvider", (event) => {
  const uuid = uuidOf((event as CustomEvent<unknown>).detail);
  if (uuid !== null && (uuids.has(uuid) || uuids.size < MOST_WALLETS)) uuids.add(uuid);
  else event.stopImmediatePropagation();
});
const announced = createStore();
const connecting = new Set<string>();
let wanted: string | null = null;

/** The uuid of an announcement that has all that the standard asks for. */
function uuidOf(detail: unknown): string | null {
  try {
    const { info, provider } = detail as { info: Record<string, unknown>; provider: Record<string, unknown> };
    const { uuid, name, rdns } = info;
    const whole = typeof uuid === "string" && typeof name === "string" && typeof rdns === "string";
    return whole && typeof provider["request"] === "function" ? uuid : null;
  } catch {
    return null;
  }
}

function list(): Wallet[] {
  const wallets: Wallet[] = announced.getProviders().map(({ info, provider }) => ({
    id: info.rdns,
    name: asWords(info.name, 40),
    // An icon from outside would tell its host who looks.
    icon: /^data:image\/[a-z+.-]+[;,]/i.test(String(info.icon)) ? info.icon : null,
    provider: provider as Provider,
  }));
  // Several extensions fight for that one name; one that announces itself too is not shown twice.
  const lone = loneWallet();
  if (lone !== null && wallets.every(({ id }) => id === PRACTICE_WALLET)) wallets.push({ id: LONE, name: "", icon: null, provider: lone });
  return wallets;
}

function loneWallet(): Provider | null {
  try {
    const { ethereum } = window as { ethereum?: Provider };
    return typeof ethereum?.request === "function" ? ethereum : null;
  } catch {
    return null;
  }
}

function refresh(): void {
  change({ wallets: list() });
  // The last wallet comes back by itself, if it still lets the page see an account: nobody is asked anything.
  const found = state.wallets.find(({ id }) => id === wanted);
  if (found === undefined || state.connection !== null || connecting.has(found.id)) return;
  clearTimeout(absence);
  void join(found, "eth_accounts").then(endReturn);
}

/** An extension may sleep, and takes its time to wake up; one that is not even there in a moment will hardly come. */
const WAKING = 3000;
export const MOMENT = 300;
let absence: ReturnType<typeof setTimeout> | undefined;
let endReturn = (): void => undefined;
/** When the wallet of the last visit is back, or is not expected any more. */
let returned: Promise<void> = Promise.resolve();

export const walletReturned = (): Promise<void> => returned;

function awaitReturn(): void {
  wanted = recall.wallet();
  if (wanted === null) return;
  change({ returning: true });
  returned = new Promise((resolve) => {
    endReturn = () => {
      change({ returning: false });
      resolve();
    };
  });
  absence = setTimeout(endReturn, MOMENT);
  setTimeout(endReturn, WAKING);
}

export function startWallets(): void {
  awaitReturn();
  announced.subscribe(refresh);
  // A lone wallet may be late, and says so with this event.
  window.addEventListener("ethereum#initialized", refresh);
  window.addEventListener("load", refresh);
  refresh();
}

/** The practice chain is not remembered: it must not take the place of the player's own wallet. */
const isPractice = (wallet: Wallet): boolean => wallet.id === PRACTICE_WALLET;

export async function connect(wallet: Wallet): Promise<boolean> {
  const joined = await join(wallet, "eth_requestAccounts");
  if (joined && !isPractice(wallet)) {
    wanted = wallet.id;
    remember.wallet(wallet.id);
  }
  return joined;
}

async function join(wallet: Wallet, method: "eth_accounts" | "eth_requestAccounts"): Promise<boolean> {
  if (connecting.has(wallet.id)) return false;
  connecting.add(wallet.id);
  try {
    // A person may take any time to say yes, so only the silent question has a limit.
    const { provider } = wallet;
    followWallet(wallet);
    const accounts = asAccounts(await (method === "eth_accounts" ? ask(provider, method) : provider.request({ method })));
    if (accounts.length === 0) return false;
    const chain = asNumber(await ask(provider, "eth_chainId"));
    // The player has chosen another one meanwhile: a wallet that comes back by itself stands behind.
    if (method === "eth_accounts" && state.connection !== null) return false;
    change({ connection: { wallet, accounts, chain } });
    return true;
  } catch (error) {
    if (method === "eth_requestAccounts") throw error;
    return false;
  } finally {
    connecting.delete(wallet.id);
  }
}

export function disconnect(): void {
  const practising = state.connection !== null && isPractice(state.connection.wallet);
  change({ connection: null });
  if (practising) return refresh();
  wanted = null;
  remember.wallet(null);
}

/** Wallets that are listened to: each once, and for ever, since not all of them can be asked to stop. */
const followed = new WeakSet<Provider>();

/** Heard even of a wallet that shows no account yet: it may be locked, and be opened later. */
function followWallet({ id, provider }: Wallet): void {
  if (followed.has(provider)) return;
  followed.add(provider);
  const update = (find: (now: Connection) => Connection | null): void => {
    const { connection } = state;
    if (connection?.wallet.provider !== provider) return;
    try {
      change({ connection: find(connection) });
    } catch {
      change({ connection: null });
    }
  };
  provider.on?.("accountsChanged", (value) => {
    // No account any more: the player has taken the permission back, or locked the wallet.
    update((now) => {
      const accounts = asAccounts(value);
      return accounts.length === 0 ? null : { ...now, accounts };
    });
    if (state.connection === null && id === wanted) refresh();
  });
  provider.on?.("chainChanged", (value) => update((now) => ({ ...now, chain: asNumber(value) })));
}

/** Brings the wallet to the table's chain: by switching, or by adding the chain and switching then. */
export async function switchTo(connection: Connection, table: Table): Promise<void> {
  const { provider } = connection.wallet;
  const now = async (): Promise<number> => asNumber(await ask(provider, "eth_chainId"));
  let chain = await now();
  if (chain !== table.chain) {
    const chainId = toQuantity(table.chain);
    try {
      await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
    } catch (error) {
      // 4902 says that the wallet does not know the chain; phones wrap it in an error of their own.
      const url = endpointFor(table);
      if (!hasCode(error, 4902) || url === undefined) throw error;
      await addChain(provider, table, url);
      // Some wallets add a chain without going there.
      if ((await now()) !== table.chain) await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
    }
    chain = await now();
  }
  if (state.connection?.wallet.provider === provider && state.connection.chain !== chain) {
    change({ connection: { ...state.connection, chain } });
  }
  if (chain !== table.chain) throw new WrongChain();
}

/** A stranger's endpoint never becomes the wallet's for a chain with a public one; a local chain has many addresses. */
function endpointFor({ chain, rpc }: Table): string | undefined {
  const known = chainById(chain);
  const allowed = rpc !== null && recall.isAllowed({ chain, rpc }) ? rpc : undefined;
  return known === undefined || chain === LOCAL_CHAIN ? (allowed ?? known?.endpoint) : known.endpoint;
}

async function addChain(provider: Provider, { chain }: Table, url: string): Promise<void> {
  const known = chainById(chain);
  const description = {
    chainId: toQuantity(chain),
    chainName: known?.name ?? `Chain ${chain}`,
    nativeCurrency: known?.currency ?? { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: [url],
    ...(known?.explorer ? { blockExplorerUrls: [known.explorer] } : {}),
  };
  await provider.request({ method: "wallet_addEthereumChain", params: [description] });
}

/** The wallet said yes and stayed where it was. */
export class WrongChain extends Error {}
