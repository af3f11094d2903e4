import { isPlainObject, notJson } from "../../kernel/json.ts";

const isText = (value: unknown): boolean => typeof value === "string";

const isPart = (part: unknown): boolean =>
  isPlainObject(part) && ((part["type"] === "text" && isText(part["text"])) || (part["type"] === "json" && "value" in part));

/** What each type of result holds. */
const shapes: Readonly<Record<string, (result: Readonly<Record<string, unknown>>) => boolean>> = {
  ok: ({ value, shown, not_stored }) =>
    value !== undefined && not_stored === undefined && (shown === undefined || (Array.isArray(shown) && shown.every((part) => isPart(part)))),
  error: ({ error }) => isPlainObject(error) && isText(error["code"]) && isText(error["message"]) && isText(error["hint"]),
  blocked: ({ by, reason }) => isText(by) && isText(reason),
  skipped: ({ reason }) => isText(reason),
  unknown: () => true,
};

/** What is wrong with the result that a hook wants to put in the place of a call's. */
export function wrongResult(value: unknown): string | undefined {
  const type: unknown = isPlainObject(value) ? value["type"] : undefined;
  if (!isPlainObject(value) || typeof type !== "string" || !Object.hasOwn(shapes, type))
    return `is no result; its type is one of ${Object.keys(shapes).join(", ")}`;
  if (shapes[type]?.(value) !== true) return `is no result of type ${type}`;
  return notJson(value) === undefined ? undefined : "is no JSON";
}
