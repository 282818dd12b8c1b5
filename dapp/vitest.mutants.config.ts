import { mergeConfig } from "vitest/config";
import config from "./vitest.config.ts";

/** For `npm run mutants`: without the tests that need the rest of the repository, which is not in Stryker's copy. */
export default mergeConfig(config, { test: { exclude: ["tests/unit/{build,naming,practice,text}.test.ts"] } });
