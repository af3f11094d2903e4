/** What a person reads of a reply in which a model has called its tools as text, or thought aloud. */
import { scripted } from "throughline";
import { expect, it } from "vitest";
import { plainReply } from "../../packages/companion/src/reply/reply-hooks.ts";
import { control, styledAs, triaged, withCompanion } from "./support.ts";

it.each([
  ['<tool_call>{"name":"show_memory_status"}</tool_call> Hello there.', "Hello there."],
  ["<think>They are sad.\nI should\n\n\nask.</think>\n\nHello there.", "Hello there."],
  ["Hello there. <|tool_calls|>{}", "Hello there."],
  ["Hello.\n\n<function_calls>\n<invoke name='x'/>\n</function_calls>\n\nHow was it?", "Hello.\n\nHow was it?"],
  ['{"name": "look_up", "arguments": {"query": "sleep"}}', ""],
  ['```json\n{"tool": "look_up"}\n```', ""],
  ['I think 3 < 4, and <b>so</b> do you. {"name": 1} is JSON.', 'I think 3 < 4, and <b>so</b> do you. {"name": 1} is JSON.'],
])("%j is %j", (text, plain) => expect(plainReply(text)).toBe(plain));

it.each([
  ["is said without it", "<think>They are sad.</think> I hear you.", "I hear you."],
  ["is left as it is, where there is none of it", "Two  spaces,\n\n\nand lines.", "Two  spaces,\n\n\nand lines."],
])("a reply %s", (_, written, said) =>
  withCompanion(
    { models: { control: control({ triage: triaged(), style: styledAs("supportive") }), response: scripted(() => written) } },
    async ({ say }) => expect((await say("My week was long.")).reply).toBe(said),
  ),
);
