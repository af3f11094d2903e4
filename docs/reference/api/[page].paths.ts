import { readGenerated } from "../../../scripts/site/generated.ts";

// VitePress reads the pages of a route from a default export.
export default {
  paths: () => readGenerated().map(({ page, markdown }) => ({ params: { page }, content: markdown })),
};
