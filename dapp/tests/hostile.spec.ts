// Malicious links, endpoints, wallets and tables. Nothing from them runs as code, shows a false board or breaks the page.
import { en } from "../src/text/en.ts";
import { allow, expect, expectBoard, sit, cellAt, test, TestWallet, title, walletButton, walletsIn, alerted, trouble } from "./support/fixtures.ts";
import { Proxy } from "./support/proxy.ts";

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
    await walletButton(page).click();
    await expect(walletsIn(page).locator("bdi")).toHaveText(["Honest"]);
    await page.getByRole("button", { name: "Honest" }).click();
    await expect(walletButton(page)).toHaveText(/0xf39F/);
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
    await walletButton(page).click();
    await expect(walletsIn(page)).toHaveCount(100);
    await expect(walletsIn(page).first()).toHaveText("Honest");
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
    await walletButton(page).click();
    await expect(walletsIn(page).locator("bdi")).toHaveText([
      "<b>Bold</b> <img src=x onerror=alert(1)>",
      "ksaMateM",
      "MetaMask[31m",
      "One line only",
      "Z\u0335\u0336algo",
      en.wallet.unnamed,
      "🦊".repeat(40),
    ]);
    // Only data URLs of images become images, and scripts in images do not run.
    await expect(walletsIn(page).locator("img")).toHaveCount(2);
    expect(await page.evaluate(() => "escaped" in window)).toBe(false);
    expect(outside).toEqual([]);
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
  await expect(alerted(page)).toHaveText(en.failure.notTable);
  await expect(trouble(page)).toContainText(en.trouble.otherTitle);
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
      await walletButton(page).click();
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
