/** What an agent's own reply has asked about safety, where no plan says it: its model may ask by itself, in the middle of ordinary talk. */
import type { Screen, ScreenContext } from "../screen/screened.ts";

const quoted = /[“„«「『"][^“”„«»「」『』"\n]*[”“»」』"]/gu;
const sentence = /[^.!?？؟。！।…\n]+[.!?？؟。！।…]*/gu;
/** So many questions are read of a row at most, the last ones. */
const mostQuestions = 4;
const isQuestion = (text: string): boolean => /[?？؟]/u.test(text);

/** The last questions of a text, in a row: those that whoever reads it answers. What is quoted is asked of somebody else. */
function lastQuestions(text: string): readonly string[] {
  const sentences = text.replace(quoted, " ").match(sentence) ?? [];
  const last = sentences.findLastIndex(isQuestion);
  const before = sentences.slice(0, last + 1).findLastIndex((one) => !isQuestion(one));
  return sentences.slice(before + 1, last + 1).slice(-mostQuestions);
}

/** By its rules: the words of a question as a whole are not what such weights were fitted on. */
const namesDanger = (screen: Screen, text: string): boolean => {
  const { level, concepts } = screen(text);
  return level > 0 && concepts.length > 0;
};

/**
 * What a reply has asked about safety last. A question about how or when is one only where danger was spoken of: in it, or before (`inDanger`);
 * elsewhere it may be about anything that somebody plans to do.
 */
export function askedIn(screen: Screen, reply: string, { inDanger }: { readonly inDanger: boolean }): ScreenContext["asked"] {
  const asks = (text: string): ScreenContext["asked"] => screen.contextOf([{ role: "assistant", text }]).asked;
  const questions = lastQuestions(reply);
  // Most replies ask nothing of the kind, which one look tells.
  if (questions.length === 0 || asks(questions.join(" ")) === undefined) return undefined;
  return questions
    .map((text) => {
      const asked = asks(text);
      return asked === "suicide" || inDanger || namesDanger(screen, text) ? asked : undefined;
    })
    .findLast((asked) => asked !== undefined);
}
