/** Views of the list of sessions: those that come with the inspector, and filters that a person saved in this browser. */
import { signal } from "@preact/signals";
import { keptInBrowser } from "../../base/browser.ts";
import { texts } from "../../base/page-texts.ts";

/** A named filter. */
export interface SavedView {
  readonly name: string;
  readonly filter: string;
}

export const standardViews: readonly SavedView[] = [
  { name: texts.sessions.views.all, filter: "" },
  { name: texts.sessions.views.approval, filter: "waits:approval" },
  { name: texts.sessions.views.answer, filter: "waits:answer" },
  { name: texts.sessions.views.waiting, filter: "handover:waiting" },
  { name: texts.sessions.views.manual, filter: "mode:manual" },
];

/** The most views that are kept. */
const mostViews = 20;
const kept = keptInBrowser("views");

const isView = (value: unknown): value is SavedView =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  "filter" in value &&
  typeof value.name === "string" &&
  typeof value.filter === "string";

function readKept(): readonly SavedView[] {
  try {
    const value: unknown = JSON.parse(kept.get() ?? "[]");
    return Array.isArray(value) ? value.filter(isView).slice(0, mostViews) : [];
  } catch {
    return [];
  }
}

export const savedViews = signal<readonly SavedView[]>(readKept());

function keep(views: readonly SavedView[]): void {
  savedViews.value = views;
  kept.set(JSON.stringify(views));
}

/** Saves a filter under itself as its name. */
export function saveView(filter: string): void {
  const others = savedViews.peek().filter((view) => view.filter !== filter);
  keep([...others, { name: filter, filter }].slice(-mostViews));
}

export const removeView = (filter: string): void => keep(savedViews.peek().filter((view) => view.filter !== filter));
