/** What the tests of adapters share: asking a model, and a clock that goes faster. */
import { setTimeout as delay } from "node:timers/promises";
import { ThroughlineError, type Clock, type Model, type ModelPart, type ModelRequest } from "../../packages/throughline/src/index.ts";

export const request = (rest: Partial<ModelRequest> = {}): ModelRequest => ({
  sections: [
    { name: "persona", text: "You are kind." },
    { name: "diary", text: `{"name":"Ada"}` },
  ],
  messages: [{ role: "user", text: "hello", name: "Ada Lovelace" }],
  tools: [],
  ...rest,
});

export const never = new AbortController().signal;

export const ask = (model: Model, rest: Partial<ModelRequest> = {}, signal: AbortSignal = never): Promise<ModelPart[]> =>
  Array.fromAsync(model.stream(request(rest), { signal }));

export const textOf = (parts: readonly ModelPart[]): string => parts.map((part) => (part.type === "text_delta" ? part.text : "")).join("");

/** What a call came to: its parts until the end, and the error if there was one. */
export async function outcomeOf(
  model: Model,
  rest: Partial<ModelRequest> = {},
  signal: AbortSignal = never,
): Promise<{ readonly text: string; readonly parts: readonly ModelPart[]; readonly error: ThroughlineError | undefined }> {
  const parts: ModelPart[] = [];
  try {
    for await (const part of model.stream(request(rest), { signal })) parts.push(part);
    return { text: textOf(parts), parts, error: undefined };
  } catch (error) {
    if (!ThroughlineError.is(error)) throw error;
    return { text: textOf(parts), parts, error };
  }
}

/** A clock on which `factor` seconds pass in one; `slept` are the pauses that somebody waited for to their end, `sleeping` goes on. */
export function fastClock(factor: number): Clock & { readonly slept: readonly number[]; sleeping(): number } {
  const slept: number[] = [];
  let sleeping = 0;
  return {
    slept,
    sleeping: () => sleeping,
    now: () => Date.now(),
    monotonic: () => performance.now() * factor,
    async sleep(ms, signal) {
      sleeping += 1;
      try {
        await delay(ms / factor, undefined, signal === undefined ? {} : { signal });
        slept.push(Math.round(ms));
      } finally {
        sleeping -= 1;
      }
    },
  };
}

/** Everything that can be seen of an error: message, hint, details, stack, causes and what a console shows. */
export function everythingOf(error: ThroughlineError, inspect: (value: unknown) => string): string {
  return `${inspect(error)}\n${JSON.stringify(error)}\n${error.message}\n${error.hint}\n${String(error.stack)}\n${inspect(error.cause)}`;
}
