// What tables cost, and what chats and home screens show of the page.
import { en } from "../src/text/en.ts";
import { fill } from "../src/text/index.ts";
import { expect, sit, test } from "./support/fixtures.ts";

test("the page says what a table costs before it is paid", async ({ page, host, anvil }) => {
  const wallet = await sit(page, anvil, anvil.account(0));
  wallet.overrides = { eth_gasPrice: () => "0x3b9aca00" };
  await page.goto(host);
  await expect(page.getByText(fill(en.cost.table, { cost: "0.00062\u00a0ETH" }))).toBeVisible();
  // A local node needs no faucet.
  const faucets = page.getByRole("link", { name: fill(en.cost.faucets, { chain: "Sepolia" }) });
  await expect(faucets).toHaveCount(0);
  await wallet.wander(11_155_111);
  await expect(faucets).toHaveAttribute("href", /^https:\/\/ethereum\.org\//);
  // Another chain has another coin, and its coins are not free.
  await wallet.wander(137);
  await expect(page.getByText(fill(en.cost.table, { cost: "0.00062\u00a0POL" }))).toBeVisible();
  await expect(faucets).toHaveCount(0);
});

test("the manifest's icons and the preview of a link exist, in their sizes", async ({ page, host, request }) => {
  await page.goto(host);
  const manifest = (await (await request.get(`${host}manifest.webmanifest`)).json()) as { icons: { src: string; sizes: string; type: string }[] };
  const head = (name: string): Promise<string | null> => page.locator(`meta[property="${name}"]`).getAttribute("content");
  const preview = { src: ((await head("og:image")) ?? "").split("/").at(-1) ?? "", sizes: `${await head("og:image:width")}x${await head("og:image:height")}`, type: "image/png" };
  const touch = { src: "icon-touch.png", sizes: "180x180", type: "image/png" };
  for (const { src, sizes, type } of [...manifest.icons, preview, touch]) {
    const picture = await (await request.get(host + src)).body();
    const size = type === "image/png" ? `${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}` : "any";
    expect([src, size]).toEqual([src, sizes]);
  }
});
