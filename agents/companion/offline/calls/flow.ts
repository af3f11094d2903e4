/** What a structured call says of the state of the conversation besides what was said: its notes, which stand before the data. */
import { triageRoutes, type TriageDecision } from "../../dispatch/triage-schema.ts";
import type { Asked } from "./asked.ts";

/** What is open. */
export type Flow = "none" | "guided_exercise" | "pending_memory_action";

const notesOf = (text: string): string => text.split("<data")[0] ?? "";

/** What is open, as the notes name it. */
export function flowIn({ text }: Asked): Flow {
  const said = /open flow: (?<flow>\w+)/iu.exec(notesOf(text))?.groups?.["flow"];
  return said === "guided_exercise" || said === "pending_memory_action" ? said : "none";
}

/** Where the message before seemed to go, if the companion was unsure and asked; this one may be the answer. */
export function tentativeIn({ text }: Asked): TriageDecision["route"] | undefined {
  const said = /seemed to be (?<route>\w+)/iu.exec(notesOf(text))?.groups?.["route"];
  return triageRoutes.find((route) => route === said);
}
