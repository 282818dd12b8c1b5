// Reporters that end a run with a line of its counts. In CI a skipped test fails the run, and so does a browser spec without
// tests; Playwright and Vitest have no setting for that.
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import type { FullConfig, FullResult, Reporter, Suite } from "@playwright/test/reporter";
import type { Reporter as UnitReporter } from "vitest/node";

/** Prints the counts, and in CI what the run must not have. Returns whether the run must fail. */
function report(kind: string, passed: number, failed: number, skipped: string[], others: string[]): boolean {
  const faults = process.env["CI"] ? [...skipped.map((title) => `skipped: ${title}`), ...others] : [];
  for (const fault of faults) console.log(`In CI this is a failure: ${fault}`);
  console.log(`${kind}: ${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`);
  return faults.length > 0;
}

export const unitCounts: UnitReporter = {
  onTestRunEnd(files) {
    const tests = files.flatMap(({ children }) => [...children.allTests()]);
    const titles = (state: string): string[] =>
      tests.filter((test) => test.result().state === state).map(({ fullName }) => fullName);
    const failed = titles("failed").length + files.filter((file) => file.errors().length > 0).length;
    const flaky = tests.filter((test) => test.diagnostic()?.flaky).map(({ fullName }) => `flaky: ${fullName}`);
    if (report("Unit tests", titles("passed").length, failed, titles("skipped"), flaky)) process.exitCode = 1;
  },
};

export default class BrowserCounts implements Reporter {
  private specs: string[] = [];
  private suite: Suite | undefined;

  onBegin(config: FullConfig, suite: Suite): void {
    this.specs = readdirSync(config.rootDir).filter((name) => name.endsWith(".spec.ts"));
    this.suite = suite;
  }

  async onEnd({ status }: FullResult): Promise<{ status: FullResult["status"] }> {
    const tests = this.suite?.allTests() ?? [];
    const titles = (...outcomes: string[]): string[] =>
      tests.filter((test) => outcomes.includes(test.outcome())).map(({ title }) => title);
    const withTests = new Set(tests.map(({ location }) => basename(location.file)));
    const empty = this.specs.filter((name) => !withTests.has(name)).map((name) => `no test in ${name}`);
    const failed = titles("unexpected", "flaky").length;
    const fails = report("Browser tests", titles("expected").length, failed, titles("skipped"), empty);
    return { status: fails ? "failed" : status };
  }
}
