// Only for `npm run dev`, never in a build: wallets for the local chain's first two accounts that confirm everything.

const node: string | undefined = import.meta.env["VITE_LOCAL_NODE"];

async function rpc(method: string, params: unknown): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(node ?? "", { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error } = await response.json();
  if (error) throw Object.assign(new Error(error.message), error);
  return result;
}

function announcePlayer(name: string, at: number, colour: string): void {
  const id = `test.player${at}`;
  const request = async ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
    if (method === "eth_requestAccounts") sessionStorage.setItem(id, "yes");
    if (!/^eth_(requestA|a)ccounts$/.test(method)) return rpc(method, params);
    return sessionStorage.getItem(id) === null ? [] : [((await rpc("eth_accounts", [])) as string[])[at]];
  };
  const icon = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' height='8' rx='2' fill='%23${colour}'/%3E%3C/svg%3E`;
  const info = { uuid: crypto.randomUUID(), name, rdns: id, icon };
  window.addEventListener("eip6963:requestProvider", () => {
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider: { request } } }));
  });
}

if (node !== undefined) {
  announcePlayer("Test player Anna", 0, "bf3a1f");
  announcePlayer("Test player Ben", 1, "1a5a96");
}
