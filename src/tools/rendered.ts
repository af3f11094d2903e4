/** Results that come in two forms: a value, and what is to be read of it. */
import type { ThroughlineError } from "../kernel/error.ts";
import type { MessagePart } from "../session/event.ts";

const marker = Symbol("rendered");

/** A result with what the model reads in place of its value. */
export interface Rendered {
  readonly [marker]: true;
  readonly value: unknown;
  readonly parts: readonly MessagePart[] | undefined;
  /** Why the value is not the whole result. */
  readonly refused?: ThroughlineError;
}

/** A result with what the model reads in place of it; a tool's own `show` wins over that. */
export const rendered = (value: unknown, parts: readonly MessagePart[]): Rendered => Object.freeze({ [marker]: true, value, parts });

/** What is left of a result that is not used as it is, and why: a call with effects was made, any other one has failed with the error. */
export const refused = (value: unknown, error: ThroughlineError): Rendered =>
  Object.freeze({ [marker]: true, value, parts: undefined, refused: error });

/** Whether a tool's result comes in two forms. */
export const isRendered = (returned: unknown): returned is Rendered => typeof returned === "object" && returned !== null && marker in returned;
