import { fileShape } from "./keys.ts";

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value);

/** What an editor must also let pass: a text that something is put into when the file is read. */
const filled = { type: "string", pattern: "\\$\\{" } as const;

/** The JSON Schema of the file, for editors: as the file's own, but that any value may be put in, and a block may be empty. */
export function editorSchema(): Schema {
  const { $schema, title, ...rest } = fileShape();
  return { $schema, title, ...lenient(rest) };
}

function lenient({ format: _format, description, default: otherwise, ...own }: Schema): Schema {
  const told = { ...(description === undefined ? {} : { description }) };
  if (own["type"] === "object") {
    const properties = isSchema(own["properties"]) ? own["properties"] : {};
    const inner = Object.entries(properties).map(([name, value]) => [name, isSchema(value) ? lenient(value) : value]);
    return { ...told, ...own, type: own["required"] === undefined ? ["object", "null"] : "object", properties: Object.fromEntries(inner) };
  }
  const items = isSchema(own["items"]) ? { items: lenient(own["items"]) } : {};
  return { ...told, ...(otherwise === undefined ? {} : { default: otherwise }), anyOf: [{ ...own, ...items }, filled] };
}
