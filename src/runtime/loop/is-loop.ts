import type { Reply } from "./reply.ts";
import type { LoopSettings } from "./settings.ts";

/** The settings of a reply that is a loop; undefined for another reply. */
export const loopSettings = (reply: Reply & { readonly settings?: LoopSettings }): LoopSettings | undefined => reply.settings;
