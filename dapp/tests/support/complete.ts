// In CI a skipped test fails the run, and so does a spec without tests; Playwright has no setting for that.
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import type { FullConfig, FullResult, Reporter, Suite } from "@playwright/test/reporter";

export default class Complete implements Reporter {
  private specs: string[] = [];
  private suite: Suite | undefined;

  onBegin({ rootDir }: FullConfig, suite: Suite): void {
    this.specs = readdirSync(rootDir).filter((name) => name.endsWith(".spec.ts"));
    this.suite = suite;
  }

  async onEnd({ status }: FullResult): Promise<{ status: FullResult["status"] }> {
    const tests = this.suite?.allTests() ?? [];
    const skipped = tests.filter((test) => test.outcome() === "skipped").map(({ title }) => `skipped: ${title}`);
    const withTests = new Set(tests.map(({ location }) => basename(location.file)));
    const faults = [...skipped, ...this.specs.filter((name) => !withTests.has(name)).map((name) => `no test: ${name}`)];
    if (!process.env["CI"] || faults.length === 0) return { status };
    console.log(`In CI this is a failure: ${faults.join(", ")}`);
    return { status: "failed" };
  }
}
