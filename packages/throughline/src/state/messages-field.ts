/** The `messages` field that every state has. */
import { isPlainObject } from "../kernel/json.ts";
import { type Schema, validate } from "../kernel/schema.ts";
import { type Field, reduced } from "./field.ts";

/** Name of the automatic field. */
export const messagesField = "messages";

const roles = ["user", "assistant", "system", "tool"] as const;

/** An entry of `messages`. Additional members, such as `offset` or `name`, are kept. */
export interface MessageValue {
  readonly role: (typeof roles)[number];
  readonly text: string;
}

/** Handwritten, because the state must not load a schema library. */
const messagesSchema: Schema<readonly MessageValue[]> & { readonly "~standard": { readonly jsonSchema: object } } = {
  "~standard": {
    version: 1,
    vendor: "throughline",
    validate(value) {
      if (!Array.isArray(value)) return { issues: [{ message: "expected a list of messages" }] };
      const issues = value.flatMap((item: unknown, index) => {
        if (!isPlainObject(item)) return [{ path: [index], message: "expected a message: { role, text }" }];
        const wrongRole = roles.some((role) => role === item["role"])
          ? []
          : [{ path: [index, "role"], message: `expected one of ${roles.join(", ")}` }];
        const wrongText = typeof item["text"] === "string" ? [] : [{ path: [index, "text"], message: "expected a string" }];
        return [...wrongRole, ...wrongText];
      });
      return issues.length === 0 ? { value: value as readonly MessageValue[] } : { issues };
    },
    jsonSchema: { input: () => describedAs, output: () => describedAs },
  },
};

const describedAs = {
  type: "array",
  items: { type: "object", properties: { role: { enum: [...roles] }, text: { type: "string" } }, required: ["role", "text"] },
};

/** The field `messages` of a state that does not redeclare it. */
export const automaticMessages = reduced(messagesSchema);

/** Returns why a field cannot be `messages`; undefined if it can. The field must accept only lists of objects. */
export function notMessages(field: Field): string | undefined {
  if (field.lifecycle !== "reduced") return `must be a \`reduced\` field, not \`${field.lifecycle}\``;
  if (field.codec !== undefined) return "takes no codec";
  const accepts = (value: unknown): boolean => validate(field.schema, value).ok;
  if (!accepts([])) return "must be a list that may be empty";
  const other = [null, "text", {}].find(accepts);
  if (other !== undefined) return `must be a list and nothing else; its schema accepts ${JSON.stringify(other)}`;
  const element = [null, "text", []].find((item) => accepts([item]));
  return element === undefined ? undefined : `must be a list of messages; its schema accepts ${JSON.stringify([element])}`;
}
