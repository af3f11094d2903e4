/** Writes the gate's protocol as a page to publish. It is generated from the running configuration, so it describes the actual behavior. */
import { emergencyRisks, riskTypes } from "./assessment.ts";
import { stickyMs, stickyTurns } from "./crisis-plan.ts";
import { phrasesFor } from "./reply/safety-phrases.ts";
import type { ResourceTable } from "./resources/resource-table.ts";
import { policyVersion, type SafetySettings } from "./safety-settings.ts";
import { mostRead } from "./screen/screen.ts";

/** Content of a protocol in addition to the gate's settings. */
export interface ProtocolOptions {
  /** Name of the agent. */
  readonly agent: string;
  /** Milliseconds since 1970. The page names the rows of the table whose review is due by then. Without it, the page is the same every day. */
  readonly at?: number;
}

const hourMs = 60 * 60 * 1_000;

const duration = (ms: number): string => {
  const [value, unit] =
    ms % (24 * hourMs) === 0
      ? [ms / (24 * hourMs), "day"]
      : ms % hourMs === 0
        ? [ms / hourMs, "hour"]
        : ms % 60_000 === 0
          ? [ms / 60_000, "minute"]
          : [ms / 1_000, "second"];
  return `${value.toLocaleString("en")} ${unit}${value === 1 ? "" : "s"}`;
};

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join("\n");

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/gu, " ").trim();

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n");

/**
 * Writes the gate's protocol in Markdown: detection, response, the source of its numbers, retention, and limits. It is meant for the page that
 * several laws require an operator to publish. The operator must add their name, contact and evidence.
 */
export function protocolOf(settings: SafetySettings, { agent, at }: ProtocolOptions): string {
  const sections: readonly (readonly [title: string, text: string])[] = [
    ["What people are told", toldText(settings)],
    [
      "Levels",
      `${levels}\n\nKinds of danger that are told apart: ${riskTypes.map((type) => type.replaceAll("_", " ")).join(", ")}.\n\n${emergencies}`,
    ],
    ["How a message is judged", judging(settings)],
    ["Languages", languages(settings)],
    ["When something fails", failing(settings)],
    ["Where help is found", help(settings.resources, at)],
    ["What a reply may not hold", guarding],
    ["Who is told", telling(settings)],
    ["What is kept", keeping(settings)],
    ["What it cannot do", limits],
  ];
  const head = `# Safety protocol of ${agent}\n\nPolicy ${policyVersion}, profile \`${settings.profile}\`. Written from the configuration that runs.`;
  return `${[head, ...sections.map(([title, text]) => `## ${title}\n\n${text}`)].join("\n\n")}\n`;
}

const toldText = (settings: SafetySettings): string =>
  list([
    "A person is told that they talk with an AI and not with a human being: when a conversation begins, when one begins anew, and every " +
      `${duration(settings.disclosureMs)} of use after that${settings.profile === "minor" ? ", with a hint to take a break" : ""}.`,
    `In English: “${phrasesFor(settings.phrases, "en").disclosure}”`,
    "It never claims to be human, and it is no medical service.",
  ]);

const levels = table(
  ["Level", "Stands for", "What happens"],
  [
    ["0", "Nothing acute", "The conversation goes on. The reply is still read for what it may not hold."],
    ["1", "Unclear, or worry about somebody else", "Everything else waits. One direct, neutral question about thoughts of suicide."],
    [
      "2",
      "Thoughts of suicide, or self-harm",
      "The conversation is interrupted: exercises, look-ups and memory stop. The person is taken seriously, shown crisis services, and asked about plan, means and time, one question at a time.",
    ],
    [
      "3",
      "In danger now: an act, means, a time, a farewell",
      "As level 2, and in the first reply: call now, get somebody to be there, put distance between yourself and what you could use. From prepared sentences, without waiting for any model.",
    ],
  ],
);

const emergencies =
  `Emergencies that are not suicide (${emergencyRisks.map((type) => type.replaceAll("_", " ")).join(", ")}) are answered by themselves from level 2 on: prepared sentences name the emergency number and a next step, ` +
  "for abuse also services. Nothing is asked about suicide, unless it is spoken of.";

const judging = ({ classifier, hedge, softMs, hardMs, profile, packs }: SafetySettings): string =>
  list([
    "Every message passes a screen by rules before anything else happens. It finds what is said and how (idiom, negation, fiction, quote, another person, a past that is over), with the turns before.",
    ...packs
      .slice(0, 1)
      .flatMap(({ weights }) =>
        weights === undefined
          ? []
          : [
              `Beside its rules stand learned weights of n-grams (${weights.version}, fitted on ${weights.messages} labelled messages in ${Object.keys(weights.raises).length} languages): ` +
                "they raise what no rule names to 1 or 2, and lower by one level what rules only suspect; never a level 3, and nothing that was said outright below 1.",
            ],
      ),
    ...(classifier === undefined
      ? [
          "No classifier judges messages besides. A text in a language without rules, or too long to be read whole, is asked about with a neutral question; nothing found in a text that was read whole is level 0, on record as degraded.",
        ]
      : [
          `Beside it a classifier judges the message (\`${classifier.name}\`, instructions ${classifier.prompt_version}). It may take ${duration(hardMs)}` +
            `${hedge === undefined ? "" : `; after ${duration(softMs)} a second one is asked (\`${hedge.name}\`)`}. A plain level 3 of the rules waits for none.`,
          "The higher level counts. A classifier lowers what the rules have found only where all of it is idiom-prone, it is sure, names a closed reason, quotes every match word for word, and no turn before was grave. Level 3 never goes below 2; somebody else's danger never to 0. Every lowering is on record and listed.",
        ]),
    `After a level of 2 or more, no turn is below 1 for ${stickyTurns} turns or ${duration(stickyMs)}, whichever is longer. The third unclear turn of ten counts as 2.`,
    "“No plan” does not lower anything, and taking back what was said does not end it.",
    ...(profile === "minor" ? ["For minors unclear distress is asked about also when a classifier finds nothing."] : []),
  ]);

const languages = ({ packs, phrases }: SafetySettings): string => {
  const spoken = new Set(phrases.map(({ language }) => language));
  const rows = packs.map(({ language, version, support, coverage }) => [
    language,
    version,
    support,
    spoken.has(language) || spoken.has(language.split("-")[0] ?? "") ? "yes" : "no",
    coverage,
  ]);
  return `${table(["Language", "Version of its rules", "Support", "Own sentences", "What it covers"], rows)}\n\nA text in another language is asked about neutrally while no classifier answers, in ${phrases[0]?.language ?? "none"}.`;
};

const failing = ({ classifier, replyBy, replyMs }: SafetySettings): string =>
  list([
    "Nothing that fails leads to level 0 by itself. If the screen fails, the person is asked how they are and whether they are safe.",
    ...(classifier === undefined
      ? []
      : [
          "If the classifier does not answer, the rules decide; a text that could not be read whole is asked about neutrally, and an open question stays open. The person is told once that safety checks are limited.",
        ]),
    `A text is read whole up to ${(mostRead * 2).toLocaleString("en")} characters; of a longer one the beginning and the end.`,
    replyBy === "static"
      ? "Crisis replies are prepared sentences, per language."
      : `Crisis replies are worded by a model within ${duration(replyMs)}, held to what may be said, and replaced by prepared sentences where that fails.`,
    "If the database fails, the person is answered all the same and told that the message was not kept; the assessment waits on a disk of its own.",
  ]);

function help({ version, services, emergency, directories }: ResourceTable, at: number | undefined): string {
  const confirmed = services.filter((service) => service.confirmed);
  const countries = new Set(confirmed.map(({ country }) => country));
  const unchecked = confirmed.filter(({ verified_by }) => verified_by === null);
  const [next] = confirmed.map(({ next_review_at }) => next_review_at).toSorted();
  const day = at === undefined ? undefined : new Date(at).toISOString().slice(0, 10);
  const stale = day === undefined ? [] : confirmed.filter(({ next_review_at }) => next_review_at <= day);
  const numbers = Object.values(emergency).filter((entry) => entry.confirmed).length;
  return list([
    `Numbers and links come from one table alone (version ${version}), never from a model: ${confirmed.length} confirmed services in ${countries.size} countries and territories, ${numbers} confirmed emergency numbers. Others are not shown.`,
    "The place is what the person says, never an address or a setting of the device. Who has said none is shown the directories, and asked once.",
    `Directories: ${directories.map(({ name, website }) => `${name} (${website})`).join(", ")}.`,
    `Each service is reviewed at least every 180 days; the next review is due on ${next ?? "no day"}. ${unchecked.length} of those shown were checked by reading their sources and not yet by a person. One past its review is shown only with its date and the directories.`,
    ...(day === undefined ? [] : [`To be reviewed as of ${day}: ${stale.length === 0 ? "none" : stale.map(({ id }) => id).join(", ")}.`]),
  ]);
}

const guarding =
  "Before a person sees it, a reply is read for: numbers and links that are not of the table, details of methods, promises of secrecy, demands to promise " +
  "not to harm oneself, claims to be human or to have told somebody, a bare refusal to talk, and pressure not to leave. What is found is taken out or the reply is written anew; where that fails, prepared sentences are sent.";

const telling = ({ sink, sinkFrom, sinkDeadlineMs }: SafetySettings): string =>
  sink === undefined
    ? "Nobody reads along, and nobody is told: a crisis reply says so. No emergency service is called."
    : list([
        `Level ${sinkFrom === 3 ? "3 is" : "2 and 3 are"} told to \`${sink.name}\`, at least once and until it is taken: level, kind of danger, session and time, no text. Only what it has confirmed is said to the person.`,
        ...(sinkDeadlineMs === undefined ? [] : [`An alert that nobody has seen to within ${duration(sinkDeadlineMs)} is told again as missed.`]),
        "No emergency service is called.",
      ]);

const keeping = ({ retentionDays }: SafetySettings): string =>
  list([
    `Every assessment, also of level 0, for ${retentionDays} days: levels, codes, versions and times, no text. Whom it is about is a keyed hash; erasing the person destroys the key.`,
    "Sums by day without identifiers stay: assessments by level, path and region, referrals by region, replies that were sent. Purges are on record.",
    "Assessments are drawn by chance for people to judge anew, levels 0 and 1 too, where misses hide.",
  ]);

const limits = list([
  "It misses what is not said, irony, and hints that take knowing the person, and it asks where nothing is wrong. It judges messages, not people.",
  "It changes the reply and nothing else: no block, no report, no contact.",
  "It is no emergency service. Whoever is in danger calls their local emergency number.",
]);
