/** Items of the SDK as JSON: bytes become text, whatever else is not JSON is refused. */
import { UserError } from "@openai/agents";
import type { Json } from "throughline";

const bytesKey = "$bytes";

const refused = (): UserError => new UserError("Session history transaction items contain invalid or unsupported data.");

/** A value as JSON; members that are undefined are left out. Throws for dates, cycles, class instances and what else does not come back as it was. */
export function encodeItem(value: unknown, above: readonly object[] = []): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value instanceof Uint8Array) return { [bytesKey]: Buffer.from(value).toString("base64") };
  if (typeof value !== "object" || above.includes(value)) throw refused();
  const within = [...above, value];
  if (Array.isArray(value)) {
    if (Reflect.ownKeys(value).length !== value.length + 1) throw refused();
    return value.map((item) => encodeItem(item, within));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  const members = Object.entries(value);
  const plain = (prototype === Object.prototype || prototype === null) && Reflect.ownKeys(value).length === members.length;
  if (!plain || Object.hasOwn(value, bytesKey)) throw refused();
  return Object.fromEntries(members.flatMap(([name, member]) => (member === undefined ? [] : [[name, encodeItem(member, within)]])));
}

/** The value that {@link encodeItem} made JSON of: a copy that its holder may change. */
export function decodeItem(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map((item) => decodeItem(item));
  const entries = Object.entries(json);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === bytesKey) return new Uint8Array(Buffer.from(String(first[1]), "base64"));
  return Object.fromEntries(entries.map(([name, member]) => [name, decodeItem(member)]));
}
