import { seen } from "../../kernel/error.ts";
import { isPlainObject, notJson } from "../../kernel/json.ts";
import type { ModelRequest } from "../../model/port.ts";

const isText = (value: unknown): boolean => typeof value === "string";

type Fault = string | undefined;

const isSection = (value: unknown): boolean => isPlainObject(value) && isText(value["name"]) && isText(value["text"]);
const isTool = (value: unknown): boolean =>
  isPlainObject(value) && isText(value["name"]) && isText(value["description"]) && isPlainObject(value["parameters"]);

function isMessage(value: unknown): boolean {
  if (!isPlainObject(value) || !isText(value["text"])) return false;
  if (value["role"] === "tool") return isText(value["call_id"]);
  return ["user", "assistant", "system"].some((role) => role === value["role"]) && (value["calls"] === undefined || Array.isArray(value["calls"]));
}

const listOf = (value: unknown, test: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && (value as readonly unknown[]).every((item) => test(item)) && notJson(value) === undefined;

/** What a part of a request may be, by its name. */
const parts: Readonly<Record<keyof ModelRequest, (value: unknown) => boolean>> = {
  sections: (value) => listOf(value, isSection),
  messages: (value) => listOf(value, isMessage),
  tools: (value) => listOf(value, isTool),
  response_format: (value) => notJson(value) === undefined,
  max_output_tokens: (value) => Number.isInteger(value) && Number(value) >= 1,
};

/** What is wrong with the parts of a request that a hook wants to put in the place of what is there. */
export function wrongRequest(value: unknown): Fault {
  if (!isPlainObject(value)) return "is no object with parts of a request";
  for (const [name, part] of Object.entries(value)) {
    const known = Object.keys(parts).find((key) => key === name) as keyof ModelRequest | undefined;
    if (known === undefined) return `has ${seen(name)}; it takes ${Object.keys(parts).join(", ")}`;
    if (part !== undefined && !parts[known](part)) return `has ${name} of the wrong shape`;
  }
  return undefined;
}

/** What is wrong with parts for this very request: a tool that it does not offer, which nobody could run. */
export function wrongTools(request: ModelRequest, parts: Partial<ModelRequest> | undefined): Fault {
  const added = parts?.tools?.find(({ name }) => !request.tools.some((tool) => tool.name === name));
  return added === undefined ? undefined : `a request with the tool ${seen(added.name)}, which was not offered before`;
}

/** The request with a hook's parts in the place of its own. */
export const withParts = (request: ModelRequest, parts: Partial<ModelRequest>): ModelRequest =>
  Object.freeze({ ...request, ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) });
