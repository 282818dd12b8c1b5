import { defineConfig } from "vitest/config";

/** The page's logic in Node, with a fake browser, a fake node and fake time. What only a browser shows is in tests/*.spec.ts. */
export default defineConfig({
  test: {
    include: ["tests/unit/*.test.ts"],
    restoreMocks: true,
    testTimeout: 30_000,
  },
});
