/** Whose memory a turn reads and writes. */
import { ThroughlineError } from "throughline";

/** Who speaks, and where. */
export interface Identity {
  readonly user_id?: string | null | undefined;
  readonly session_id?: string | null | undefined;
}

/**
 * The owner of what is remembered: the person if they are known, else the conversation itself. There is no shared default: `input.invalid` without either, because a
 * guess would mix up what belongs to different people.
 */
export function resolveOwnerId({ user_id, session_id }: Identity): string {
  const owner = [user_id, session_id].find((id) => typeof id === "string" && id.trim() !== "");
  if (typeof owner === "string") return owner;
  throw new ThroughlineError("input.invalid", "A turn needs a user_id or a session_id: without either, what is remembered would belong to nobody.", {
    hint: "Give the id of the person, or of the conversation.",
    details: { path: "user_id" },
  });
}
