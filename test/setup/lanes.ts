import { configDefaults } from "vitest/config";

const every = "test/**/*.test.ts";
const slow = "test/**/*.slow.test.ts";

/**
 * The two lanes of the test suite: the file name says which lane a file is in. `npm test` runs `quick`, `npm run test:slow` runs `slow`, and Vitest
 * itself runs both unless it is told `--project`.
 */
export const lanes = [
  { name: "quick", include: [every], exclude: [...configDefaults.exclude, slow] },
  { name: "slow", include: [slow] },
];
