import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// The system's browser if there is one, else Playwright's own.
const system = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const executablePath = process.env.CHROMIUM ?? system;

export default defineConfig({
  testDir: "tests",
  testMatch: "*.spec.ts",
  outputDir: "results",
  fullyParallel: true,
  workers: Number(process.env.WORKERS ?? 2),
  // No retries: a flaky test is a bug in the page or in the test.
  retries: 0,
  failOnFlakyTests: true,
  timeout: 60_000,
  expect: { timeout: 7_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: [[process.env.CI ? "dot" : "list"], ["./tests/support/complete.ts"]],
  use: {
    browserName: "chromium",
    viewport: { width: 1100, height: 900 },
    locale: "en-GB",
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    },
  },
});
