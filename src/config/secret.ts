/** Text that must not be printed. It is taken out where it is used, by a word that can be searched for. */

/** A text that shows itself as `***`, or as what of it may be seen, in messages, JSON and the inspector alike. */
export interface Secret {
  /** The text itself. */
  reveal(): string;
  /** What may be seen of it. */
  toString(): string;
  /** What may be seen of it. */
  toJSON(): string;
}

/** What of Node prints a value asks it by this name. */
const inspected = Symbol.for("nodejs.util.inspect.custom");

/** Hides a text; `shown` is what may be seen of it, `***` if left out. */
export function secret(text: string, shown = "***"): Secret {
  const seen = (): string => shown;
  // The text is in no property: what walks over an object, copies or compares it, does not find it.
  return Object.freeze({ reveal: () => text, toString: seen, toJSON: seen, [inspected]: seen });
}

/** Whether a value is a hidden text. */
export const isSecret = (value: unknown): value is Secret =>
  typeof value === "object" && value !== null && "reveal" in value && typeof value.reveal === "function" && inspected in value;
