/** What the compiler knows of a session of the client: the types of the agent that the caller names. Checked by `npm run check`, never run. */
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { type ClientSession, createClient, type WireJsonObject } from "../../packages/client/src/client.ts";
import { useSession } from "../../packages/client/src/react.ts";
import { type Agent, defineAgent, defineState, input, loop, reduced, scripted, turn } from "../../packages/throughline/src/index.ts";

const Desk = defineState({
  message: input(z.string()),
  locale: input(z.string().default("en")),
  orders: reduced(z.array(z.string()), { initial: [], show: "output", start: true }),
  name: reduced(z.string(), { show: "public" }),
  since: reduced(z.date(), { codec: { encode: (date) => date.toISOString(), decode: (json) => new Date(json as string) }, show: "output" }),
  draft: reduced(z.number()),
  mood: turn(z.enum(["calm", "angry"]), { show: "output" }),
});
const Shop = defineState({ message: input(z.string()), place: input(z.enum(["web", "store"])) });
const reply = loop({ model: scripted([]) });
const agents = {
  desk: defineAgent({ name: "desk", version: 1, state: Desk, reply }),
  shop: defineAgent({ name: "shop", version: 1, state: Shop, reply }),
};
type DeskAgent = typeof agents.desk;
type ShopAgent = typeof agents.shop;

const client = createClient({ baseUrl: "http://127.0.0.1:8420" });
const session = await client.sessions.open<DeskAgent>({ agent: "desk", customer_id: "crm-7" });
expectTypeOf(session).toEqualTypeOf<ClientSession<DeskAgent>>();
expectTypeOf(await client.sessions.create<ShopAgent>({ agent: "shop" })).toEqualTypeOf<ClientSession<ShopAgent>>();
expectTypeOf(await session.fork()).toEqualTypeOf<ClientSession<DeskAgent>>();
// @ts-expect-error: the name of another agent
await client.sessions.open<DeskAgent>({ agent: "shop", customer_id: "crm-7" });

// A message has the input and the start fields of the agent.
await session.send("Hello.");
await session.post({ text: "Hello.", input: { locale: "de" }, start: { orders: ["A-1"] } });
// @ts-expect-error: a value of the wrong type
await session.send({ text: "Hello.", input: { locale: 5 } });
// @ts-expect-error: an unknown input field
await session.send({ text: "Hello.", input: { loclae: "de" } });
// @ts-expect-error: a field that callers do not start with
await session.post({ text: "Hello.", start: { name: "Ada" } });

// A turn has the output, and operations on public fields.
const stream = session.stream({ text: "Hello.", input: { locale: "de" } });
const { output } = await stream.result;
expectTypeOf(output.orders).toEqualTypeOf<readonly string[] | undefined>();
expectTypeOf(output.since).toEqualTypeOf<string | undefined>();
expectTypeOf(output.mood).toEqualTypeOf<"calm" | "angry" | undefined>();
// @ts-expect-error: an internal field
export const internal: unknown = output.draft;
for await (const part of session.follow(3)) {
  if (part.type === "end") expectTypeOf(part.result.output).toEqualTypeOf(output);
  if (part.type === "state") expectTypeOf(part.patch[0]!.path).toEqualTypeOf<"/name" | `/name/${string}`>();
}

// The state has the fields of the view; an edit is JSON.
expectTypeOf((await session.state()).state).toEqualTypeOf<{ readonly name?: string }>();
expectTypeOf((await session.state({ at: 3, view: "output" })).state.since).toEqualTypeOf<string | undefined>();
expectTypeOf((await session.state({ view: "internal" })).state.draft).toEqualTypeOf<number | undefined>();
// @ts-expect-error: not public
export const hidden: unknown = (await session.state()).state.orders;
await session.editState({ delta: { draft: 2, name: "Ada" } });
// @ts-expect-error: a wrong value
await session.editState({ delta: { draft: "2" } });
// @ts-expect-error: an unknown field
await session.editState({ delta: { drfat: 2 } });
// @ts-expect-error: edits are not decoded, so JSON cannot set a date
await session.editState({ delta: { since: "2026-11-22" } });

// A required input field is required with each message.
const buying = client.sessions.get<ShopAgent>("ses_01h00000000000000000000000");
await buying.send({ text: "Hello.", input: { place: "web" } });
// @ts-expect-error: the input is missing
await buying.send("Hello.");
// @ts-expect-error: a wrong value
buying.stream({ text: "Hello.", input: { place: "phone" } });

// The hook has the types of its session, or of the agent that it names.
export function Page(): void {
  const desk = useSession(session);
  expectTypeOf(desk.state).toEqualTypeOf<{ readonly name?: string } | undefined>();
  void desk.send({ text: "Hello.", input: { locale: "de" } });
  // @ts-expect-error: a value of the wrong type
  void desk.send({ text: "Hello.", input: { locale: 5 } });
  const shop = useSession<ShopAgent>(client.sessions.get("ses_01h00000000000000000000000"), { last: 50 });
  void shop.send({ text: "Hello.", input: { place: "store" } });
  // @ts-expect-error: the input is missing
  void shop.send("Hello.");
}

// Without an agent's type everything is any JSON, and a typed session takes the place of an untyped one.
const untyped = async (given: ClientSession): Promise<void> => {
  await given.send({ text: "Hello.", input: { any: 1 } });
  expectTypeOf((await given.state()).state).toEqualTypeOf<WireJsonObject>();
  expectTypeOf((await given.stream("Hello.").result).output).toEqualTypeOf<WireJsonObject>();
};
await untyped(session);
await untyped(await client.sessions.open({ agent: "any" }));
expectTypeOf((await client.sessions.get<Agent>("ses_01h00000000000000000000000").state()).state).toEqualTypeOf<WireJsonObject>();
