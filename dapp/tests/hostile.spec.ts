// What a malicious wallet can show in the page, and another page that has it in a frame. Their lies are tested in Vitest.
import { text } from "../src/text.ts";
import { expect, test, TestWallet, walletsIn } from "./support/fixtures.ts";

test("a wallet has its name shown as text, and its icon loads nothing and runs nothing", async ({
  page,
  anvil,
  host,
}) => {
  const outside: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(host).origin) && !request.url().startsWith("data:"))
      outside.push(request.url());
  });
  const script =
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><script>top.escaped=1</script><image href='https://example.com/spy.png'/></svg>";
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
  await page.locator(".account").click();
  await expect(walletsIn(page).locator("bdi")).toHaveText([
    "<b>Bold</b> <img src=x onerror=alert(1)>",
    "ksaMateM",
    "MetaMask[31m",
    "One line only",
    "Z\u0335\u0336algo",
    text.wallet.unnamed,
    "🦊".repeat(40),
  ]);
  // Only data URLs of images become images, and scripts in images do not run.
  await expect(walletsIn(page).locator("img")).toHaveCount(2);
  expect(await page.evaluate(() => "escaped" in window)).toBe(false);
  expect(outside).toEqual([]);
});

test("in another page's frame there is nothing to press but a link to the page itself", async ({
  page,
  anvil,
  link,
}) => {
  const wallet = await TestWallet.install(page, anvil, { name: "Any" });
  const stranger = new URL("/stranger", link).href;
  await page.route(stranger, (route) =>
    route.fulfill({ contentType: "text/html", body: `<iframe src="${link.replaceAll("&", "&amp;")}"></iframe>` }),
  );
  await page.goto(stranger);
  const frame = page.frameLocator("iframe");
  await expect(frame.getByRole("link", { name: text.framed })).toHaveAttribute("href", link);
  await expect(frame.locator("button, [role=gridcell], input")).toHaveCount(0);
  expect(wallet.asked).toEqual([]);
});
