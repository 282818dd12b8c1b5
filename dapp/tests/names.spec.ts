// Tables with names: the page computes the address, and sets the table up through the factory. What tables cost. And what chats
// and home screens show of the page.
import { tableAddress } from "../src/naming.ts";
import { en } from "../src/text/en.ts";
import { fill } from "../src/text/index.ts";
import { cellAt, expect, nonceKnown, sit, test, title } from "./support/fixtures.ts";

const setUp = (name: string): string => fill(en.freeName.deploy, { name });
let count = 0;

test("a name is typed, set up with one button, and is in the link", async ({ page, host, anvil }) => {
  const name = `anna-and-ben-${(count += 1)}-${process.pid}`;
  const wallet = await sit(page, anvil, anvil.account(0));
  await page.goto(host);
  await page.getByLabel(en.home.address).fill(name.toUpperCase());
  await page.getByLabel(en.home.chain, { exact: true }).selectOption("Local chain");
  await page.getByRole("button", { name: en.home.open }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(en.freeName.title);
  await expect(page).toHaveURL(new RegExp(`table=${name}$`));
  await anvil.automine(false);
  await page.getByRole("button", { name: setUp(name) }).click();
  await expect(page.getByText(en.home.deploySent)).toBeVisible();
  await nonceKnown(page, "deploy");
  // The page waits on after a reload, and does not let the player pay twice.
  await page.reload();
  await expect(page.getByRole("button", { name: setUp(name) })).toHaveAttribute("aria-disabled", "true");
  await anvil.automine(true);
  await anvil.mine();
  await expect(title(page)).toHaveText(en.status.noGame);
  expect(wallet.count("eth_sendTransaction")).toBe(1);
  expect(await anvil.rpc("eth_getCode", tableAddress(name), "latest")).not.toBe("0x");
  expect(new URL(await page.getByLabel(en.invite.link, { exact: true }).inputValue()).searchParams.get("table")).toBe(name);
  await expect(cellAt(page, 4)).toBeVisible();
  await page.goto(host);
  await expect(page.getByRole("link", { name: fill(en.home.recentEntry, { table: name, chain: "Local chain" }) })).toBeVisible();
});

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
