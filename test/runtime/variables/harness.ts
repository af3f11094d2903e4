import { dataIn } from "../../setup/data-in.ts";
import { onTestFinished } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  variable,
  variables,
  type Runtime,
  type RuntimeOptions,
  type ScriptedModel,
  type Store,
  type TypedAgent,
  type Variable,
  type VariableOptions,
} from "../../../packages/throughline/src/index.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../../setup/database.ts";

export type Kind = "memory" | "sqlite" | "postgres";
export const kinds: readonly Kind[] = ["memory", "sqlite"];
/** For what depends on how a database orders those who write at once, or keeps what nobody holds in memory. */
export const everywhere: readonly Kind[] = noPostgres === undefined ? [...kinds, "postgres"] : kinds;

export const state = defineState({ message: input(z.string()), note: reduced(z.string()) });
type Options = Parameters<typeof defineAgent<typeof state>>[0];

/** An agent that is told its variables, and a model that keeps what it was asked. */
export function knowing(
  bound: readonly Variable[] = [],
  options: Partial<Options> = {},
): { readonly agent: TypedAgent<typeof state>; readonly model: ScriptedModel } {
  const model = scripted(() => "ok");
  const agent = defineAgent({ name: "a1", version: 1, state, reply: loop({ model }), sections: [variables], variables: bound, ...options });
  return { agent, model };
}

export async function storeOf(kind: Kind): Promise<Store> {
  const store = await openStore(kind === "memory" ? ":memory:" : kind === "sqlite" ? newSqliteFile() : await emptyPostgresDatabase());
  onTestFinished(() => store.close());
  return store;
}

/** A runtime, closed when the test ends. */
export async function runtimeOf(options: Omit<RuntimeOptions, "store"> & { readonly store?: Store }): Promise<Runtime & { readonly store: Store }> {
  const { store = await storeOf("memory"), ...rest } = options;
  const runtime = await createRuntime({ store, leaseMs: 500, heartbeatMs: 100, pollMs: 50, ...rest });
  onTestFinished(() => runtime.close({ drainMs: 0 }));
  return { ...runtime, store };
}

/** What the model was told of variables in its last request, line by line. */
export function told(model: ScriptedModel): readonly string[] | undefined {
  const text = model.requests.at(-1)?.sections.find(({ name }) => name === "variables")?.text;
  return text === undefined ? undefined : dataIn(text).split("\n");
}

/** The values that it was told. */
export const values = (model: ScriptedModel): unknown => {
  const [first] = told(model) ?? [];
  return first === undefined ? undefined : JSON.parse(first);
};

/** A variable whose refresh counts its calls. */
export function counted(
  name: string,
  given: (call: number) => unknown,
  options: Omit<VariableOptions<"customer" | "session">, "refresh"> = {},
): { readonly bound: Variable; readonly calls: () => number } {
  let calls = 0;
  return { bound: variable(name, { ...options, refresh: () => given(++calls) as never }), calls: () => calls };
}
