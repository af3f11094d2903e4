import type { ModelToolCall } from "../port.ts";

/** Characters of what a model sent that are kept: enough to see what is wrong. */
const longest = 2_000;

/** The call of a model that sent something else than one JSON object as its arguments: whoever runs calls tells it so. */
export const malformedCall = (call_id: string, name: string, sent: string): ModelToolCall => ({
  call_id,
  name,
  arguments: {},
  malformed: sent.slice(0, longest),
});
