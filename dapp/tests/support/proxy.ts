// An endpoint between the page and anvil that a test can make refuse, lie, return garbage or hang.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Anvil } from "./anvil.ts";

export interface RpcRequest {
  id: number;
  method: string;
  params: readonly unknown[];
}

type Answer = (params: readonly unknown[]) => unknown;

export class Proxy {
  readonly asked: RpcRequest[] = [];
  /** Results by method, in place of the node's. A thrown `{ code, message }` becomes a JSON-RPC error. */
  overrides: Record<string, Answer> = {};
  /** Writes the whole response itself, if it returns true. */
  raw: ((request: RpcRequest, response: ServerResponse) => boolean) | null = null;
  private readonly anvil: Anvil;
  private readonly server: Server;

  private constructor(anvil: Anvil) {
    this.anvil = anvil;
    this.server = createServer((incoming, response) => {
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-allow-headers", "*");
      let text = "";
      incoming.on("data", (data: Buffer) => (text += data.toString()));
      incoming.on(
        "end",
        () =>
          void (incoming.method === "OPTIONS" ? response.end() : this.answer(JSON.parse(text) as RpcRequest, response)),
      );
    });
  }

  static async start(anvil: Anvil): Promise<Proxy> {
    const proxy = new Proxy(anvil);
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get chainId(): number {
    return this.anvil.chainId;
  }

  /** In the form that the page stores. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  private async answer(request: RpcRequest, response: ServerResponse): Promise<void> {
    this.asked.push(request);
    if (this.raw?.(request, response)) return;
    response.setHeader("content-type", "application/json");
    const { id, method, params = [] } = request;
    try {
      const override = this.overrides[method];
      const result = override ? await override(params) : await this.anvil.rpc(method, ...params);
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    } catch (thrown) {
      const { code = -32603, message, data } = thrown as { code?: number; message: unknown; data?: unknown };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } }));
    }
  }

  count(method: string): number {
    return this.asked.filter((request) => request.method === method).length;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}
