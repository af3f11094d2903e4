/** The screen, before a message is accepted: what it says decides how urgent the message is, and what is said if nothing else can be. */
import type { Screened } from "../screen/screened.ts";
import type { ScreenContext } from "../screen/screened.ts";
import type { SafetySettings } from "../settings.ts";

/** What the screen says of a text, or that it has failed, which is no reason to pass anybody over. */
export type Screening = { readonly screened: Screened; readonly failed?: never } | { readonly screened?: never; readonly failed: true };

/** Screens a text. Never throws. */
export function screening({ screen }: SafetySettings, text: string, context?: ScreenContext): Screening {
  try {
    return { screened: screen(text, context) };
  } catch {
    return { failed: true };
  }
}

/** From this level on a message waits for nothing. */
const urgentFrom = 2;

/** Whether a message waits for nothing: it ends the turn at work, and is in front of all that waits. */
export const isUrgent = ({ screened }: Screening): boolean => screened !== undefined && screened.level >= urgentFrom;
