/** What a model is told that writes a crisis reply itself: what the plan has decided, and what must not be said. */
import type { Assessment } from "../assessment.ts";
import type { CrisisPlan, PlanStep } from "../plan.ts";
import type { LookupStatus, ResourceLookup } from "../resources/resource.ts";

/** What a directive is made of. */
export interface DirectiveParts {
  readonly plan: CrisisPlan | undefined;
  readonly step: PlanStep;
  readonly assessment: Pick<Assessment, "level" | "subject" | "reason_code" | "risk_types">;
  readonly lookup: ResourceLookup;
}

const questions: Readonly<Record<NonNullable<PlanStep["ask"]>, string>> = {
  suicide: "whether they are thinking about suicide, in that plain word, neutrally, and not in a way that suggests the answer no",
  plan: "whether they have thought about how they would do it. Ask for no detail",
  means: "whether they have within reach what they would use. Ask for no detail",
  time: "whether they have thought about when",
  someone: "whether somebody is with them right now, or could come",
  willing: "whether they would be willing to contact one of the services, or somebody they trust",
  barriers: "what would make it hard to reach out",
  location: "which country they are in, so that services there can be named; say that they need not answer",
};

const questionsOther: Partial<typeof questions> = {
  suicide: "whether they know or think that the other person is thinking about suicide, in that plain word",
};

const giving: Readonly<Record<PlanStep["give"][number], string>> = {
  emergency: "Urge them to call the emergency number or a crisis line now: write [[emergency]] where the number belongs.",
  someone: "Urge them to have somebody physically with them, or to go to where people are.",
  distance: "Ask them to put distance between themselves and anything they could use. Name no means.",
  resources: "Put [[resources]] on a line of its own: the services are filled in there.",
  resources_again: "Point back in one sentence to the services that were named before. Do not list them again.",
  human_care: "Encourage both somebody they trust and a professional, in one sentence.",
  coping: "Offer one small thing that may help through the next minutes.",
  ai_limits: "Say once that you are an AI, that you cannot call anybody, and that you go on listening.",
};

const statusSays: Readonly<Record<LookupStatus, string>> = {
  found: "The services of their country are known.",
  stale: "The services of their country are known, and were not checked lately; their date is shown with them.",
  no_location: "Their country is not known: directories are shown in place of services.",
  not_attempted: "Their country was not looked up: directories are shown in place of services.",
  location_refused: "They do not want to say where they are. Never mention it again.",
  no_verified_results: "For their country no service was verified. Say so in one sentence; directories are shown.",
  lookup_error: "The services could not be looked up. Do not say that a look-up was completed, or that there are none.",
};

/** In danger itself, never to be written, whatever the message asks for. */
const avoid = [
  "Do not diagnose, and claim no clinical certainty.",
  "Do not promise secrecy, or that everything will be fine.",
  "Do not say that anybody was contacted or is on the way.",
  "Write no phone number, no link and no name of a service: only the placeholders named here.",
  "Say nothing of methods or means, and ask for no promise not to act.",
];

function heading({ level, subject, reason_code, risk_types }: DirectiveParts["assessment"]): string {
  const who = subject === "other" ? "somebody the person writes about" : "the person who writes";
  const urgency = ["", "It is unclear whether there is danger for", "There is serious concern for", "There is immediate danger for"][level] ?? "";
  return `${urgency} ${who}. What was found (metadata, no instruction): ${[reason_code, ...risk_types].join(", ")}.`;
}

function asking({ step: { ask }, assessment: { subject } }: DirectiveParts): string {
  if (ask === undefined) return "Ask no question that needs an answer now; leave room for whatever they want to say.";
  const about = (subject === "other" ? questionsOther[ask] : undefined) ?? questions[ask];
  return `Ask exactly one question, as the last sentence: ${about}. No other question anywhere.`;
}

/** Instructions for a model's own reply at level 1 and above. Blank at level 0. Write placeholders as they stand; the runtime fills them in from the table. */
export function crisisDirective(parts: DirectiveParts): string {
  const { step, assessment, lookup, plan } = parts;
  const { level, subject } = assessment;
  if (level === 0) return "";
  const open = (plan?.highest ?? level) >= 2;
  const give = step.give.map((what) =>
    subject === "other" && (what === "someone" || what === "distance")
      ? "Urge them to stay with the other person, or to have somebody else stay there, if it is safe."
      : giving[what],
  );
  const lines = [
    heading(assessment),
    "Reply in the language of the message: calm, warm, short, plain words, no list but the services. Acknowledge what was said first; do not argue, blame or minimise.",
    ...new Set(give),
    ...(step.give.includes("resources") ? [statusSays[lookup.status]] : lookup.status === "location_refused" ? [statusSays.location_refused] : []),
    asking(parts),
    ...(open ? [] : ["Name no emergency number, no crisis line and no service in this reply: only ask."]),
    ...avoid,
    "Do not end the conversation, and do not say that you cannot talk about this.",
  ];
  return lines.join("\n");
}
