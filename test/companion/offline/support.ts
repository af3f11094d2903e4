/** The offline model, asked as the companion asks it: through `ask`, with its schemas. */
import { asData, type Model, type ModelMessage } from "throughline";
import type { PromptSection } from "throughline/model";
import { type StyleDecision, styleSchema, type TriageDecision, triageSchema } from "../../../packages/companion/src/dispatch/dispatch-schemas.ts";
import { ask } from "../../../packages/companion/src/dispatch/ask-model.ts";
import { offlineModel } from "../../../packages/companion/src/offline/offline-model.ts";

export const offline: Model = offlineModel();

/** What was said before, and what is open. */
export interface Setting {
  readonly flow?: string;
  readonly tentative?: string;
  /** Lines such as `companion: Shall we?`. */
  readonly before?: readonly string[];
}

const line = (text: string): string => text.replaceAll(/\s+/gu, " ");

export function textOf(message: string, { flow = "none", tentative, before = [] }: Setting = {}): string {
  const unsure =
    tentative === undefined
      ? []
      : [`The companion was unsure in the turn before (it seemed to be ${tentative}) and asked. This message may be the answer.`];
  const conversation = before.length === 0 ? [] : [asData("conversation", before)];
  return [
    `Open flow: ${flow}. Memory reference: none. Message 2 of the conversation.`,
    ...unsure,
    ...conversation,
    asData("message", [line(message)]),
  ].join("\n\n");
}

const signal = (): AbortSignal => new AbortController().signal;

export const triageOf = (message: string, setting?: Setting): Promise<TriageDecision> =>
  ask(offline, { name: "dispatch", schema: triageSchema, instructions: "Decide.", text: textOf(message, setting), signal: signal() });

export const styleOf = (message: string, setting?: Setting): Promise<StyleDecision> =>
  ask(offline, { name: "dispatch", schema: styleSchema, instructions: "Choose.", text: textOf(message, setting), signal: signal() });

/** The model's reply to the last message. */
export async function replyOf(messages: readonly ModelMessage[] | string, sections: readonly PromptSection[] = []): Promise<string> {
  let reply = "";
  const given: readonly ModelMessage[] = typeof messages === "string" ? [{ role: "user", text: messages }] : messages;
  for await (const part of offline.stream({ sections, messages: given, tools: [] }, { signal: signal() }))
    if (part.type === "text_delta") reply += part.text;
  return reply;
}
