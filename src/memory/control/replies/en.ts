import type { ReplyWords } from "./words.ts";

const s = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** English. */
export const english: ReplyWords = {
  kinds: { fact: "fact", session: "session", rule: "rule", turn: "message" },
  nothing: "I have nothing saved about you.",
  facts: "What I have saved about you:",
  sessions: "Earlier sessions:",
  rules: "How you want me to talk with you:",
  verbatim: (count) => `I keep ${s(count, "message")} of yours word for word${count > 1 ? "; the last of them" : ""}:`,
  changed: "What I have saved has changed since that list. This is how it stands now:",
  status: ({ facts, turns, arcs, rules, recall_enabled }) =>
    `I have saved ${s(facts, "fact")}, ${s(arcs, "session")}, ${s(rules, "rule")} and ${s(turns, "message")}. Bringing them up by myself is ${recall_enabled ? "on" : "off"}.`,
  recall: (enabled) =>
    enabled
      ? "From now on I may bring up by myself what I remember."
      : "I will not bring up by myself what I remember. It stays saved; ask me to forget it if you want it gone.",
  saved: (text) => `I will keep to that: “${text}”.`,
  known: "I have that saved already.",
  unsafe: "I can't save that as a rule, because it would get in the way of your safety.",
  full: "I keep as many rules as I can, and all of them are pinned. Ask me to forget one first.",
  corrected: (before, after) => `Corrected. I had ${before}; now I have ${after}.`,
  notFound: (what) => `I have no ${what}.`,
  lastOne: "such entry",
  noneMatch: (query) => `I have nothing saved about “${query}”.`,
  tooMany: (query, count) => `I have ${count} things saved about “${query}”. Please say more closely which of them you mean.`,
  askDelete: (preview) => `Shall I delete this for good?\n${preview}\nPlease answer yes or no.`,
  askSession: (preview) => `Shall I delete this session for good, with everything that was said in it?\n${preview}\nPlease answer yes or no.`,
  askEverything: "Shall I delete everything that I have saved about you, for good? Please answer yes or no.",
  askSeveral: (count) => `Shall I delete these ${count} things for good? Please answer yes or no.`,
  askChoice: "Which of these shall I delete? Please answer with a number, “all”, or “no”.",
  andMore: (count) => `… and ${count} more`,
  again: "I am not sure that I understood, so I have deleted nothing.",
  cleared: "What I had noted for later from this conversation is discarded.",
  vague: "What exactly shall I forget? You can ask me what I remember, and name a number, or say what it is about.",
  deleted: (count) => (count === 1 ? "It is deleted, and I will not save it again." : `${count} things are deleted, and I will not save them again.`),
  gone: "That was gone already; there is nothing left to delete.",
  kept: "All right, I have deleted nothing.",
  nothingPending: "There is nothing waiting for your answer; I have deleted nothing.",
  incognito: "This conversation is incognito: I save nothing of it, and I cannot see or change what is saved about you.",
  pinned: (pinned, line) => (pinned ? `I will always keep this: ${line}` : `This is no longer pinned: ${line}`),
  neverRecalled: (query) => `I will not bring up “${query}” any more.`,
};
