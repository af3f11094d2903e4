/**
 * `npm run eval:conversations -- [--only NAME] [--write] [--show]`: plays the conversations in `eval/conversations/` to the command line and compares the
 * replies with the rated ones. `--write` stores the new replies; their ratings are then missing until somebody reads them and adds one. Exit code 1 if a
 * reply has no rating, or too few are good.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Conversation, countsOf, fileOf, ratings, readConversations, repliesTo, unrated, withReplies } from "./conversations/play.ts";
import { evaluationPage, pagePath } from "./conversations/page.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    write: { type: "boolean", default: false },
    show: { type: "boolean", default: false },
  },
});

const conversations = new Map<string, Conversation>(readConversations());
for (const [name, conversation] of conversations) {
  if (values.only !== undefined && !values.only.split(",").includes(name)) continue;
  const now = withReplies(conversation, await repliesTo(name, conversation));
  conversations.set(name, now);
  if (values.write) writeFileSync(fileOf(name), `${JSON.stringify(now, undefined, 2)}\n`);
  const counts = countsOf(now.turns);
  console.log(
    `${name.padEnd(16)}${ratings.map((rating) => `${rating} ${counts[rating]}`.padEnd(12)).join("")}to rate: ${unrated(now).join(", ") || "none"}`,
  );
  if (values.show)
    for (const [place, { say, reply = "", rating = "?" }] of now.turns.entries()) console.log(`${place + 1} [${rating}] ${say}\n    ${reply}`);
}
if (values.write) writeFileSync(pagePath, evaluationPage(conversations));
const turns = [...conversations.values()].flatMap((conversation) => conversation.turns);
const counts = countsOf(turns);
console.log(`${"all".padEnd(16)}${ratings.map((rating) => `${rating} ${counts[rating]}`.padEnd(12)).join("")}`);
if ([...conversations.values()].some((conversation) => unrated(conversation).length > 0) || counts.good < turns.length * 0.8) process.exitCode = 1;
