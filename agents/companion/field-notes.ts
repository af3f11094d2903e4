/** What each field of the state is for, in a sentence; `docs/companion-state.md` is made of it. */
import type { Companion } from "./state.ts";

/** A note on a field. */
export interface FieldNote {
  readonly about: string;
  /** Who writes it besides the stages that declare it. */
  readonly by?: string;
}

/** One note for each field: the compiler misses one that is left out. */
export const fieldNotes: Readonly<Record<keyof (typeof Companion)["fields"], FieldNote>> = {
  message: {
    about: "What is said in this turn; of several messages the last. Blank in a turn that answers nobody: a greeting, or one that goes on.",
    by: "the caller",
  },
  channel: { about: "Where it comes from; exercises may depend on it.", by: "the caller" },
  user_id: {
    about: "The person, as the caller knows them. Whose memory it is follows from the session's customer, never from this field alone.",
    by: "the caller",
  },
  session_id: { about: "The thread, as the caller names it.", by: "the caller" },
  installed_skills: { about: "Names of the skills that this person has.", by: "the caller" },
  messages: {
    about: "The conversation: the log itself. It is `history` and `transcript` in one, and is never rebuilt.",
    by: "the runtime, with every message",
  },
  working_memory: { about: "What was recalled for this turn: facts with their quotes, episodes with summary and themes.", by: "recall" },
  session_memory: { about: "Where things stand with this person: summary of the last session, concerns, open loops, goal.", by: "recall" },
  procedural_profile: { about: "How the person wants to be talked with, and whether what is remembered may be brought up unasked.", by: "recall" },
  session_progress: {
    about:
      "How many turns there were, in which session of the thread, whether it is an incognito session, what they are after, whether they want suggestions, and the approach of the last reply that had one.",
  },
  exercise_state: {
    about:
      "The exercise that is under way: which, its step and version, the approach that it keeps, and things named on this step. All null while there is none.",
  },
  open_clarification: { about: "What the turn before was unsure of and asked about, for the next triage." },
  memory_control: { about: "The memory command that this turn was, and what waits for a yes: its shape and how much, never its words." },
  grounded_lookup: { about: "What is looked up, and what came of it." },
  route: { about: "Where the turn goes. Blank until it is decided." },
  turn_lifecycle: { about: "What is open when the turn begins, what becomes of it, and whether the companion must ask what is meant." },
  memory_reference: { about: "`explicit`: in this turn what is remembered may be spoken of, because they ask for it." },
  response_guidance: { about: "A private note for the reply: on its pace, or what an exercise says now." },
  response_style: { about: "How the reply is meant: one of eleven, `pending` until it is decided.", by: "the gate, from level 1 on" },
  therapeutic_approach: { about: "The way of helping that the reply leans on; `none` is a decision too." },
  session_action: { about: "`suggest_end_session` after a reply to a farewell." },
  should_persist_memory: { about: "An exercise was completed: the turn is worth remembering." },
  diagnostics: {
    about: "Numbers, codes and names about the turn, `routing_trace` among them; no word that anybody wrote but the record of a recall's size.",
    by: "the gate, recall",
  },
  crisis: { about: "What the gate has decided: level, confidence, reason, and the two flags that follow from the level.", by: "the gate" },
  crisis_audit: { about: "How the gate has decided: override, path, whether a classifier failed.", by: "the gate" },
  inferred_location: { about: "The region that the person has named, for help lines.", by: "the gate" },
  found_resources: { about: "Services that were found there, from the table.", by: "the gate" },
  resource_lookup_status: { about: "What came of the look-up of services.", by: "the gate" },
  safety_plan: { about: "A crisis from turn to turn: levels of the window, what was asked, answered and given.", by: "the gate" },
};
