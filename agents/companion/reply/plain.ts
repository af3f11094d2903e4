/** What some models write into their replies and a person should not read: calls of tools as text, and thinking aloud. */
import { hook, type Hook } from "throughline";

/** Whole blocks; one that was never closed goes on to the end. */
const block = /<\|?(tool_calls?|tool_use|function_calls?|invoke|think|thinking|scratchpad)\b[^>]*>[\s\S]*?(?:<\/?\|?\/?\1\|?>|$)/giu;
/** A reply in JSON that is a call, and nothing else. */
const bare = /^\s*(?:```(?:json)?\s*)?\{\s*"(?:name|tool|function|tool_call)"\s*:[\s\S]*\}\s*(?:```)?\s*$/u;

/** The reply without them. */
export const plainReply = (text: string): string =>
  bare.test(text)
    ? ""
    : text
        .replaceAll(block, "")
        .replaceAll(/[ \t]{2,}/gu, " ")
        .replaceAll(/\n{3,}/gu, "\n\n")
        .trim();

const isOdd = (text: string): boolean => text.search(block) >= 0 || bare.test(text);

/** Takes them out of a reply, and leaves every other reply as it is. Where nothing is left, nothing was said, and the turn fails as one without an answer. */
export const plainHook = (): Hook =>
  hook("plain_reply", {
    afterModel: ({ answer: { text } }) => (isOdd(text) ? { answer: { text: plainReply(text) } } : undefined),
  });
