/** The schemas of what events hold follow from their declarations: whatever is declared and shown is described, and nothing else is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { isShown, type Shape, shownTo } from "../../packages/throughline/src/kernel/descriptor.ts";
import { wireEvent, wireKinds } from "../../packages/server/src/protocol/wire-event.ts";
import { assessment } from "../../packages/server/src/protocol/wire-safety.ts";
import type { AssessmentRecord } from "../../packages/throughline/src/safety/assessment.ts";
import { eventDeclarations } from "../../packages/throughline/src/session/event.ts";
import { eventKinds } from "../../packages/throughline/src/store/port.ts";
import { declaredArbitrary } from "../kernel/declared-arbitrary.ts";

/** A value with every member, none left out. */
type Whole<Value> = { [Name in keyof Value]-?: Value[Name] };

const record: Whole<AssessmentRecord> = {
  audit_id: "a",
  at: 1,
  level: 2,
  level_deterministic: 1,
  level_llm: 2,
  confidence: "high",
  risk_types: ["suicide"],
  subject: "self",
  override: "raised",
  reason_code: "ideation",
  grounds: ["classifier"],
  path: "union",
  quality: "full",
  matches: ["m"],
  language: "en",
  subject_ref: "s",
  session_ref: "s",
  turn_ref: "t",
  agent: "a",
  policy_version: "1",
  pack_versions: { en: "1" },
  classifier: "c",
  prompt_version: "1",
  gate_ms: 1,
  deterministic_ms: 1,
  llm_ms: 1,
  action: "none",
  lookup_status: "found",
  region: "DE",
  resources_shown: ["r"],
  resources_version: "1",
  guarded: ["g"],
  reply_completed: true,
  escalation: "queued",
  incognito: true,
  hold: { until: 1, reason: "r" },
};

/** What a schema reads of a value: members that it does not describe are left out. */
const readBy = (schema: z.ZodType, value: object): unknown => schema.parse(JSON.parse(JSON.stringify(value)));

const session_id = "ses_00000000000000000000000000";
const eventOf = (kind: string, data: object): object => ({
  ...{ session_id, offset: 1, id: "evt_1", source: "system", trace_id: "0".repeat(32), turn_id: "trn_1", created_at: 1 },
  ...{ kind, data },
});

describe("the schema of an event", () => {
  const kinds = wireKinds.map((kind) => [kind, eventDeclarations[kind].data] as const);
  it("is there for every kind that somebody is shown", () => expect(wireKinds).toEqual(eventKinds));

  it.each(kinds)("describes every member of a %s that a key is shown, or a customer", (kind, declared) =>
    fc.assert(
      fc.property(declaredArbitrary(declared.node), fc.constantFrom("key" as const, "customer" as const), (data, to) => {
        const shown = shownTo(declared, data as object, to);
        if (shown === undefined || !isShown({ audience: eventDeclarations[kind].shown }, to)) return;
        expect(readBy(wireEvent, eventOf(kind, shown))).toEqual(eventOf(kind, shown));
      }),
    ),
  );

  it.each(kinds)("takes no member that a %s does not have", (kind, declared) =>
    fc.assert(
      fc.property(declaredArbitrary(declared.node), (data) => {
        const shown = shownTo(declared, data as object, "key") ?? {};
        expect(readBy(wireEvent, eventOf(kind, { ...shown, unheard_of: 1 }))).toEqual(eventOf(kind, shown));
      }),
    ),
  );
});

/** The members that a customer is shown, by their paths. */
function shownToCustomers(node: Shape, path: string): readonly string[] {
  if (!isShown(node, "customer")) return [];
  if (node.type === "union")
    return node.options.flatMap((option) => {
      const tag = option.members[node.tag];
      const name = tag?.type === "literals" ? tag.values.join("|") : "";
      return shownToCustomers(option, `${path} ${name}`);
    });
  if (node.type === "object") return Object.entries(node.members).flatMap(([name, member]) => shownToCustomers(member, `${path}.${name}`));
  return [path];
}

it("a customer is shown these members, and no other: whoever adds one to the list shows it to people", () => {
  expect(eventKinds.flatMap((kind) => shownToCustomers(eventDeclarations[kind].data.node, kind))).toMatchInlineSnapshot(`
    [
      "message.role",
      "message.parts",
      "message.participant.display_name",
      "message.redacted",
      "status.status",
      "custom.value",
      "state.patch",
      "session created.type",
      "session created.agent",
      "session created.episode",
      "session mode.type",
      "session mode.mode",
      "session episode.type",
      "session episode.closed",
      "session episode.opened",
      "session episode.reason",
      "session title.type",
      "session title.title",
      "session withdrawn.type",
      "session withdrawn.from",
      "session redacted.type",
      "session redacted.offsets",
      "session consent.type",
      "session consent.given",
      "session consent.text_version",
      "session consent.purpose",
      "session disclosure.type",
      "session disclosure.reason",
      "session disclosure.text",
      "session disclosure.suggests_break",
    ]
  `);
});

it("the schema of a kept assessment describes every member, and takes no other", () => {
  expect(readBy(assessment, { ...record, unheard_of: 1 })).toEqual(record);
});
