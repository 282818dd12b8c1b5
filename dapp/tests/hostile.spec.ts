// Malicious links, endpoints, wallets and tables. Nothing from them runs as code, shows a false board or breaks the page.
import type { LinkFault } from "../src/link.ts";
import { en } from "../src/text/en.ts";
import type { ServerResponse } from "node:http";
import { allow, type Anvil, board, clickAnyway, expect, expectBoard, noticeOf, sit, sitAsX, cellAt, test, TestWallet, title } from "./support/fixtures.ts";
import { Proxy } from "./support/proxy.ts";
import { sitDirect } from "./support/wallet.ts";
import type { Page } from "@playwright/test";

const TABLE = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

test.describe("a link", () => {
  const FAULTS = {
    chain: [
      ...["１", "٣", "1\u0000", " 1", "1 ", "+1", "01", "1.0", "9".repeat(400), "9007199254740992", "__proto__", "constructor", "javascript:alert(1)", "<b>1</b>"].map(
        (chain) => `?chain=${encodeURIComponent(chain)}&table=${TABLE}`,
      ),
      `?chain=1&chain=31337&table=${TABLE}`,
      `?chain=1&chain=1&table=${TABLE}`,
      `?chain=31337&table=${TABLE}&chain=`,
    ],
    table: [
      ...["__proto__", "constructor", `${TABLE}#`, TABLE.replace("0x", "0X"), `０x${TABLE.slice(2)}`, TABLE.replace("a", "а"), "0x".repeat(5000), "<img src=x onerror=alert(1)>"].map(
        (table) => `?chain=1&table=${encodeURIComponent(table)}`,
      ),
      `?chain=1&table=${TABLE}&table=${TABLE.toLowerCase()}`,
      `?chain=1&table=${TABLE}&table=`,
    ],
    rpc: [
      ...[
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)//https://",
        "data:application/json,{}",
        "blob:https://example.com/1",
        "file:///etc/passwd",
        "ws://127.0.0.1:8545",
        "http://example.com",
        "http://localhost.example.com",
        "http://127.0.0.1.example.com",
        "http://127.0.0.1@example.com",
        "http://192.168.0.1",
        "https://user@example.com",
        "https://example.com/#fragment",
        "https://",
        "https://exa mple.com",
        "https://example.com:99999",
        "//example.com",
        "__proto__",
        `https://example.com/${"x".repeat(300)}`,
      ].map((rpc) => `?chain=5&table=${TABLE}&rpc=${encodeURIComponent(rpc)}`),
      `?chain=5&table=${TABLE}&rpc=https://one.example&rpc=https://two.example`,
      `?chain=5&table=${TABLE}&rpc=https://one.example&rpc=https://one.example`,
    ],
  };

  for (const [part, queries] of Object.entries(FAULTS) as [LinkFault, string[]][]) {
    test(`with an invalid or repeated ${part} opens nothing and contacts nobody`, async ({ page, host }) => {
      const asked: string[] = [];
      page.on("request", (request) => {
        if (!request.url().startsWith(host)) asked.push(request.url());
      });
      await page.goto(host);
      for (const query of queries) {
        // As the browser's Back does it, which is faster than loading the page.
        await page.evaluate((search) => {
          history.pushState(null, "", search);
          window.dispatchEvent(new PopStateEvent("popstate"));
        }, query);
        await expect(page.locator("#trouble:not([hidden]) #trouble-text"), query).toHaveText(en.trouble[part]);
      }
      expect(asked).toEqual([]);
    });
  }

  test("with parameters named like object properties opens the start page", async ({ page, host }) => {
    await page.goto(`${host}?__proto__=1&constructor=2&toString=3&rpc=https://example.com`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(en.home.headline);
  });

  test("with a look-alike host shows the real name", async ({ page, host }) => {
    // The first letter is Cyrillic.
    await page.goto(`${host}?chain=5&table=${TABLE}&rpc=${encodeURIComponent("https://аpple.com/rpc")}`);
    await expect(page.locator("#trouble-title")).toHaveText("Connect to xn--pple-43d.com?");
  });
});

test.describe("an endpoint", () => {
  const word = (value: number | bigint): string => value.toString(16).padStart(64, "0");
  const address = (account: string): string => account.slice(2).toLowerCase().padStart(64, "0");
  interface Fields {
    number?: bigint;
    cells?: number[];
    turn?: number;
    status?: number;
    moves?: number[][];
    length?: number;
    offset?: number;
  }
  /** Any fields, encoded as `gameState()` returns them. */
  function answer(x: string, o: string, fields: Fields): string {
    const { number = 1n, cells = [0, 0, 0, 0, 1, 0, 0, 0, 0], turn = 2, status = 1, moves = [[1, 1, 1, 1]], offset = 15 * 32 } = fields;
    const { length = moves.length } = fields;
    const head = [32, number].map(word).join("") + address(x) + address(o) + cells.map(word).join("");
    return `0x${head}${[turn, status, offset, length].map(word).join("")}${moves.flat().map(word).join("")}`;
  }

  async function startProxy(page: Page, anvil: Anvil, table: string, host: string): Promise<{ proxy: Proxy; link: string }> {
    const proxy = await Proxy.start(anvil);
    await allow(page, proxy);
    return { proxy, link: `${host}?chain=${anvil.chainId}&table=${table}&rpc=${encodeURIComponent(proxy.url)}` };
  }

  test("that returns an impossible game is rejected", async ({ page, anvil, table, host }) => {
    test.setTimeout(60_000);
    const [x, o] = [anvil.account(0), anvil.account(1)];
    await anvil.play(table, x, o, [4]);
    const { proxy, link } = await startProxy(page, anvil, table, host);
    await page.goto(link);
    await expectBoard(page, "....x....");
    const lies: Record<string, string> = {
      "status 99": answer(x, o, { status: 99 }),
      "status 2**256-1": answer(x, o, { status: 1 }).replace(word(1) + word(15 * 32), "f".repeat(64) + word(15 * 32)),
      "game 2**256-1": answer(x, o, { number: 2n ** 256n - 1n }),
      "game 2**52, which no table reaches": answer(x, o, { number: 2n ** 52n }),
      "game 0 in progress": answer(x, o, { number: 0n }),
      "200 moves": answer(x, o, { moves: Array.from({ length: 200 }, (_, at) => [at % 3, 1, 1 + (at % 2), at + 1]) }),
      "a history as long as 2**32": answer(x, o, { length: 2 ** 32 }),
      "a history beyond the end": answer(x, o, { offset: 2 ** 40 }),
      "a history that is the answer itself": answer(x, o, { offset: 0 }),
      "a move off the grid": answer(x, o, { moves: [[255, 255, 1, 1]] }),
      "a column off the grid": answer(x, o, { moves: [[0, 4, 1, 1]] }),
      "a wrong sequence number": answer(x, o, { moves: [[1, 1, 1, 2]] }),
      "a move by nobody": answer(x, o, { moves: [[1, 1, 7, 1]] }),
      "a mark 255": answer(x, o, { cells: [255, 0, 0, 0, 1, 0, 0, 0, 0] }),
      "X's turn after X's move": answer(x, o, { turn: 1 }),
      "the zero address playing": answer(`0x${"0".repeat(40)}`, o, {}),
      "a megabyte": `0x${"12".repeat(1_000_000)}`,
      "markup": "<img src=x onerror=alert(1)>",
    };
    for (const [name, lie] of Object.entries(lies)) {
      proxy.overrides["eth_call"] = () => lie;
      await refused(page, anvil, proxy, "eth_call", name);
    }
    // The same encoding of a possible game is accepted, so the page rejected the content.
    proxy.overrides["eth_call"] = () => answer(x, o, { number: 2n ** 52n - 1n });
    await page.getByRole("button", { name: en.game.tryNow }).click();
    await expect(page.locator("#number")).toHaveText("Game 4503599627370495");
    await page.setViewportSize({ width: 320, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await proxy.stop();
  });

  /** The page asks again, rejects the answer, reports the lost connection and keeps its board. */
  async function refused(page: Page, anvil: Anvil, proxy: Proxy, method: string, name: string): Promise<void> {
    const count = (): number => (method === "" ? proxy.asked.length : proxy.count(method));
    const before = count();
    await anvil.mine();
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect.poll(count, name).toBeGreaterThan(before);
    await expect(page.locator("#table"), name).toHaveAttribute("data-node", "lost");
    expect(await board(page), name).toBe("....x....");
  }

  test("that does not speak JSON-RPC counts as lost, and the page recovers", async ({ page, anvil, table, host }) => {
    test.setTimeout(60_000);
    await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
    const { proxy, link } = await startProxy(page, anvil, table, host);
    await page.goto(link);
    await expectBoard(page, "....x....");
    let aborted = 0;
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(anvil.url)) elsewhere.push(request.url());
    });
    const ways: Record<string, (response: ServerResponse) => void> = {
      "a web page": (response) => void response.setHeader("content-type", "text/html").end("<h1>Bad gateway</h1><script>alert(1)</script>"),
      "an error page": (response) => void response.writeHead(502).end("<html>"),
      nothing: (response) => void response.end(),
      "half an answer": (response) => void response.end('{"jsonrpc":"2.0","id":1,"result":"0x'),
      "a list": (response) => void response.end("[]"),
      "a number": (response) => void response.end("42"),
      "neither result nor error": (response) => void response.end('{"__proto__":{"result":"0x1"}}'),
      "an error made of markup": (response) => void response.end('{"error":{"code":"<b>","message":{"toString":1},"data":["<img>"]}}'),
      "a redirect": (response) => void response.writeHead(307, { location: `${anvil.url}/` }).end(),
      "an answer without an end": (response) => {
        const pour = (): void => {
          while (!response.destroyed && response.write(" ".repeat(1 << 20)));
        };
        response.on("drain", pour);
        response.once("close", () => (aborted += 1));
        pour();
      },
    };
    for (const [name, way] of Object.entries(ways)) {
      proxy.raw = (_, response) => {
        way(response);
        return true;
      };
      await refused(page, anvil, proxy, "", name);
    }
    expect(elsewhere).toEqual([]);
    // The page has closed the connection.
    await expect.poll(() => aborted).toBeGreaterThan(0);
    proxy.raw = null;
    await page.getByRole("button", { name: en.game.tryNow }).click();
    await expect(page.locator("#table")).toHaveAttribute("data-node", "connected");
    await proxy.stop();
  });

  test("with another or an invalid chain ID shows no table", async ({ page, anvil, table, host }) => {
    await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
    const { proxy, link } = await startProxy(page, anvil, table, host);
    proxy.overrides["eth_chainId"] = () => "0x1";
    await page.goto(link);
    await expect(page.locator("#trouble-title")).toHaveText(en.trouble.wrongChainTitle);
    for (const chain of ["0x", "1", "31337", `0x${"f".repeat(64)}`, "0x7a69<b>", null, {}, -1, 1.5]) {
      proxy.overrides["eth_chainId"] = () => chain;
      await page.goto(link);
      await expect(page.locator("#table"), String(chain)).toHaveAttribute("data-node", "lost");
      await expectBoard(page, ".........");
    }
    // The table's code with one more byte is not a table's.
    delete proxy.overrides["eth_chainId"];
    const code = await anvil.rpc("eth_getCode", table, "latest");
    proxy.overrides["eth_getCode"] = () => `${String(code)}00`;
    await page.goto(link);
    await expect(page.locator("#trouble-title")).toHaveText(en.trouble.otherTitle);
    expect(proxy.count("eth_call")).toBe(0);
    await proxy.stop();
  });

  test("with a new head at every look gets no more requests than usual", async ({ page, anvil, table, host }) => {
    await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
    const { proxy, link } = await startProxy(page, anvil, table, host);
    let number = Number(await anvil.rpc("eth_blockNumber"));
    proxy.overrides["eth_getBlockByNumber"] = () => ({ number: `0x${number.toString(16)}`, hash: `0x${(number++).toString(16).padStart(64, "0")}` });
    proxy.overrides["eth_call"] = ([call]) => anvil.rpc("eth_call", call, "latest");
    await page.goto(link);
    await expectBoard(page, "....x....");
    // Waits for the links and the score, so that their requests are not counted.
    await expect(page.locator("#draws")).toHaveText("Draws: 0");
    const since = Date.now();
    proxy.asked.length = 0;
    await page.waitForTimeout(1500);
    expect(proxy.count("eth_call")).toBeLessThanOrEqual(proxy.count("eth_getBlockByNumber") + 1);
    // On this machine the page polls every 40 ms.
    expect(proxy.count("eth_getBlockByNumber")).toBeLessThanOrEqual((Date.now() - since) / 40 + 1);
    expect(new Set(proxy.asked.map(({ method }) => method))).toEqual(new Set(["eth_getBlockByNumber", "eth_call"]));
    await proxy.stop();
  });
});

test.describe("a wallet", () => {
  test("with a malformed announcement does not hide the others", async ({ page, anvil, host }) => {
    await page.addInitScript(() => {
      const request = async (): Promise<unknown[]> => [];
      const bomb = {
        get(): never {
          throw new Error("bomb");
        },
      };
      const details: unknown[] = [
        undefined,
        null,
        42,
        "wallet",
        {},
        { info: null, provider: { request } },
        { info: {}, provider: { request } },
        { info: { uuid: "1", name: "No provider", rdns: "a.b" } },
        { info: { uuid: "2", name: "No request", rdns: "a.b" }, provider: {} },
        { info: { uuid: "3", name: { toString: null }, rdns: "a.b" }, provider: { request } },
        { info: { uuid: "4", name: "No rdns" }, provider: { request } },
        Object.defineProperty({}, "info", bomb),
        { info: Object.defineProperty({}, "uuid", bomb), provider: { request } },
      ];
      Object.defineProperty(window, "ethereum", bomb);
      window.addEventListener("eip6963:requestProvider", () => {
        for (const detail of details) window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
      });
    });
    await TestWallet.install(page, anvil, { name: "Honest" });
    await page.goto(host);
    await page.locator("#wallet").click();
    await expect(page.locator(".wallet bdi")).toHaveText(["Honest"]);
    await page.getByRole("button", { name: "Honest" }).click();
    await expect(page.locator("#wallet")).toHaveText(/0xf39F/);
  });

  test("that announces itself a thousand times is listed a hundred times", async ({ page, anvil, host }) => {
    await TestWallet.install(page, anvil, { name: "Honest" });
    await page.goto(host);
    await page.evaluate(() => {
      for (let at = 0; at < 1000; at += 1) {
        const info = { uuid: `spam ${at}`, name: `Spam ${at}`, rdns: `spam.${at}`, icon: "data:image/png," };
        window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider: { request: async () => [] } } }));
      }
    });
    await page.locator("#wallet").click();
    await expect(page.locator(".wallet")).toHaveCount(100);
    await expect(page.locator(".wallet").first()).toHaveText("Honest");
  });

  test("has its name shown as text, and its icon loads nothing and runs nothing", async ({ page, anvil, host }) => {
    const outside: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(new URL(host).origin) && !request.url().startsWith("data:")) outside.push(request.url());
    });
    const script = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><script>top.escaped=1</script><image href='https://example.com/spy.png'/></svg>";
    for (const [name, icon] of [
      ["<b>Bold</b> <img src=x onerror=alert(1)>", "https://example.com/spy.png"],
      ["\u202eksaMateM", "javascript:alert(1)"],
      ["Meta\u200b\u200d\u2060Mask\ufeff\u0000\u0007\u001b[31m", "data:text/html,<script>alert(1)</script>"],
      ["One\nline\r\n\u2028only\t ", "//example.com/spy.png"],
      [`Z${"\u0335\u0336".repeat(400)}algo`, script],
      ["\u200b\u200b", "data:image/png;base64,!!!"],
      ["🦊".repeat(100), "blob:https://example.com/1"],
    ] as const) {
      await TestWallet.install(page, anvil, { name, icon });
    }
    await page.goto(host);
    await page.locator("#wallet").click();
    await expect(page.locator(".wallet bdi")).toHaveText([
      "<b>Bold</b> <img src=x onerror=alert(1)>",
      "ksaMateM",
      "MetaMask[31m",
      "One line only",
      "Z\u0335\u0336algo",
      en.wallet.unnamed,
      "🦊".repeat(40),
    ]);
    // Only data URLs of images become images, and scripts in images do not run.
    await expect(page.locator(".wallet img")).toHaveCount(2);
    expect(await page.evaluate(() => "escaped" in window)).toBe(false);
    expect(outside).toEqual([]);
  });

  test("with invalid accounts or chains is not connected", async ({ page, anvil, table, link }) => {
    await allow(page, anvil);
    const wallet = await sitAsX(page, anvil, table, link);
    for (const accounts of [["<script>"], [7], [null], [[]], ["0x12"], [`${anvil.account(0)}00`], "0x", { length: 1 }]) {
      await wallet.emit("accountsChanged", accounts);
      await expect(page.locator("#wallet"), JSON.stringify(accounts)).toHaveText("Connect wallet");
      await wallet.selectAccounts([anvil.account(0)]);
      await expect(page.locator("#wallet")).toHaveText(/0xf39F/);
    }
    for (const chain of ["one", "0x", {}, null, -1, 1e300, `0x${"f".repeat(64)}`]) {
      await wallet.emit("chainChanged", chain);
      await expect(page.locator("#wallet"), JSON.stringify(chain)).toHaveText("Connect wallet");
      await wallet.selectAccounts([anvil.account(0)]);
      await expect(page.locator("#wallet")).toHaveText(/0xf39F/);
    }
    await expect(title(page)).toHaveText("Your turn");
  });

  test("that changes its chain hundreds of times causes few requests, and the page ends up right", async ({ page, anvil, table, link }) => {
    await allow(page, anvil);
    const wallet = await sitAsX(page, anvil, table, link);
    let asked = 0;
    page.on("request", (request) => (asked += request.url().startsWith(anvil.url) ? 1 : 0));
    const since = Date.now();
    const key = (await page.evaluate(() => Object.keys(window).find((name) => /^wallet\d+$/.test(name)))) ?? "";
    await page.evaluate(async (name) => {
      for (let round = 0; round < 100; round += 1) {
        for (const detail of ["0x1", "0x7a69", "0x1", "0x2", "0x7a69"]) {
          window.dispatchEvent(new CustomEvent(`${name}:chainChanged`, { detail }));
          window.dispatchEvent(new CustomEvent(`${name}:accountsChanged`, { detail: [] }));
          window.dispatchEvent(new CustomEvent(`${name}:accountsChanged`, { detail: ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"] }));
          await new Promise((resolve) => setTimeout(resolve, 0));
        }
      }
    }, key);
    // An idle page asks a node on this machine 25 times a second. One that followed every event would ask several times that.
    const seconds = (Date.now() - since) / 1000;
    console.log(`1500 events in ${Math.round(seconds)} s: ${asked} requests`);
    expect(asked).toBeLessThan(30 + 30 * seconds);
    wallet.trusted = true;
    await wallet.selectAccounts([anvil.account(0)]);
    await wallet.wander(anvil.chainId);
    await expect(title(page)).toHaveText("Your turn");
    await cellAt(page, 4).click();
    await expectBoard(page, "....x....");
  });

  test("that throws anything at all causes a sentence, and the player can move again", async ({ page, anvil, table, link }) => {
    // Only a wallet inside the page can throw anything at all.
    await sitDirect(page, anvil, [anvil.account(0)]);
    await page.addInitScript(() => {
      const circle: Record<string, unknown> = { code: -32603, message: "round and round" };
      Object.assign(circle, { data: circle, cause: circle, error: circle });
      const bomb = Object.defineProperty({}, "message", {
        get() {
          throw new Error("bomb");
        },
      });
      const things: unknown[] = [
        null,
        undefined,
        42,
        "words",
        Symbol("s"),
        Object.create(null),
        circle,
        bomb,
        { message: { toString: null } },
        { message: "x".repeat(20_000_000) },
        { message: `reverted ${" ".repeat(5_000_000)}` },
        { message: "one\u202e\u0000\n\n<b>two</b>\u200b" },
        { code: 3, data: `0x08c379a0${"f".repeat(2_000_000)}` },
        { code: 3, message: "execution reverted", data: { data: "0x08c379a0" } },
      ];
      const { ethereum } = window as unknown as { ethereum: { request(asked: { method: string }): Promise<unknown> } };
      const { request } = ethereum;
      ethereum.request = async (asked) => {
        if (asked.method === "eth_sendTransaction") throw things.shift();
        return request(asked);
      };
      Object.assign(window, { things: things.length });
    });
    await anvil.newGame(table, anvil.account(0), anvil.account(1));
    await page.goto(link);
    await expect(title(page)).toHaveText("Your turn");
    const things = await page.evaluate(() => (window as unknown as { things: number }).things);
    const sentences: string[] = [];
    for (let at = 0; at < things; at += 1) {
      await clickAnyway(page, 4);
      await expect(noticeOf(page)).not.toHaveText("");
      await expect(title(page)).toHaveText("Your turn");
      const words = (await noticeOf(page).textContent()) ?? "";
      expect(words.length).toBeLessThan(200);
      expect(words).not.toMatch(/\p{Cc}|\p{Cf}/u);
      sentences.push(words);
      await page.getByRole("button", { name: en.dismiss }).click();
    }
    expect(sentences).toContain("The wallet refused: one <b>two</b>");
    expect(sentences).toContain("The wallet refused: round and round");
    expect(await board(page)).toBe(".........");
  });
});

test("a table that only the link's endpoint shows gets no transaction", async ({ page, host, anvil, table }) => {
  // A contract that accepts every call.
  const trap = await anvil.deploy("0x6001600c60003960016000f300");
  const proxy = await Proxy.start(anvil);
  proxy.overrides["eth_getCode"] = (params) => anvil.rpc("eth_getCode", table, ...params.slice(1));
  proxy.overrides["eth_call"] = ([call, ...rest]) => anvil.rpc("eth_call", { ...(call as object), to: table }, ...rest);
  await anvil.newGame(table, anvil.account(0), anvil.account(1));
  await allow(page, proxy);
  const wallet = await sit(page, anvil, anvil.account(0));
  wallet.chainId = 1;
  await page.goto(`${host}?chain=31337&table=${trap}&rpc=${encodeURIComponent(proxy.url)}`);
  await expect(title(page)).toHaveText("Your turn");
  // The wallet switches without an event.
  wallet.overrides["wallet_switchEthereumChain"] = () => ((wallet.chainId = 31_337), null);
  wallet.overrides["eth_getCode"] = (params) => anvil.rpc("eth_getCode", ...params);
  await cellAt(page, 4).click();
  await expect(page.locator("#alert")).toHaveText(en.failure.notTable);
  await expect(page.locator("#trouble")).toContainText(en.trouble.otherTitle);
  expect(wallet.count("eth_sendTransaction")).toBe(0);
  await proxy.stop();
});

test.describe("a browser without storage", () => {
  for (const [name, script] of Object.entries({
    "that throws at every access": () => {
      for (const storage of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(window, storage, {
          get() {
            throw new DOMException("denied", "SecurityError");
          },
        });
      }
    },
    "that is full": () => {
      Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    },
  })) {
    test(`${name} shows the page, and remembers the wallet while it is open`, async ({ page, anvil, table, link }) => {
      await page.addInitScript(script);
      const wallet = await TestWallet.install(page, anvil, { name: "Any" });
      await anvil.newGame(table, anvil.account(0), anvil.account(1));
      await page.goto(link);
      await page.getByRole("button", { name: en.consent.yes, exact: true }).click();
      await expect(title(page)).toHaveText("X to move");
      await page.locator("#wallet").click();
      await page.getByRole("button", { name: "Any" }).click();
      await expect(title(page)).toHaveText("Your turn");
      await cellAt(page, 4).click();
      await expectBoard(page, "....x....");
      // Locked and unlocked: the page still knows the wallet.
      await wallet.selectAccounts([]);
      await wallet.selectAccounts([anvil.account(1)]);
      await expect(title(page)).toHaveText("Your turn");
    });
  }
});
