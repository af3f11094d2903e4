/** What an explanation or a technique is about. */
import type { TherapeuticApproach } from "../../contract.ts";
import type { Subject } from "../say/sentences.ts";
import { feelingIn, type Feeling } from "./feelings.ts";
import { approachOf } from "./style.ts";
import file from "./subjects.data.json" with { type: "json" };

const subjects = ["panic", "sleep", "procrastination", "conflict", "thoughts", "values"] as const satisfies readonly Subject[];

const named = file.subjects.map(({ subject, cues }) => ({ subject: subjects.find((one) => one === subject), cues: new RegExp(cues, "u") }));

const byFeeling: Readonly<Partial<Record<Feeling, Subject>>> = {
  ...({
    overwhelmed: "overwhelm",
    anxious: "worry",
    angry: "anger",
    ashamed: "shame",
    lonely: "loneliness",
    tired: "tiredness",
    sad: "sadness",
  } as const),
  ...({ hurt: "sadness", stressed: "overwhelm", numb: "numbness", confused: "ambivalence", jealous: "shame" } as const),
};

const byApproach: Readonly<Partial<Record<TherapeuticApproach, Subject>>> = {
  grief_support: "grief",
  pfa: "shock",
  motivational_interviewing: "ambivalence",
  dbt_skills: "overwhelm",
  act: "values",
  interpersonal_therapy: "conflict",
};

/** Messages that are looked back at. */
const mostBefore = 4;

/** What a message names, or what is felt in it. */
function spokenOf(text: string): Subject | undefined {
  const feeling = feelingIn(text);
  if (approachOf(text) === "grief_support") return "grief";
  return named.find(({ cues }) => cues.test(text))?.subject ?? (feeling === undefined ? undefined : byFeeling[feeling]);
}

/** A message that points back at what was said: "what can I do about it?" */
const pointsBack = /\b(?:it|this|that|these|those|eso|esto|ello|das|es|dagegen|damit|davon|ça|cela|isso|isto|disso)\b|这|那|它/u;

/**
 * What it is about: what is lost or has just happened, what is named or felt, what was so in the messages before if it points back at them (newest first), what the
 * approach is for; else undefined.
 */
export function subjectOf(
  text: string,
  { approach, earlier }: { readonly approach: TherapeuticApproach; readonly earlier: readonly string[] },
): Subject | undefined {
  if (approach === "grief_support" || approach === "pfa") return byApproach[approach];
  const before = pointsBack.test(text) ? earlier.slice(0, mostBefore).map(spokenOf) : [];
  return spokenOf(text) ?? before.find((subject) => subject !== undefined) ?? byApproach[approach];
}
