// What others can do to the page, or with it: scripts, wallets, links, another page's frame.
import { ALICE, expect, HOME, LINK, TABLE, test, text } from "./support/page.ts";

test("the content security policy is strict, and the browser enforces it", async ({ page, faults }) => {
  await page.goto(HOME);
  // A policy in the document applies only to what follows it.
  const first = page.locator("head > :first-child");
  await expect(first).toHaveAttribute("http-equiv", "Content-Security-Policy");
  await expect(first).toHaveAttribute(
    "content",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
      "connect-src 'self' https: http://localhost:* http://127.0.0.1:*; base-uri 'none'; form-action 'none'; " +
      "require-trusted-types-for 'script'; trusted-types 'none'",
  );

  const outcomes = await page.evaluate(async () => {
    // The policy does not apply within the debugger's own call.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const attempts = [
      () => (0, eval)("1"),
      () => (document.body.innerHTML = "<b>"),
      () => document.body.setAttribute("onclick", "1"),
      () => fetch("http://example.com/"),
    ];
    return Promise.allSettled(attempts.map(async (attempt) => attempt()));
  });
  expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "rejected"));
  // Only this test expects violations.
  await expect.poll(() => faults.length).toBeGreaterThan(3);
  faults.length = 0;
});

test("names, icons and links inject nothing, and contact no other host", async ({ tab, page }) => {
  const contacted = new Set<string>();
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:") contacted.add(origin);
  });
  const script =
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><script>top.escaped=1</script><image href='https://example.com/spy.png'/></svg>";
  const markup = "<b>Bold</b> <img src=x onerror=alert(1)>";
  const wallets = [
    [markup, "https://example.com/spy.png", markup],
    ["\u202eksaMateM", "javascript:alert(1)", "ksaMateM"],
    [`Z${"\u0335\u0336".repeat(400)}algo`, script, "Z\u0335\u0336algo"],
    ["\u200b\u200b", "data:image/png;base64,!!!", text.wallet.unnamed],
  ] as const;
  for (const [name, icon] of wallets) await tab.install(ALICE, { name, icon });
  await page.goto(HOME);
  await tab.account.click();
  await expect(tab.wallets).toHaveText(wallets.map(([, , shown]) => shown));
  // Only data URLs of images become images, and scripts in images do not run.
  await expect(tab.dialog.getByRole("listitem").locator("img")).toHaveCount(2);
  expect(await page.evaluate(() => "escaped" in window)).toBe(false);

  await tab.open(`${HOME}?chain=<img src=x onerror=alert(1)>&table=${TABLE}`, text.trouble.linkTitle);
  await expect(page.getByRole("main")).toContainText(text.trouble.damaged);
  await tab.button(text.trouble.home).click();
  await expect(tab.title).toHaveText(text.home.headline);
  expect(page.url()).toBe(HOME);
  expect([...contacted]).toEqual([new URL(HOME).origin]);
});

test("in another page's frame there is nothing to press but a link", async ({ tab, page }) => {
  const wallet = await tab.install(ALICE);
  const stranger = new URL("/stranger", HOME).href;
  const body = `<iframe src="${LINK.replaceAll("&", "&amp;")}"></iframe>`;
  await page.route(stranger, (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(stranger);
  const frame = page.frameLocator("iframe");
  await expect(frame.getByRole("link", { name: text.framed })).toHaveAttribute("href", LINK);
  await expect(frame.locator("button, [role=gridcell], input")).toHaveCount(0);
  expect(wallet.asked).toEqual([]);
});
