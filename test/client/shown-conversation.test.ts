/** The fold of a session's events and drafts into what a page shows. */
import { describe, expect, test } from "vitest";
import { type Conversation, emptyConversation, withItem } from "../../packages/client/src/shown-conversation.ts";
import type { WireDraft, WireEvent } from "../../packages/client/src/wire.ts";

type Kind = WireEvent["kind"];
type DataOf<K extends Kind> = Extract<WireEvent, { readonly kind: K }>["data"];

/** A log whose events get the next offset. */
function written(): { readonly event: <K extends Kind>(kind: K, data: DataOf<K>, more?: Partial<WireEvent>) => WireEvent } {
  let offset = 0;
  return {
    event: (kind, data, more = {}) =>
      ({
        ...{ session_id: "s", offset: offset++, id: "e", source: "ai_agent", trace_id: "t", created_at: 0, kind, data },
        ...more,
      }) as unknown as WireEvent,
  };
}
const say = (text: string): DataOf<"message"> => ({ role: "user", parts: [{ type: "text", text }] });
const customer = { source: "customer" } as const;
const turn = { turn_id: "t1" } as const;
const delta = (text: string): WireDraft => ({ type: "draft.delta", session_id: "s", turn_id: "t1", epoch: 1, message: 0, text });
const reset = (reason: "end" | "fence" | "resumed"): WireDraft => ({ type: "draft.reset", session_id: "s", turn_id: "t1", reason });
const fold = (items: readonly (WireEvent | WireDraft)[]): Conversation => items.reduce(withItem, emptyConversation(0));
const texts = ({ messages }: Conversation): readonly (readonly unknown[])[] =>
  messages.map(({ author, parts }) => [author, ...parts.map((part) => (part.type === "text" ? part.text : `${part.name} ${part.state}`))]);

test("a reply is one message with its texts and calls, in the place of its draft", () => {
  const { event } = written();
  const call = { call_id: "c", name: "look_up", arguments: { of: "Rome" } };
  const items = [
    event("message", say("hi"), customer),
    event("status", { status: "typing" }, turn),
    delta("Let me"),
    delta(" see."),
    reset("end"),
    event("message", { ...say("Let me see."), role: "assistant", calls: [call] }, turn),
    event("tool", { type: "called", ...call, key: "k", effects: "once" }, turn),
    event("tool", { type: "returned", call_id: "c", result: { type: "ok", value: 21 } }, turn),
    delta("It is 21."),
  ];
  expect(texts(fold(items.slice(0, 4)))).toEqual([
    ["customer", "hi"],
    ["agent", "Let me see."],
  ]);
  // Nothing flickers between a draft and its message.
  expect(texts(fold(items.slice(0, 5)))).toEqual(texts(fold(items.slice(0, 4))));
  const whole = fold(items);
  expect(texts(whole)).toEqual([
    ["customer", "hi"],
    ["agent", "Let me see.", "look_up done", "It is 21."],
  ]);
  expect(whole).toMatchObject({ status: "working", turn_id: "t1", next: 5 });
  expect(whole.messages.map(({ offset }) => offset)).toEqual([0, 2]);
  expect(whole.messages[1]?.parts[1]).toMatchObject({ arguments: { of: "Rome" }, output: 21, effects: true });
});

test("the notice that the customer talks with an AI stands where it was given", () => {
  const { event } = written();
  const items = [
    event("message", say("hi"), customer),
    event("session", { type: "disclosure", reason: "start", text: "I am an AI." }),
    event("message", { ...say("Hello."), role: "assistant" }, turn),
  ];
  expect(texts(fold(items))).toEqual([
    ["customer", "hi"],
    ["system", "I am an AI."],
    ["agent", "Hello."],
  ]);
});

describe("a draft", () => {
  test("that is void goes with the message that only it had", () => {
    const { event } = written();
    expect(texts(fold([event("message", say("hi"), customer), delta("wrong"), reset("fence")]))).toEqual([["customer", "hi"]]);
  });
  test("stays after a cut, and is not doubled when it comes again", () => {
    const cut = fold([delta("One "), reset("resumed")]);
    expect(texts(cut)).toEqual([["agent", "One "]]);
    expect(texts(withItem(cut, delta("One two")))).toEqual([["agent", "One two"]]);
  });
  test("goes when its turn ends without a message", () => {
    const { event } = written();
    expect(texts(fold([event("status", { status: "typing" }, turn), delta("half"), event("status", { status: "cancelled" }, turn)]))).toEqual([]);
  });
});

test("withdrawn messages go, and redacted ones lose their text", () => {
  const { event } = written();
  const items = [
    event("message", say("one"), customer),
    event("message", { ...say("re:one"), role: "assistant" }, turn),
    event("message", say("two"), customer),
    event("message", { ...say("re:two"), role: "assistant" }, { turn_id: "t2" }),
  ];
  expect(texts(fold([...items, event("session", { type: "withdrawn", from: 2 })]))).toEqual([
    ["customer", "one"],
    ["agent", "re:one"],
  ]);
  expect(texts(fold([...items, event("session", { type: "redacted", offsets: [1, 2] })]))).toEqual([
    ["customer", "one"],
    ["agent", "re:two"],
  ]);
});

test("operators are shown under their name, and their activity is not the agent's", () => {
  const { event } = written();
  const folded = fold([
    event("message", { ...say("I am here."), participant: { display_name: "Grace" } }, { source: "human_agent" }),
    event("status", { status: "typing" }, { source: "human_agent" }),
  ]);
  expect(folded.messages).toMatchObject([{ author: "operator", name: "Grace" }]);
  expect(folded.status).toBe("ready");
});

test("a pause waits, and an event that came before is not taken again", () => {
  const { event } = written();
  const first = event("message", say("hi"), customer);
  const paused = fold([first, event("status", { status: "ready", stage: "paused" }, turn), first]);
  expect(paused).toMatchObject({ status: "waiting", turn_id: "t1", next: 2 });
  expect(paused.messages).toHaveLength(1);
});
