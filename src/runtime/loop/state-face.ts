import type { JsonObject } from "../../kernel/json.ts";
import { applyDelta } from "../../state/apply.ts";
import type { StateDefinition } from "../../state/define.ts";
import type { SharedState } from "../../tools/tool.ts";
import type { AnyState } from "../turn/journal.ts";

/** The state for a tool that takes it, and what the tool has written: nobody else sees it before the call is over. */
export function stateFace(definition: StateDefinition, state: AnyState): { readonly face: SharedState; readonly written: readonly JsonObject[] } {
  let current = state;
  const written: JsonObject[] = [];
  const valueOf = (name: string): unknown => (current as Readonly<Record<string, unknown>>)[name];
  const face = {
    get data(): AnyState {
      return current;
    },
    get: (name: string, fallback?: unknown): unknown => (Object.hasOwn(current, name) ? valueOf(name) : fallback),
    has: (name: string): boolean => Object.hasOwn(current, name),
    set(name: string, update: unknown): void {
      // A delta may hold what is no JSON, such as an override: it is applied, never stored.
      const delta = { [name]: update } as JsonObject;
      current = applyDelta(definition, current, delta).state;
      written.push(delta);
    },
  };
  // Its types are those of the definition, which the caller knows and this function does not.
  return { face: face as unknown as SharedState, written };
}
