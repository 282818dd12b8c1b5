import { mergeConfig } from "vitest/config";
import config from "./vitest.config.ts";

/** For `npm run mutants`, which names the tests that judge a module. */
export default mergeConfig({ ...config, test: { ...config.test, include: [] } }, { test: { include: (process.env["TESTS"] ?? "").split(",") } });
