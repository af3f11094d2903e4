/** The rated conversations: every reply has a rating, a changed reply loses its own, and the page says so. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { evaluationPage, pagePath } from "../../eval/conversations/page.ts";
import { type Conversation, countsOf, readConversations, unrated, withReplies } from "../../eval/conversations/play.ts";

const conversations = readConversations();

test("twenty-three conversations of 20 turns are rated to the last reply, before and after", () => {
  expect(conversations.size).toBe(23);
  for (const [name, conversation] of conversations) {
    expect(conversation.turns, name).toHaveLength(20);
    expect(unrated(conversation), `${name}: read these replies, and rate them`).toEqual([]);
    expect(
      conversation.turns.filter(({ before }) => before?.rating === undefined),
      name,
    ).toEqual([]);
  }
  expect([...conversations.values()].filter(({ held_out }) => held_out)).toHaveLength(5);
  expect([...conversations.values()].filter(({ first_reading }) => first_reading === true)).toHaveLength(6);
});

test("the page has the conversations as they are rated", () => {
  expect(readFileSync(pagePath, "utf8")).toBe(evaluationPage(conversations));
});

test("a rating belongs to the words of its reply", () => {
  const rated: Conversation = {
    ...{ person: "Ada", language: "en", held_out: false },
    turns: [
      { say: "hi", reply: "Hello.", rating: "good" },
      { say: "bye", reply: "Bye.", rating: "empty", note: "flat" },
    ],
  };
  expect(unrated(rated)).toEqual([]);
  expect(unrated(withReplies(rated, ["Hello.", "Bye."]))).toEqual([]);
  const changed = withReplies(rated, ["Hello.", "Goodbye."]);
  expect(unrated(changed)).toEqual([2]);
  expect(changed.turns).toEqual([
    { say: "hi", reply: "Hello.", rating: "good" },
    { say: "bye", reply: "Goodbye." },
  ]);
  expect(countsOf(changed.turns)).toEqual({ good: 1, empty: 0, beside: 0, wrong: 0 });
});
