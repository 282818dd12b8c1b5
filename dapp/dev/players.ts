// Only for `npm run dev`, never in a build: wallets for the local chain's first two accounts that confirm everything.
import { http } from "viem";
import type { Provider } from "../src/rpc.ts";

const url: string | undefined = import.meta.env["VITE_LOCAL_NODE"];

function announcePlayer(node: Provider, name: string, at: number, colour: string): void {
  const id = `test.player${at}`;
  const request: Provider["request"] = async ({ method, params = [] }) => {
    if (method === "eth_requestAccounts") sessionStorage.setItem(id, "yes");
    if (!/^eth_(requestA|a)ccounts$/.test(method)) return node.request({ method, params });
    if (sessionStorage.getItem(id) === null) return [];
    const accounts = (await node.request({ method: "eth_accounts", params: [] })) as string[];
    return accounts.slice(at, at + 1);
  };
  const icon = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' height='8' rx='2' fill='%23${colour}'/%3E%3C/svg%3E`;
  const info = { uuid: crypto.randomUUID(), name, rdns: id, icon };
  window.addEventListener("eip6963:requestProvider", () => {
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider: { request } } }));
  });
}

if (url !== undefined) {
  const node = http(url, { retryCount: 0 })({}) as Provider;
  announcePlayer(node, "Test player Anna", 0, "bf3a1f");
  announcePlayer(node, "Test player Ben", 1, "1a5a96");
}
