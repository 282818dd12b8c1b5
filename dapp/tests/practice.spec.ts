import { expect, expectBoard, hint, square, test, title } from "./support/fixtures.ts";

test("practice plays the real contract at one screen, and the link of the table is in the address bar", async ({ page, host }) => {
  await page.goto(host);
  await page.getByRole("button", { name: "Practise here, now" }).click();
  await expect(title(page)).toHaveText("X to move");
  await expect(hint(page)).toHaveText("Both seats are yours.");
  expect(new URL(page.url()).searchParams.get("chain")).toBe("3141592");
  for (const cell of [4, 0, 2, 6, 3, 5, 1, 7, 8]) {
    await expect(square(page, cell)).not.toHaveAttribute("aria-disabled");
    await square(page, cell).click();
  }
  await expect(title(page)).toHaveText("A draw");
  await expectBoard(page, "oxxxxooox");
  await expect(page.locator("#draws")).toHaveText("Draws: 1");
});
