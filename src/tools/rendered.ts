/** Results that come in two forms: a value, and what is to be read of it. */
import type { MessagePart } from "../session/event.ts";

const marker = Symbol("rendered");

/** A result with what the model reads in place of its value. */
export interface Rendered {
  readonly [marker]: true;
  readonly value: unknown;
  readonly parts: readonly MessagePart[];
}

/** A result with what the model reads in place of it; a tool's own `show` wins over that. */
export const rendered = (value: unknown, parts: readonly MessagePart[]): Rendered => Object.freeze({ [marker]: true, value, parts });

/** Whether a tool's result comes in two forms. */
export const isRendered = (returned: unknown): returned is Rendered => typeof returned === "object" && returned !== null && marker in returned;
