/**
 * The companion, offline: `throughline chat --agent agents/companion/agent.ts`. It needs no key and no network: rules answer in place of a language model.
 * @module
 */
import { createCompanion } from "./create.ts";

export const agent = createCompanion();
