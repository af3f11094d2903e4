/** What one of two processes does to a person's memory. */
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  scripted,
  ThroughlineError,
  type Runtime,
  type Store,
} from "../../../../packages/throughline/src/index.ts";
import { memory } from "../../../../packages/throughline/src/memory.ts";
import type { Clock } from "../../../../packages/throughline/src/kernel/clock.ts";
import { type Doom, doomedStatements, doomedStore } from "../../../chaos/doomed-store.ts";
import type { Extractor } from "../../../../packages/throughline/src/memory/write/check-candidate.ts";

const state = defineState({ message: input(z.string()) });

const phrases: readonly (readonly [RegExp, string, string])[] = [
  [/I live in (\w+)/, "LIVES_IN", "Place"],
  [/I like (\w+)/, "LIKES", "Thing"],
  [/I hide (\w+)/, "LIKES", "Thing"],
];

/** Finds the same in the same words, in whatever process. */
export const phraseExtractor: Extractor = {
  name: "phrases@1",
  extract: async ({ turns }) => {
    const candidates = turns.flatMap(({ text, offset }) =>
      phrases.flatMap(([phrase, predicate, type]) => {
        const [quote, id] = phrase.exec(text) ?? [];
        return quote === undefined || id === undefined
          ? []
          : [
              {
                ...({ type: "fact", category: "context", subject: { type: "User", id: "user" }, confidence: "high", reason: "said" } as const),
                ...{ predicate, object: { type, id }, quote, offset },
              },
            ];
      }),
    );
    const summary = candidates.map(({ quote }) => `${quote}.`).join(" ");
    return { candidates, arc: summary === "" ? null : { summary, themes: ["life"], open_loops: [], resolved: [] }, reason: "read" };
  },
};

const friend = () =>
  defineAgent({
    ...{ name: "friend", version: 1, state, keepRequests: true, memory: memory({ extractor: phraseExtractor }) },
    reply: loop({ model: scripted(() => "I see.") }),
  });

/** A runtime that remembers. */
export async function rememberingRuntime(
  location: string,
  { work = true, doom, clock }: { readonly work?: boolean; readonly doom?: Doom | undefined; readonly clock?: Clock } = {},
): Promise<{ readonly runtime: Runtime; readonly store: Store; readonly close: () => Promise<void> }> {
  const store = await openStore(location, { onStatement: doomedStatements(doom) });
  const runtime = await createRuntime({
    store: doomedStore(store, doom),
    agents: [friend()],
    work,
    pollMs: 50,
    ...(clock === undefined ? {} : { clock }),
  });
  return {
    ...{ runtime, store },
    close: async () => {
      await runtime.close({ drainMs: 0 });
      await store.close();
    },
  };
}

export const customer = "ada";

/** What is done, and by what it is found. */
export type Deed =
  | { readonly type: "say"; readonly key: string; readonly text: string }
  | { readonly type: "close"; readonly session: string }
  | { readonly type: "correct"; readonly find: string; readonly object: string }
  | { readonly type: "forget"; readonly find: string; readonly messages: boolean }
  | { readonly type: "pin"; readonly find: string }
  | { readonly type: "prefer"; readonly text: string };

/** Does it; what came of it. */
export async function perform(runtime: Runtime, deed: Deed): Promise<string> {
  const mine = runtime.customers.memory(customer);
  if (deed.type === "say") {
    const session = await runtime.sessions.open({ agent: "friend", customer, key: deed.key });
    return (await session.send(deed.text)).status;
  }
  if (deed.type === "close") return String((await runtime.closeEpisodes({ session: deed.session })).length);
  if (deed.type === "prefer") return (await mine.savePreference(deed.text)).id;
  const found = await mine.find(deed.find);
  if (deed.type === "forget") {
    const said = found.filter(({ kind }) => kind === "fact" || kind === "turn").map(({ entry_id }) => entry_id);
    if (said.length > 0) await mine.forget(said, { messages: deed.messages });
    return String(said.length);
  }
  const fact = found.find(({ kind }) => kind === "fact");
  if (fact === undefined) return "none";
  if (deed.type === "pin") return (await mine.pin(fact.entry_id)).entry_id;
  try {
    return (await mine.correct(fact.entry_id, { object: deed.object, quote: `No, ${deed.object}` })).entry_id;
  } catch (error) {
    // It holds no longer: something else has taken its place since it was found.
    if (ThroughlineError.is(error, "memory.entry_not_found")) return perform(runtime, deed);
    throw error;
  }
}
