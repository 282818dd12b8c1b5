// The wallets in this browser, and the one that is connected. Wallets announce themselves (EIP-6963) at any time. An old
// wallet that only sets `window.ethereum` is listed, too.
import { effect, untracked } from "@preact/signals";
import { addChain, getChainId, switchChain } from "viem/actions";
import { chainById } from "./chains.ts";
import { asWords, Failed, toFailure } from "./failures.ts";
import { recall, remember } from "./memory.ts";
import { asAccounts, asNumber, clientOf, type Provider } from "./rpc.ts";
import type { Address } from "./rules.ts";
import { state } from "./state.ts";

export interface Wallet {
  /** The name under which the page remembers it. */
  id: string;
  /** The name that it gives itself, cleaned; empty if it has none. */
  name: string;
  icon: string | null;
  provider: Provider;
}

export interface Connection {
  wallet: Wallet;
  /** The accounts that the player lets the page see, the selected one first. */
  accounts: readonly Address[];
  chain: number;
}

type Announcement = { info: { uuid: string; name: string; rdns: string; icon?: unknown }; provider: Provider };

/** The wallets that have announced themselves, by their uuid. */
const announced = new Map<string, Wallet>();
const connecting = new Set<string>();
let wanted: string | null = null;

/** Lists an announced wallet. Any extension can announce one, under any name. */
function add({ info, provider }: Announcement): void {
  const { uuid, name, rdns, icon } = info;
  if (announced.has(uuid)) return;
  // An icon from the web would reveal the player to its host.
  const isOwn = /^data:image\/[a-z+.-]+[;,]/i.test(String(icon));
  announced.set(uuid, { id: rdns, name: asWords(name, 40), icon: isOwn ? String(icon) : null, provider });
  refresh();
}

/** `window.ethereum` usually belongs to a wallet that is announced as well. It is listed only if no other wallet is. */
function loneWallet(): Wallet[] {
  const { ethereum } = window as { ethereum?: Provider };
  return ethereum ? [{ id: "window.ethereum", name: "", icon: null, provider: ethereum }] : [];
}

function refresh(): void {
  state.wallets.value = announced.size > 0 ? [...announced.values()] : loneWallet();
  // The wallet of the last visit reconnects if it still lets the page see an account, without asking the player.
  const found = state.wallets.value.find(({ id }) => id === wanted);
  if (found === undefined || state.connection.value !== null || connecting.has(found.id)) return;
  void requestAccounts(found, "eth_accounts").then(endReturn);
}

/** How long the page waits for the wallet of the last visit, in milliseconds. A sleeping extension may need as long to answer. */
const RETURN = 1000;

const endReturn = (): void => void (state.isReturning.value = false);

export function startWallets(): void {
  wanted = recall.wallet();
  if (wanted !== null) {
    state.isReturning.value = true;
    setTimeout(endReturn, RETURN);
  }
  window.addEventListener("eip6963:announceProvider", (event) => add((event as CustomEvent<Announcement>).detail));
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  // A wallet that sets `window.ethereum` late dispatches this event.
  window.addEventListener("ethereum#initialized", refresh);
  window.addEventListener("load", refresh);
  refresh();
  effect(() => void (state.connection.value, untracked(readBalance)));
  document.addEventListener("visibilitychange", () => {
    // The player may have been at a faucet.
    if (state.isBroke.value) void readBalance();
  });
}

export async function connect(wallet: Wallet): Promise<boolean> {
  const connected = await requestAccounts(wallet, "eth_requestAccounts");
  if (connected) {
    wanted = wallet.id;
    remember.wallet(wallet.id);
  }
  return connected;
}

async function requestAccounts(wallet: Wallet, method: "eth_accounts" | "eth_requestAccounts"): Promise<boolean> {
  if (connecting.has(wallet.id)) return false;
  connecting.add(wallet.id);
  try {
    const client = clientOf(wallet.provider);
    followWallet(wallet);
    const accounts = await client.request({ method });
    if (accounts.length === 0) return false;
    const chain = await getChainId(client);
    // The player has connected another wallet in the meantime. It wins over one that reconnects by itself.
    if (method === "eth_accounts" && state.connection.value !== null) return false;
    state.connection.value = { wallet, accounts, chain };
    return true;
  } catch (error) {
    if (method === "eth_requestAccounts") throw error;
    return false;
  } finally {
    connecting.delete(wallet.id);
  }
}

/** Only an empty account is reported before a press: how much a transaction costs is for the wallet to say. */
async function readBalance(): Promise<void> {
  const { value: connection } = state.connection;
  const own = connection?.accounts[0];
  if (connection === null || own === undefined) return void (state.isBroke.value = false);
  const balance = await clientOf(connection.wallet.provider)
    .request({ method: "eth_getBalance", params: [own, "latest"] })
    .catch(() => null);
  if (state.connection.value === connection) state.isBroke.value = balance !== null && BigInt(balance) === 0n;
}

export function disconnect(): void {
  state.connection.value = null;
  wanted = null;
  remember.wallet(null);
}

/** Wallets whose events the page listens to. It never stops, because not every wallet supports that. */
const followed = new WeakSet<Provider>();

/** Also for a wallet that shows no account yet: it may be locked, and be unlocked later. */
function followWallet({ id, provider }: Wallet): void {
  if (followed.has(provider)) return;
  followed.add(provider);
  const update = (change: () => Partial<Connection>): void => {
    const { value: now } = state.connection;
    if (now?.wallet.provider !== provider) return;
    try {
      const next = { ...now, ...change() };
      // Without accounts: the player has locked the wallet or withdrawn the permission.
      state.connection.value = next.accounts.length > 0 ? next : null;
    } catch {
      // Brave has emitted an object in place of a chain. Where the wallet is now, nobody knows.
      state.connection.value = null;
    }
  };
  provider.on?.("accountsChanged", (value) => {
    update(() => ({ accounts: asAccounts(value) }));
    if (state.connection.value === null && id === wanted) refresh();
  });
  provider.on?.("chainChanged", (value) => update(() => ({ chain: asNumber(value) })));
}

/** Switches the wallet to a chain, and adds the chain first if the wallet does not know it. */
export async function switchTo({ wallet: { provider } }: Connection, target: number): Promise<void> {
  const client = clientOf(provider);
  let chain = await getChainId(client);
  if (chain !== target) {
    try {
      await switchChain(client, { id: target });
    } catch (error) {
      // 4902: the wallet does not know the chain. Mobile wallets wrap it in another error.
      const known = chainById(target);
      if (toFailure(error).kind !== "unknownChain" || known === undefined) throw error;
      await addChain(client, { chain: known });
      // Some wallets add a chain without switching to it.
      if ((await getChainId(client)) !== target) await switchChain(client, { id: target });
    }
    chain = await getChainId(client);
  }
  const { value: now } = state.connection;
  if (now?.wallet.provider === provider && now.chain !== chain) state.connection.value = { ...now, chain };
  // Some wallets confirm the switch and stay on their chain.
  if (chain !== target) throw new Failed({ kind: "wrongChain" });
}
