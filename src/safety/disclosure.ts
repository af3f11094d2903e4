/** When a person is told that they talk with an AI: when a conversation begins, and again as long as it goes on. */

/** What is known of the last time. */
export interface LastDisclosure {
  readonly at: number;
  readonly episode: number;
}

/** Why a person is told. */
export type DisclosureReason = "start" | "interval";

/**
 * Whether a person is to be told now: when nothing was said of it in this conversation, or episode of one, and `everyMs` after the last time, however they
 * have used it in between. That is no later than what asks for it after so long "of continued use".
 */
export function disclosureDue(
  last: LastDisclosure | undefined,
  { now, episode, everyMs }: { readonly now: number; readonly episode: number; readonly everyMs: number },
): DisclosureReason | undefined {
  if (last === undefined || last.episode !== episode) return "start";
  // A clock that was set back leaves it open how long that is.
  return now - last.at >= everyMs || now < last.at ? "interval" : undefined;
}
