/** A model request in forms that a person takes elsewhere: a command for a shell, and a fixture for a test. Neither holds a key. */
import type { ResultOf, WireEvent, WireJson, WireJsonObject } from "@throughline/client";
import { messageText } from "../../parts/message-text.ts";
import { texts } from "../../base/page-texts.ts";

type Prompt = ResultOf<"getPrompt">;

const isObject = (value: WireJson | undefined): value is WireJsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: WireJson | undefined): readonly WireJsonObject[] =>
  Array.isArray(value) ? value.filter((item: WireJson) => isObject(item)) : [];
const textOf = (value: WireJson | undefined): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value));

/** Reads the request; an empty object if it is not the JSON of a request of this library. */
export function requestOf({ body }: Pick<Prompt, "body">): WireJsonObject {
  try {
    const value = JSON.parse(body) as WireJson;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function messageOf(message: WireJsonObject): WireJsonObject {
  const content = textOf(message["text"]);
  if (message["role"] === "tool") return { role: "tool", tool_call_id: message["call_id"] ?? "", content };
  const calls = listOf(message["calls"]);
  const role = message["role"] ?? "user";
  if (calls.length === 0) return { role, content };
  const tool_calls = calls.map((call) => ({
    ...{ id: call["call_id"] ?? "", type: "function" },
    function: { name: call["name"] ?? "", arguments: JSON.stringify(call["arguments"] ?? {}) },
  }));
  return { role, content: content === "" ? null : content, tool_calls };
}

/**
 * The request as a command for a service that speaks chat completions. The address and the key are variables of the shell, so neither is in the text.
 * A line of JSON cannot be the end of the document, because it never consists of letters alone.
 */
export function curlOf(prompt: Prompt, model: string | undefined): string {
  const { sections, messages, tools, response_format, max_output_tokens } = requestOf(prompt);
  const system = listOf(sections)
    .map((section) => textOf(section["text"]))
    .filter((text) => text !== "")
    .join("\n\n");
  const offered = listOf(tools);
  const body: WireJsonObject = {
    model: model ?? "MODEL",
    messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...listOf(messages).map((message) => messageOf(message))],
    ...(offered.length === 0 ? {} : { tools: offered.map((tool) => ({ type: "function", function: tool })) }),
    ...(response_format === undefined ? {} : { response_format: { type: "json_schema", json_schema: { name: "answer", schema: response_format } } }),
    ...(max_output_tokens === undefined ? {} : { max_tokens: max_output_tokens }),
  };
  return [
    `curl "$MODEL_URL/chat/completions" \\`,
    `  -H "content-type: application/json" \\`,
    `  -H "authorization: Bearer $MODEL_KEY" \\`,
    `  --data-binary @- <<'JSON'`,
    JSON.stringify(body, null, 2),
    "JSON",
    "",
  ].join("\n");
}

/** What the model answered in a step, as the log has it; undefined if the log does not have it. */
function replyOf(events: readonly WireEvent[], step_id: string | undefined): { readonly text: string; readonly calls?: WireJson } | undefined {
  const found = events.find((event) => event.kind === "message" && step_id !== undefined && event.data.origin?.step_id === step_id);
  if (found?.kind !== "message") return undefined;
  const { calls } = found.data;
  return { text: messageText(found.data), ...(calls === undefined ? {} : { calls: calls as unknown as WireJson }) };
}

/** The steps of a turn, in order, and the events that belong to it. */
interface Step {
  readonly step_id: string;
  readonly model?: string | undefined;
}

export const stepsOf = (events: readonly WireEvent[], turn: string): readonly Step[] =>
  events.flatMap((event) =>
    event.turn_id === turn && event.kind === "turn" && event.data.type === "step" ? [{ step_id: event.data.step_id, model: event.data.model }] : [],
  );

/** The request and its reply as a module for a test: a scripted model that gives the same reply. */
export function fixtureOf(prompt: Prompt, session: string, events: readonly WireEvent[]): string {
  const { step_id } = stepsOf(events, prompt.turn_id)[prompt.step - 1] ?? {};
  const reply = replyOf(events, step_id);
  return [
    `import { type ModelRequest, scripted } from "throughline";`,
    `import type { ScriptedReply } from "throughline/model";`,
    "",
    `/** ${texts.prompt.fixture(prompt.step, prompt.turn_id, session)} */`,
    `export const request = ${JSON.stringify(requestOf(prompt), null, 2)} as const satisfies ModelRequest;`,
    "",
    ...(reply === undefined ? [`// ${texts.prompt.noReply}`] : []),
    `export const reply = ${JSON.stringify(reply ?? { text: "" }, null, 2)} as const satisfies ScriptedReply;`,
    "",
    "export const model = scripted([reply]);",
    "",
  ].join("\n");
}
