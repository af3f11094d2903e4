import { defineConfig } from "vitest/config";

// Vitest reads its configuration from a default export.
export default defineConfig({
  test: { globals: true, include: ["*.spec.ts"], globalSetup: ["./link.ts"], pool: "forks", testTimeout: 20_000, hookTimeout: 60_000 },
});
