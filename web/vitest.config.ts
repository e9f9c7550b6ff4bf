import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  // A limit that only a test that hangs reaches: one that reads every source takes seconds on a busy machine.
  test: { include: ["src/**/*.test.ts"], environment: "node", testTimeout: 60_000 },
});
