/** What a structured call is told of the conversation: as data, whoever wrote it. */
import { asData, type TurnInfo } from "throughline";

/** What is said in this turn: the person's messages that it answers, joined. */
export function saidIn({ messages }: Pick<TurnInfo, "messages">, message: string): string {
  const said = messages.filter(({ role, text }) => role === "user" && text !== "");
  return said.length === 0 ? message : said.map(({ text }) => text).join("\n");
}

/** The last messages of both sides before this turn, oldest first; 8 by default. */
export function before(
  { history, messages }: Pick<TurnInfo, "history" | "messages">,
  count = 8,
): readonly { readonly role: "user" | "assistant"; readonly text: string }[] {
  const first = messages[0]?.offset ?? Number.POSITIVE_INFINITY;
  return history
    .flatMap(({ role, text, offset, is_trace }) =>
      (role === "user" || role === "assistant") && !is_trace && offset < first && text !== "" ? [{ role, text }] : [],
    )
    .slice(-count);
}

/** The beginning of a text, never half of a letter that takes two units. */
export const beginning = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
const end = (text: string, most: number): string => text.slice(-most).replace(/^[\uDC00-\uDFFF]/u, "");

/** Characters that a message of before is cut to, and this turn's: triage needs what they ask, not all that they tell. */
const limits = { before: 600, now: 6_000 } as const;

const line = (text: string, limit: number): string =>
  (text.length <= limit ? text : `${beginning(text, limit / 2)} … ${end(text, limit / 2)}`).replaceAll(/\s+/gu, " ");

/** The conversation and the message as the text of a structured call; `notes` are the companion's own. */
export function asked(
  context: Pick<TurnInfo, "history" | "messages">,
  { message, notes }: { readonly message: string; readonly notes: readonly string[] },
): string {
  const said = before(context).map(({ role, text }) => `${role === "user" ? "person" : "companion"}: ${line(text, limits.before)}`);
  return [
    ...notes,
    ...(said.length === 0 ? [] : [asData("conversation", said)]),
    asData("message", [line(saidIn(context, message), limits.now)]),
  ].join("\n\n");
}
