import type { Key } from "./keys.ts";

/** A text from outside the file as the value that its key takes; what is none stays text, for the schema to refuse. */
export function typed(text: string, key: Key | undefined): unknown {
  const bare = text.trim();
  switch (key?.type) {
    case "integer":
      return /^[+-]?\d{1,15}$/u.test(bare) ? Number(bare) : text;
    case "boolean":
      return bare === "true" ? true : bare === "false" ? false : text;
    case "array":
      return bare === "" ? [] : bare.split(",").map((item) => item.trim());
    default:
      return text;
  }
}
