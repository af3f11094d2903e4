/** Checks callers' values for a session's header, and converts them for a commit. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { isStorableText, type JsonObject } from "../../kernel/json.ts";
import { titleLimit } from "../../session/decide-command.ts";
import { withNamedChange } from "../../session/session-variables.ts";
import type { HeaderChange } from "../../store/port.ts";
import { subagentLabel } from "../../session/session-view.ts";

/** Throws `session.invalid` for an invalid title or invalid labels. */
export function checkTitleAndLabels({ title, labels }: { readonly title?: unknown; readonly labels?: unknown }): void {
  if (title !== undefined && (typeof title !== "string" || title.length > titleLimit)) {
    const got = typeof title === "string" ? title.length : seen(title);
    throw new ThroughlineError("session.invalid", `A title has at most ${titleLimit} characters, got ${got}.`, { details: { path: "title" } });
  }
  if (labels !== undefined) checkLabels("labels", labels);
}

/** Maximum number of labels, and of consumers, per session. */
export const headerCountLimit = 100;

/** Throws `session.invalid` for more labels or consumers than a session may have. `before` is their current number, which may stay. */
export function checkCount(path: string, count: number, before: number): void {
  if (count <= headerCountLimit || count <= before) return;
  throw new ThroughlineError(
    "session.invalid",
    `A session has at most ${headerCountLimit} ${path}, and would have ${count}. Remove some that are not needed.`,
    {
      details: { path, count, limit: headerCountLimit },
    },
  );
}

/** Throws `session.invalid`, which names the path, if the value is not a list of labels. */
export function checkLabels(path: string, labels: unknown): void {
  const isLabel = (label: unknown): boolean => typeof label === "string" && label !== "" && label.length <= 200 && isStorableText(label);
  if (Array.isArray(labels) && labels.includes(subagentLabel))
    throw new ThroughlineError("session.invalid", `The label "${subagentLabel}" is that of the sessions of child agents: nobody gives or takes it.`, {
      details: { path },
    });
  if (Array.isArray(labels) && labels.every(isLabel)) return checkCount(path, labels.length, 0);
  throw new ThroughlineError("session.invalid", `Labels are a list of texts of 1 to 200 characters, got ${seen(labels)}.`, { details: { path } });
}

/** Returns the header of a new session. */
export const newHeader = ({
  title,
  metadata,
  labels,
}: {
  readonly title?: string;
  readonly metadata?: JsonObject;
  readonly labels?: readonly string[];
}): HeaderChange => ({
  ...(title === undefined ? {} : { title }),
  ...(metadata === undefined ? {} : { metadata: withNamedChange({}, { set: metadata }) }),
  ...(labels === undefined ? {} : { labels: [...new Set(labels)] }),
});

/** Returns the key by which a store finds a session. It distinguishes the sessions of one customer and agent. Throws `session.invalid` for an invalid key. */
export function openKeyOf(agent: string, customer: string | undefined, key: unknown): string {
  if (typeof key !== "string" || key === "" || key.length > 255)
    throw new ThroughlineError("session.invalid", `A session's key has 1 to 255 characters, got ${seen(key)}.`, { details: { path: "key" } });
  return JSON.stringify([agent, customer ?? null, key]);
}
