import type { ModelToolCall } from "../port.ts";

/** Characters of what a model sent that are kept: enough to see what is wrong. */
const longest = 2_000;

/** A call whose arguments are not one JSON object; the loop answers it with an error. */
export const malformedCall = (call_id: string, name: string, sent: string): ModelToolCall => ({
  call_id,
  name,
  arguments: {},
  malformed: sent.slice(0, longest),
});
