import type { SafetyLevel } from "../assessment.ts";
import type { Screen, ScreenContext, Screened } from "./screened.ts";

/** Turns that are looked at, and messages that hold them at the most. */
const turnsInWindow = 10;
const messagesInWindow = 2 * turnsInWindow;

/** Reads messages before a text: what was asked last, how grave the turns before were, and how many of them were unclear. */
export function contextReader(
  screen: (text: string, context: ScreenContext) => Screened,
  asks: (text: string) => ScreenContext["asked"],
): Screen["contextOf"] {
  return (before) => {
    let context: ScreenContext = {};
    const levels: SafetyLevel[] = [];
    for (const { role, text } of before.slice(-messagesInWindow)) {
      if (role === "assistant") {
        const { asked: _, ...rest } = context;
        const asked = asks(text);
        context = asked === undefined ? rest : { ...rest, asked };
        continue;
      }
      levels.push(screen(text, context).level);
      const window = levels.slice(-turnsInWindow);
      context = {
        highest: window.reduce<SafetyLevel>((one, other) => (other > one ? other : one), 0),
        unclear: window.filter((level) => level === 1).length,
      };
    }
    return context;
  };
}
