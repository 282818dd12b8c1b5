// In CI a skipped test fails the run, and so does a spec without tests; Playwright has no setting for that.
import { readdirSync } from "node:fs";
import type { FullConfig, FullResult, Reporter, Suite } from "@playwright/test/reporter";

export default class Complete implements Reporter {
  private suite: Suite | undefined;

  onBegin(_: FullConfig, suite: Suite): void {
    this.suite = suite;
  }

  async onEnd({ status }: FullResult): Promise<{ status: FullResult["status"] }> {
    const tests = this.suite?.allTests() ?? [];
    const skipped = tests.filter((test) => test.outcome() === "skipped").map(({ title }) => title);
    const specs = readdirSync(new URL("..", import.meta.url)).filter((name) => name.endsWith(".spec.ts"));
    const faults = [...skipped, ...specs.filter((name) => !tests.some(({ location }) => location.file.endsWith(name)))];
    if (!process.env["CI"] || faults.length === 0) return { status };
    console.log(`In CI this is a failure, because tests are skipped or missing: ${faults.join(", ")}`);
    return { status: "failed" };
  }
}
