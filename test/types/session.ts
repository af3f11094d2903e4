/** What the compiler knows of a session: the types of its agent. Checked by `npm run check`, never run. */
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  reduced,
  scripted,
  turn,
  type Agent,
  type JsonObject,
  type Runtime,
  type Session,
  type Store,
  type TurnStream,
} from "../../packages/throughline/src/index.ts";

const Desk = defineState({
  message: input(z.string()),
  locale: input(z.string().default("en")),
  orders: reduced(z.array(z.string()), { initial: [], show: "output", start: true }),
  name: reduced(z.string(), { show: "public" }),
  since: reduced(z.date(), { codec: { encode: (date) => date.toISOString(), decode: (json) => new Date(json as string) }, show: "output" }),
  anything: reduced(z.unknown(), { show: "public" }),
  draft: reduced(z.number()),
  mood: turn(z.enum(["calm", "angry"]), { show: "output" }),
});
const Shop = defineState({ message: input(z.string()), place: input(z.enum(["web", "store"])) });
const reply = loop({ model: scripted([]) });
const desk = defineAgent({ name: "desk", version: 1, state: Desk, reply });
const shop = defineAgent({ name: "shop", version: 1, state: Shop, reply });
declare const store: Store;

const runtime = await createRuntime({ store, agents: [desk, shop] });
const session = await runtime.sessions.open({ agent: "desk", customer: "crm-7" });
expectTypeOf(session).toEqualTypeOf<Session<typeof desk>>();
expectTypeOf(await runtime.sessions.open({ agent: desk, key: "k" })).toEqualTypeOf<Session<typeof desk>>();
expectTypeOf(await runtime.sessions.create({ agent: shop })).toEqualTypeOf<Session<typeof shop>>();
expectTypeOf((await runtime.sessions.openOrCreate({ agent: "shop", key: "k" })).session).toEqualTypeOf<Session<typeof shop>>();
expectTypeOf(await session.fork()).toEqualTypeOf<Session<typeof desk>>();
// @ts-expect-error: the runtime has no such agent
await runtime.sessions.open({ agent: "dsek", customer: "crm-7" });
// @ts-expect-error: nor this one
await runtime.sessions.open({ agent: defineAgent({ name: "other", version: 1, state: Shop, reply }), customer: "crm-7" });

// What a turn returns is the output view, encoded.
const { output } = await session.send("Hello.", { input: { locale: "de" }, start: { orders: ["A-1"] } });
expectTypeOf(output.orders).toEqualTypeOf<readonly string[] | undefined>();
expectTypeOf(output.since).toEqualTypeOf<string | undefined>();
expectTypeOf(output.mood).toEqualTypeOf<"calm" | "angry" | undefined>();
// @ts-expect-error: an internal field
export const internal: unknown = output.draft;
// @ts-expect-error: a value of the wrong type
await session.send("Hello.", { input: { locale: 5 } });
// @ts-expect-error: an unknown input field
await session.send("Hello.", { input: { loclae: "de" } });
// @ts-expect-error: the message's text is not part of the input
await session.send("Hello.", { input: { message: "Hi." } });
// @ts-expect-error: a start value of the wrong type
await session.post("Hello.", { start: { orders: 1 } });
// @ts-expect-error: a field that callers do not start with
await session.post("Hello.", { start: { name: "Ada" } });
// @ts-expect-error: the text comes first
await session.post({ text: "Hello." });

// A stream has the same types, and operations on public fields.
const stream = session.stream("Hello.", { input: { locale: "de" } });
expectTypeOf((await stream.result).output).toEqualTypeOf(output);
expectTypeOf((await session.follow(3).result).output).toEqualTypeOf(output);
for await (const part of stream) {
  if (part.type === "end") expectTypeOf(part.result.output).toEqualTypeOf(output);
  if (part.type === "state") expectTypeOf(part.patch[0]!.path).toEqualTypeOf<`/${"name" | "anything"}` | `/${"name" | "anything"}/${string}`>();
}
// @ts-expect-error: an internal field
export const unseen: unknown = (await stream.result).output.draft;
// @ts-expect-error: an unknown input field
session.stream("Hello.", { input: { loclae: "de" } });
const show = async (of: TurnStream): Promise<void> => {
  for await (const part of of) if (part.type === "state") expectTypeOf(part.patch[0]!.path).toEqualTypeOf<string>();
};
await show(session.stream("Hello."));

// A required input field is required with each message. Its literals need no `as const`.
const buying = await runtime.sessions.create({ agent: "shop" });
await buying.send("Hello.", { input: { place: "web" } });
// @ts-expect-error: the input is missing
await buying.send("Hello.");
// @ts-expect-error: a value of it is missing
await buying.post("Hello.", { input: {} });
// @ts-expect-error: a wrong value
await buying.post("Hello.", { input: { place: "phone" } });

// The state and edits.
const { document } = await session.state();
expectTypeOf(document.draft).toEqualTypeOf<number | undefined>();
expectTypeOf(document.since).toEqualTypeOf<string | undefined>();
// @ts-expect-error: a field of one turn is not stored
export const transient: unknown = document.mood;
const { document: shown } = await session.state({ view: "public" });
expectTypeOf(shown.name).toEqualTypeOf<string | undefined>();
// @ts-expect-error: not public
export const hidden: unknown = shown.orders;
await session.edit({ draft: 2, orders: "A-2", since: new Date(0) });
// @ts-expect-error: an unknown field
await session.edit({ drfat: 2 });
// @ts-expect-error: a wrong value
await session.edit({ draft: "2" });
// @ts-expect-error: a field of one turn cannot be edited
await session.edit({ mood: "calm" });

// A session of an agent that is not known statically has any JSON, and takes the place of none that is.
const untyped = async (given: Session, of: Runtime, agents: readonly Agent[]): Promise<void> => {
  expectTypeOf((await given.send("Hello.", { input: { any: 1 } })).output).toEqualTypeOf<JsonObject>();
  expectTypeOf(await of.sessions.open({ agent: "any", key: "k" })).toEqualTypeOf<Session>();
  expectTypeOf(await createRuntime({ store, agents })).toEqualTypeOf<Runtime>();
};
await untyped(session, runtime, [desk]);
await untyped(buying, runtime, [shop]);
