/** The call `session_summary`: what a conversation came to, by rules: in the person's own words where they are short, else by what they are about. */
import type { Json } from "throughline";
import { styleOf } from "../understand/style.ts";
import { topicIn } from "../understand/topics.ts";
import { clausesOf, folded, has, lengthOf } from "../words/fold.ts";
import { patterns } from "../cues/cues.ts";
import type { Asked } from "./asked.ts";

const worries = patterns(
  "\\b(?:worried|worry|anxious|afraid|scared|stress\\p{L}*|overwhelmed|can't sleep|lonely|sad|angry|fight|argu\\p{L}+|exam|deadline|tired|exhausted|miss|panic|ashamed|guilty|hurt|stuck)\\b",
  "preocup|ansios|miedo|triste|sorge|angst|traurig|müde|inquiet|peur|fatigué|medo|cansad|担心|焦虑|害怕|难过|累",
);
const goals = patterns(
  "\\bmy goal is (?:to )?(?<goal>[^.!?\\n]{3,120})",
  "\\bi(?:'d like| would like|'m trying|am trying|'m going| am going| want| plan| hope|'ll try| will try)(?: to)? (?<goal>(?!die|talk|know|tell|say|stop this|do (?:an?|the)\\b)[^.!?\\n]{3,120})",
  "\\b(?:quiero|me gustaría) (?<goal>(?!morir)[^.!?\\n]{3,120})",
  "\\bich (?:möchte|will) (?<goal>(?!sterben)[^.!?\\n]{3,120})",
);
const openings = patterns(
  "\\b(?:tomorrow|next (?:week|time|month)|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|later this week|i'll (?:tell you|let you know)|we'll see|haven't decided|not sure (?:yet|if|whether))\\b",
  "mañana|morgen|nächste woche|demain|amanhã|明天|下周",
);

/** Characters that a quoted line has at most. */
const longest = 120;
const brief = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest - 1).trimEnd()}…`);

const distinct = (lines: readonly string[], most: number): readonly string[] => [...new Set(lines.map((line) => brief(line.trim())))].slice(-most);

/** The answer to the call. Blank where nothing was said that lasts. */
export function sessionSummary(asked: Asked): Json {
  const now = asked.message.trim() === "" ? [] : [asked.message];
  const said = [...asked.before.filter(({ role }) => role === "user").map(({ text }) => text), ...now];
  const told = said.filter((text) => lengthOf(text) >= 4 && styleOf(folded(text)).style !== "closing");
  const clauses = told.flatMap((text) => clausesOf(text));
  const active_concerns = distinct(
    clauses.filter((clause) => has(folded(clause), worries)),
    3,
  );
  const open_loops = distinct(
    clauses.filter((clause) => has(folded(clause), openings)),
    3,
  );
  const goal = said.flatMap((text) => goals.flatMap((pattern) => pattern.exec(folded(text))?.groups?.["goal"] ?? [])).at(-1);
  const themes = [...new Set(told.flatMap((text) => topicIn(folded(text), "en") ?? []))];
  const about = themes.length > 0 ? `They spoke of ${themes.slice(0, 3).join(", ")}.` : "";
  const first = told[0] === undefined ? "" : `They began with: "${brief(told[0].replaceAll(/\s+/gu, " "))}".`;
  const last = told.length < 2 ? "" : `Towards the end: "${brief((told.at(-1) ?? "").replaceAll(/\s+/gu, " "))}".`;
  const summary = [about, first, last].filter((part) => part !== "").join(" ");
  return {
    summary,
    active_concerns: [...active_concerns],
    open_loops: [...open_loops],
    current_goal: goal === undefined ? null : brief(goal.trim()),
  };
}
