/** The transcript as a page. */
import { changesBetween } from "./changes.ts";
import type { PlayedEvent, PlayedSession, PlayedTurn } from "./play.ts";
import { toTouch, touchedIn, type Touched } from "./touched.ts";

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");

const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");

const turnText = ({ said, reply, context, before, after, disclosed }: PlayedTurn, number: number): string => {
  const changes = changesBetween(before, after);
  const state = changes.length === 0 ? "State: unchanged." : ["```text", ...changes, "```"].join("\n");
  const notes = disclosed.map((text) => `*Shown before the reply: ${text}*`);
  return [`### ${number}`, `**Ada:** ${said}`, ...notes, quoted(reply), `\`${context}\``, state].join("\n\n");
};

const eventText = ({ is, about, shown }: PlayedEvent): string =>
  is === "restart"
    ? `---\n\n*${about}*\n\n---`
    : [`*${about}*`, ...(shown === undefined ? [] : [`<details><summary>The copy</summary>\n\n${quoted(shown.trimEnd())}\n\n</details>`])].join(
        "\n\n",
      );

/** Each kind of thing, and in which turn it is first. */
function indexOf(touched: Touched): string {
  const rows = Object.entries(toTouch).map(
    ([kind, all]) => `| ${kind} | ${all.map((what) => `${what} (${touched.get(`${kind}: ${what}`) ?? "nowhere"})`).join(", ")} |`,
  );
  return ["| | where it is first |", "|---|---|", ...rows].join("\n");
}

const introduction = `# A conversation with the companion

Made by \`npm run transcript\` from the running companion; a test makes it anew and compares every byte. Nothing in it is retouched: the offline
model writes the replies, which are put together **by rules, not by a language model**, so the talk is plain, and now and then beside the point. What it shows
is everything around the words: where each message goes, what is kept, and what happens when somebody is in danger. Ada is invented. [The companion](companion.md) explains the terms,
and [safety](safety.md) the gate.

Under each reply stand one line of context (mode, route, style, approach, level of the gate, memory: facts and messages + sessions that were
recalled, step of an exercise) and what the turn changed in the stored state: \`+\` new, \`-\` gone. The database is one file; where the process is ended, a new one goes on with that file. \`session_progress.session\` is the number of the log's episode: one in which nothing was said leaves a gap.`;

/** The page of sessions that were played. */
export function transcriptPage(sessions: readonly PlayedSession[]): string {
  let turn = 0;
  const turns = sessions.flatMap(({ items }) => items).filter(({ is }) => is === "turn").length;
  const restarts = sessions.flatMap(({ items }) => items).filter(({ is }) => is === "restart").length;
  const text = sessions.map(({ script, number, items, end }) => {
    const began = items.find((item) => item.is === "turn");
    const parts = items.map((item) => (item.is === "turn" ? turnText(item, ++turn) : eventText(item)));
    const when = began?.is === "turn" ? `${timeOf(began.at)} UTC${script.incognito === true ? ", incognito" : ""}.` : "";
    return [`## Session ${number}: ${script.about}`, when, ...parts, "### The session is ended", quoted(end.farewell)].join("\n\n");
  });
  const count = `${turns} turns, ${sessions.length} sessions, ${restarts} restarts. What is touched, and where first:`;
  return `${[introduction, count, indexOf(touchedIn(sessions)), ...text].join("\n\n")}\n`;
}
