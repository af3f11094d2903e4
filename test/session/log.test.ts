/** Logs that earlier versions wrote, and the way on from one version of a payload to the next. */
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../packages/throughline/src/kernel/json.ts";
import { applyPatch } from "../../packages/throughline/src/kernel/json-patch.ts";
import type { Event } from "../../packages/throughline/src/session/event.ts";
import { evolveAll } from "../../packages/throughline/src/testing/given.ts";
import { historyOf } from "../../packages/throughline/src/session/session-history.ts";
import { messagesOf } from "../../packages/throughline/src/session/session-messages.ts";
import { deepFreeze } from "../../packages/throughline/src/kernel/json.ts";
import { decodeEvent, foldState, newestVersion, type Upcasters } from "../../packages/throughline/src/session/fold.ts";
import { eventKinds, type LoadedSession, type StoredEvent } from "../../packages/throughline/src/store/port.ts";

const folder = new URL("../fixtures/logs/", import.meta.url);
const files = (await readdir(folder)).filter((name) => name.endsWith(".json"));

interface Golden {
  readonly events: readonly StoredEvent[];
  readonly state: JsonObject;
  readonly definition: number;
}
const read = async (name: string): Promise<Golden> => JSON.parse(await readFile(new URL(name, folder), "utf8")) as Golden;

/** The state by its definition: one patch after another, from the first state on. */
const naiveFold = (events: readonly Event[]): unknown =>
  events.reduce<JsonObject>((state, event) => {
    if (event.kind === "session" && event.data.type === "created") return event.data.state;
    return event.kind === "state" ? (applyPatch(state, event.data.patch) as JsonObject) : state;
  }, {});

describe("golden logs", () => {
  it("there is one of the first version", () => expect(files).toContain("v1.json"));
  it.each(files)("%s still opens, folds to the same state, and tells the same story", async (name) => {
    const golden = await read(name);
    const events = golden.events.map((stored) => decodeEvent(stored));
    expect(naiveFold(events)).toEqual(golden.state);
    expect(evolveAll(events)).toMatchObject({
      definition: golden.definition,
      head: events.length - 1,
      mode: "auto",
      title: "golden",
      episode: 2,
      waiting: [],
      turns: [],
    });
    expect(messagesOf(events).map((message) => `${message.role} ${message.is_trace ? "(trace)" : message.text}`)).toEqual([
      "user Ada",
      "assistant reply 0",
      'system {"page":"pricing"}',
      "user second",
      "assistant reply 1",
      "user this one fails",
      "assistant (trace)",
      "user a person, please",
      "assistant Ann here",
      "assistant reply 3",
      "user third",
      "assistant reply 4",
    ]);
  });
});

describe("payload versions", () => {
  const stored = async (): Promise<StoredEvent> => (await read("v1.json")).events.find((event) => event.kind === "status") as StoredEvent;
  const registry: Upcasters = {
    status: [(data) => ({ ...data, label: data["status"] ?? null }), ({ label, ...data }) => ({ ...data, labels: [label ?? null] })],
  };

  it("are led from any to the newest, without a change of what is stored", async () => {
    const event = await stored();
    const before = JSON.stringify(event);
    expect(newestVersion("status", registry)).toBe(3);
    expect(decodeEvent(event, registry).data).toEqual({ status: "acknowledged", labels: ["acknowledged"] });
    expect(decodeEvent({ ...event, version: 2, data: { status: "ready", label: "x" } }, registry).data).toEqual({ status: "ready", labels: ["x"] });
    expect(JSON.stringify(event)).toBe(before);
  });
  it.each([0, 4, 1.5])("refuse version %s", async (version) => {
    const event = await stored();
    expect(() => decodeEvent({ ...event, version }, registry)).toThrow(expect.objectContaining({ code: "log.event_unknown" }) as Error);
  });
  it("refuse a kind that is not known", async () => {
    const event = { ...(await stored()), kind: "letter" as never };
    expect(() => decodeEvent(event)).toThrow(expect.objectContaining({ code: "log.event_unknown" }) as Error);
  });
  it("are decoded once for a frozen event, and each time for any other", async () => {
    const event = { ...(await stored()), version: 1, data: { status: "ready" } };
    expect(decodeEvent(event)).not.toBe(decodeEvent(event));
    const kept = deepFreeze({ ...event });
    expect(decodeEvent(kept)).toBe(decodeEvent(kept));
    expect(decodeEvent(kept)).toEqual(decodeEvent(event));
    expect(decodeEvent({ ...kept, data: { status: "typing" } }).data).toEqual({ status: "typing" });
  });
  it("of this version are all the first", () => expect(eventKinds.map((kind) => newestVersion(kind))).toEqual(eventKinds.map(() => 1)));
});

describe("folding a state", () => {
  const session = { session_id: "ses_00000000000000000000000000" } as LoadedSession["session"];
  const patch = (offset: number, definition: number) => ({
    ...{ offset, version: 1, bytes: 10 },
    data: { patch: [{ op: "add", path: `/f${offset}`, value: offset }], writer: { type: "operator" }, definition } as unknown as JsonObject,
  });
  const base = { offset: 0, state: { a: 1 }, bytes: 5 };

  it("applies the patches, adds their weight, and takes the definition of the last", () => {
    expect(foldState({ session, base, patches: [] })).toEqual({ document: { a: 1 }, weight: 0, definition: undefined });
    expect(foldState({ session, base, patches: [patch(1, 1), patch(2, 2), patch(3, 3)] })).toEqual({
      document: { a: 1, f1: 1, f2: 2, f3: 3 },
      weight: 3 * 266,
      definition: 3,
    });
  });
  it("begins with what was folded before", () => {
    const folded = { ...base, folded: { weight: 100, definition: 4 } };
    expect(foldState({ session, base: folded, patches: [] })).toMatchObject({ weight: 100, definition: 4 });
    expect(foldState({ session, base: folded, patches: [patch(1, 5)] })).toMatchObject({ weight: 366, definition: 5 });
  });
});

describe("what a model sees of the messages", () => {
  const message = (offset: number, source: "customer" | "ai_agent" | "human_agent", is_trace = false) => ({
    offset,
    role: source === "customer" ? ("user" as const) : ("assistant" as const),
    source,
    text: `m${offset}`,
    is_trace,
  });
  const offsets = (messages: Parameters<typeof historyOf>[0], answers: readonly number[], window = 20): readonly number[] =>
    historyOf(messages, { window, answers }).map(({ offset }) => offset);

  it("leaves out traces of earlier executions", () =>
    expect(offsets([message(1, "customer"), message(2, "ai_agent", true), message(3, "customer")], [3])).toEqual([1, 3]));
  it("keeps traces of this one", () => expect(offsets([message(1, "customer"), message(2, "ai_agent", true)], [1])).toEqual([1, 2]));
  it("puts a message that was sent during a reply after that reply", () =>
    expect(offsets([message(1, "customer"), message(2, "customer"), message(3, "ai_agent")], [2])).toEqual([1, 3, 2]));
  it("leaves what people wrote where it stands", () =>
    expect(offsets([message(1, "customer"), message(2, "human_agent"), message(3, "customer")], [1, 3])).toEqual([1, 2, 3]));
  it("keeps the newest of a window", () =>
    expect(offsets([message(1, "customer"), message(2, "ai_agent"), message(3, "customer")], [3], 2)).toEqual([2, 3]));
});
