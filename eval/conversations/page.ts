/** The page of the rated conversations. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Conversation, countsOf, type RatedTurn, ratings } from "./play.ts";

export const pagePath = join(fileURLToPath(new URL(".", import.meta.url)), "../../docs/reference/evaluation.md");

type Counted = Parameters<typeof countsOf>[0];

const shares = (turns: Counted): string => {
  const counts = countsOf(turns);
  return ratings.map((rating) => `${counts[rating]}`).join(" | ");
};

const row = (name: string, turns: Counted): string => `| ${name} | ${shares(turns)} |`;

const table = (conversations: ReadonlyMap<string, Conversation>, turnsOf: (conversation: Conversation) => Counted): string => {
  const each = [...conversations].map(([name, one]) =>
    row(`${name}${one.held_out ? " (held out)" : one.first_reading === true ? " (first read)" : ""}`, turnsOf(one)),
  );
  const heldOut = [...conversations.values()].filter(({ held_out }) => held_out).flatMap(turnsOf);
  const tuned = [...conversations.values()].filter(({ held_out, first_reading }) => !held_out && first_reading !== true).flatMap(turnsOf);
  const all = [...conversations.values()].flatMap(turnsOf);
  return [
    "| conversation | good | empty | beside the point | wrong |",
    "|---|---|---|---|---|",
    ...each,
    row("tuned", tuned),
    row("held out", heldOut),
    row("first read", [...conversations.values()].filter(({ first_reading }) => first_reading === true).flatMap(turnsOf)),
    row("**all**", all),
  ].join("\n");
};

/** The share of good replies, and what it is without the gate's false alarms. */
function share(turns: readonly RatedTurn[]): string {
  const alarms = turns.filter(({ note }) => note === falseAlarm).length;
  const { good } = countsOf(turns);
  const percent = (of: number): string => `${Math.round((good / of) * 100)} %`;
  return `${good} of ${turns.length} are good (${percent(turns.length)}). ${alarms} replies are questions about safety that follow a false alarm of the gate in ordinary talk; of the others ${percent(turns.length - alarms)} are good.`;
}

const falseAlarm = "a false alarm of the gate";

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");

const transcript = (name: string, { person, turns }: Conversation): string =>
  [
    `## ${name}`,
    `${person}.`,
    ...turns.flatMap(({ say, reply = "", rating, note }, place) => [
      `**${place + 1}.** ${say.replaceAll(/[*_<>]/gu, String.raw`\$&`)}`,
      quoted(reply.replaceAll("<", "&lt;")),
      `*${rating ?? "not rated"}${note === undefined ? "" : `: ${note}`}*`,
    ]),
  ].join("\n\n");

/** The page. */
export function evaluationPage(conversations: ReadonlyMap<string, Conversation>): string {
  const all = [...conversations.values()];
  const turnsOf = (chosen: (conversation: Conversation) => boolean): readonly RatedTurn[] => all.filter(chosen).flatMap(({ turns }) => turns);
  const fresh = turnsOf(({ first_reading }) => first_reading === true);
  const first = countsOf(fresh.map(({ before }) => ({ rating: before?.rating })));
  return `${[
    "# Conversations with the offline rules, rated",
    `${all.length} conversations of 20 messages, played to \`throughline chat\` without a language model. The messages were written first, for different people and languages.
One reader rated every reply, strictly: *good* helps or is what a kind listener would say, *empty* would fit any message, *beside the point* misses what was said,
*wrong* misstates or misleads. The reader wrote the rules too, so the ratings are not independent.`,
    `**First readings.** The six conversations marked as first read were written without sight of the words of the rules, and their first replies were rated before anything was changed: ${first.good} of ${fresh.length} were good,
${first.empty} empty, ${first.beside} beside the point and ${first.wrong} wrong. These are the figures to expect of a conversation that nobody has written rules for. Names, orders about memory, exercises and losses were then mended in general, and the replies rated again: ${share(fresh)}`,
    `The five marked as held out were first read after an earlier change of the rules, and have been known since: ${share(turnsOf(({ held_out }) => held_out))} The others were read while the rules were changed, and theirs are the figures of tuned material: ${share(turnsOf(({ held_out, first_reading }) => !held_out && first_reading !== true))}`,
    "The goal is four good replies of five. The rules know what they were written for, and meet much else with a general sentence.",
    `\`npm run eval:conversations\` plays them again. A rating belongs to the very words of its reply: a changed reply has none until somebody reads it, and the command names it.
\`npm run eval:conversations -- --write\` stores changed replies and this page. [The companion](companion.md) describes the rules.`,
    "## Ratings now",
    table(conversations, ({ turns }) => turns),
    "## Ratings before",
    "The same messages, and the rules before they were changed for this page: for the conversations that are marked, at their first reading.",
    table(conversations, ({ turns }) => turns.map(({ before }) => ({ rating: before?.rating }))),
    ...[...conversations].map(([name, conversation]) => transcript(name, conversation)),
  ].join("\n\n")}\n`;
}
