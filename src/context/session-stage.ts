/** Where an episode of a conversation stands. */
export const sessionStages = ["opening", "deepening", "working", "closing"] as const;
/** Where an episode of a conversation stands. */
export type SessionStage = (typeof sessionStages)[number];
