/** Checks of what sessions are created with. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { titleLimit } from "../session/decide.ts";

/** `session.invalid` for a title or labels that a session cannot have. */
export function checkTitleAndLabels({ title, labels }: { readonly title?: unknown; readonly labels?: unknown }): void {
  if (title !== undefined && (typeof title !== "string" || title.length > titleLimit)) {
    const got = typeof title === "string" ? title.length : seen(title);
    throw new ThroughlineError("session.invalid", `A title has at most ${titleLimit} characters, got ${got}.`, { details: { path: "title" } });
  }
  if (
    labels !== undefined &&
    (!Array.isArray(labels) || labels.some((label: unknown) => typeof label !== "string" || label === "" || label.length > 200))
  )
    throw new ThroughlineError("session.invalid", `Labels are a list of texts of 1 to 200 characters, got ${seen(labels)}.`, {
      details: { path: "labels" },
    });
}

/** The key that a store finds a session by: it tells sessions of one customer and agent apart. `session.invalid` for what cannot be one. */
export function openKeyOf(agent: string, customer: string | undefined, key: unknown): string {
  if (typeof key !== "string" || key === "" || key.length > 255)
    throw new ThroughlineError("session.invalid", `A session's key has 1 to 255 characters, got ${seen(key)}.`, { details: { path: "key" } });
  return JSON.stringify([agent, customer ?? null, key]);
}
