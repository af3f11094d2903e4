/** The example that keeps card numbers out of what is stored: by itself, and on the raw bytes of a database. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { redactCards, withoutCards } from "../../examples/redact-cards/redact-cards.ts";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  exportCustomer,
  importBundle,
  input,
  loop,
  openStore,
  recentMessages,
  reduced,
  scripted,
  stage,
  type Draft,
  type Runtime,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { root } from "../../scripts/root.ts";
import { memory } from "../../packages/throughline/src/memory.ts";

const plain = "4111111111111111";
const spaced = "5500 0000 0000 0004";
const dashed = "3782-822463-10005";
const long = "6304000000000000000";
const short = "4222222222222";
/** What sessions are found by is no text: it is the integration's own. */
const external = "6011000990139424";
const cards = [plain, spaced, dashed, long, short];
const said = `Take ${plain} or ${spaced} 12/27, not ${dashed}; ${long}, ${short}.`;

/** Digits that end with their check digit. */
const withCheckDigit = (digits: readonly number[]): string => {
  const sum = digits.toReversed().reduce((total, digit, index) => total + (index % 2 === 1 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2), 0);
  return `${digits.join("")}${(10 - (sum % 10)) % 10}`;
};

describe("a text", () => {
  test("has no card number after it, however its digits are grouped, and whatever stands around it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 18 }).filter((digits) => digits.some((digit) => digit > 0)),
        fc.array(fc.integer({ min: 1, max: 18 }), { maxLength: 5 }),
        fc.constantFrom(" ", "-", "\u00A0", "–"),
        fc.constantFrom("", "a", "card: ", "№", "(", "卡号", "12 ", "2026-11-22 "),
        (digits, cuts, separator, around) => {
          const card = withCheckDigit(digits);
          const grouped = card
            .split("")
            .map((digit, index) => (cuts.includes(index) ? `${separator}${digit}` : digit))
            .join("");
          const text = withoutCards(`${around}${grouped}${around.split("").toReversed().join("")}`);
          expect(text).not.toContain(grouped);
          expect(withoutCards(text)).toBe(text);
        },
      ),
    );
  });

  test.each([
    ["no check digit", "4111111111111112"],
    ["too short", "411111111111"],
    ["too long", "41111111111111111111111111111111"],
    ["zeros", "0000000000000000"],
    ["a phone number and a date", "+49 170 1234567 on 2026-11-22"],
  ])("stays as it is with %s", (_what, text) => expect(withoutCards(text)).toBe(text));

  test("keeps what stands next to a number", () => {
    expect(withoutCards(`${spaced} 12 27, and ${plain} ${plain}`)).toBe("[card number] 12 27, and [card number] [card number]");
  });
});

const State = defineState({
  message: input(z.string()),
  page: input(z.string()),
  heard: reduced(z.array(z.string()), { initial: [] }),
  amounts: reduced(z.array(z.number()), { initial: [] }),
});

const charge = defineTool({
  name: "charge",
  description: "Charges a card.",
  parameters: z.object({ card: z.string(), number: z.number(), at: z.number() }),
  effects: "once",
  execute: ({ card, number }) => ({ charged: card, number, note: said }),
});

const at = 1_795_176_000_000;
const agent = () =>
  defineAgent({
    name: "shop",
    version: 1,
    state: State,
    memory: memory(),
    keepRequests: true,
    stages: [
      stage("hear", { state: State, writes: ["heard", "amounts"] }, ({ state }) => ({
        heard: [`${state.message} ${plain}`],
        amounts: [Number(plain), 42],
      })),
    ],
    sections: [recentMessages],
    reply: loop({
      tools: [charge],
      model: scripted((request) =>
        request.messages.at(-1)?.role === "tool"
          ? `I charged ${plain}. That was ${spaced}! And more: ${dashed}`
          : { text: `Charging ${plain} now.`, calls: [{ call_id: "c1", name: "charge", arguments: { card: spaced, number: Number(plain), at } }] },
      ),
    }),
  });

/** A database in a folder of its own, and the files of that folder in which a text is. */
async function onDisk(): Promise<{ readonly store: Store; readonly filesWith: (text: string) => readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "throughline-cards-"));
  const store = await openStore(join(folder, "app.db"));
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const written = (text: string): readonly Buffer[] => [
    Buffer.from(text),
    Buffer.from(text, "utf16le"),
    Buffer.from(Buffer.from(text).toString("hex")),
  ];
  const filesWith = (text: string): readonly string[] =>
    readdirSync(folder).filter((name) => {
      const bytes = readFileSync(join(folder, name));
      return written(text).some((one) => bytes.includes(one));
    });
  return { store, filesWith };
}

/** Puts card numbers wherever words of people, models and tools go. */
async function talk(runtime: Runtime): Promise<readonly string[]> {
  const session = await runtime.sessions.open({
    agent: "shop",
    customer: "ada",
    title: `About ${plain}`,
    metadata: { note: spaced, external_id: external },
  });
  const shown: string[] = [];
  const watching = new AbortController();
  const drafts = (async () => {
    for await (const event of session.live({ signal: watching.signal })) {
      const draft = event as Partial<Draft>;
      if (draft.type === "draft.delta") shown.push(draft.text ?? "");
    }
  })().catch(() => {});
  await runtime.customers.setName("ada", `Ada ${plain}`);
  await runtime.customers.setVariables("ada", { set: { card: spaced, cards: { first: plain, number: Number(plain) } } });
  await session.setVariables({ set: { mine: dashed } }, { scope: "session" });
  await session.send(said, { input: { page: spaced }, metadata: { from: plain }, idempotencyKey: "m-1" });
  await session.postCustom({ clicked: said }, { source: "customer_ui" });
  await session.handOver({ reason: `Wants ${plain}` });
  await session.postOperator(`I see ${spaced}`);
  await session.handBack({ summary: `Has ${dashed}`, state: { heard: [plain] } });
  await session.edit({ heard: [said] });
  await runtime.customers.memory("ada").remember({ quote: said, predicate: "LIVES_IN", object: plain });
  await session.closeEpisode();
  watching.abort();
  await drafts;
  return [session.id, shown.join("")];
}

test("no file of the database holds a card number, after conversations, changes and an import", async () => {
  const [first, second, third] = [await onDisk(), await onDisk(), await onDisk()];
  const runtime = await createRuntime({ store: first.store, agents: [agent()], extensions: [redactCards] });
  const [id = "", shown = ""] = await talk(runtime);
  const session = await runtime.sessions.get(id);
  const reply = (await session.messages({ last: 100 })).map(({ text }) => text).join("\n");
  expect(reply).toContain("I charged [card number]. That was [card number]! And more: [card number]");
  expect(shown).toContain("I charged [card number]. That was [card number]! ");
  for (const card of cards) expect(shown + reply).not.toContain(card);
  expect((await session.state()).document).toMatchObject({ amounts: [0, 42] });
  expect((await Array.fromAsync(session.events({ kinds: ["tool"], follow: false })))[0]?.data).toMatchObject({
    arguments: { card: "[card number]", number: 0, at },
  });
  expect((await runtime.sessions.list({ externalId: external })).items).toHaveLength(1);
  for (const card of cards) expect(first.filesWith(card), card).toEqual([]);

  // What another program has exported as it was.
  const careless = await createRuntime({ store: second.store, agents: [agent()] });
  await talk(careless);
  for (const card of cards) expect(second.filesWith(card), card).not.toEqual([]);
  const bundle = await Array.fromAsync(exportCustomer(second.store, "ada"));
  await careless.close();
  const importing = await createRuntime({ store: third.store, agents: [agent()], extensions: [redactCards] });
  await importBundle(importing.store, bundle);
  expect((await importing.sessions.list()).items).toHaveLength(1);
  for (const card of cards) expect(third.filesWith(card), card).toEqual([]);
  await importing.close();
  await runtime.close();
});

test("a message that is sent again is known by what it was, and another one under its key is refused", async () => {
  const { store, filesWith } = await onDisk();
  const runtime = await createRuntime({ store, agents: [agent()], extensions: [redactCards] });
  const session = await runtime.sessions.create({ agent: "shop", idempotencyKey: "s-1", title: plain });
  const send = (text: string) => session.send(text, { idempotencyKey: "m-1", input: { page: "" } });
  const { offset } = await send(`My card is ${plain}`);
  expect((await send(`My card is ${plain}`)).offset).toBe(offset);
  await expect(send(`My card is ${spaced}`)).rejects.toMatchObject({ code: "session.idempotency_mismatch" });
  expect((await runtime.sessions.create({ agent: "shop", idempotencyKey: "s-1", title: plain })).id).toBe(session.id);
  await expect(runtime.sessions.create({ agent: "shop", idempotencyKey: "s-1", title: spaced })).rejects.toMatchObject({
    code: "session.idempotency_mismatch",
  });
  // A process that has seen none of it finds the same.
  await runtime.close();
  const second = await createRuntime({ store, agents: [agent()], extensions: [redactCards] });
  const again = await (await second.sessions.get(session.id)).send(`My card is ${plain}`, { idempotencyKey: "m-1", input: { page: "" } });
  expect(again.offset).toBe(offset);
  for (const card of cards) expect(filesWith(card)).toEqual([]);
  await second.close();
});

test("the page shows the example as it is", () => {
  const [page, example] = ["docs/reference/extensions.md", "examples/redact-cards/redact-cards.ts"].map((path) =>
    readFileSync(join(root, path), "utf8"),
  );
  expect(page).toContain(example);
  expect(example?.split("\n").length).toBeLessThanOrEqual(80);
});
