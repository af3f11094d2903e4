/** Every picture of the inspector in the docs: its name, where it is taken, and what is there when the view is complete. */
import type { Frame, Page } from "playwright-core";
import type { Conversations } from "./conversations.ts";

/** A picture. It is taken in light and in dark. */
export interface Picture {
  readonly name: string;
  /** The address below the service. */
  readonly path: (conversations: Conversations) => string;
  /** What is there when the view is complete. */
  readonly ready: string;
  /** Brings the view into the state that the picture shows. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Stands beside the picture of the chat whose process was killed. */
  readonly afterKill?: true;
}

const session = (which: "order" | "killed" | "evening", query: string) => (conversations: Conversations) =>
  `/inspector/sessions/${conversations[which]}${query}`;

export const pictures: readonly Picture[] = [
  { name: "sessions", path: () => "/inspector/", ready: "#sessions .rows .row" },
  { name: "session", path: session("order", "?tab=state"), ready: "#state .row" },
  { name: "timeline", path: session("order", "?log=timeline&tab=log"), ready: "#events .row" },
  { name: "tools", path: session("order", "?tab=tools"), ready: ".tool-call" },
  { name: "prompt", path: session("order", "?tab=prompt"), ready: ".part-name" },
  { name: "recall", path: session("evening", "?tab=recall"), ready: "text=retrieval path" },
  { name: "safety", path: session("evening", "?tab=safety"), ready: ".levels li" },
  { name: "waterfall", path: session("evening", "?tab=waterfall"), ready: ".waterfall li" },
  { name: "hand-over", path: () => "/inspector/handover", ready: "main .row" },
  { name: "customer", path: () => "/inspector/customers/ada", ready: "main h2" },
  { name: "memory", path: () => "/inspector/customers/grace/memory", ready: "main .row" },
  { name: "compare", path: ({ order, fork }) => `/inspector/sessions/${order}/compare?cmp=${fork}`, ready: ".change" },
  { name: "runs", path: ({ run }) => `/inspector/runs?item=${run}`, ready: ".graph" },
  { name: "operations", path: () => "/inspector/operations", ready: ".figures" },
  { name: "resumed", path: session("killed", "?tab=diff"), ready: ".change", afterKill: true },
  { name: "chat", path: ({ order }) => `/demo/?session=${order}`, ready: "article.agent", prepare: inFrame("#state .row") },
];

/** Waits for something in the inspector beside the chat. */
function inFrame(selector: string): (page: Page) => Promise<void> {
  return async (page) => {
    const frame = (): Frame | null => page.frame("inspector");
    for (let tries = 0; frame() === null && tries < 100; tries++) await page.waitForTimeout(50);
    await frame()?.locator(selector).first().waitFor();
  };
}

/** The most bytes of a picture. */
export const mostBytes = 150_000;

/** The themes of each picture. */
export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The file of a picture in docs/pictures/inspector. */
export const fileOf = (name: string, theme: Theme): string => `${name}-${theme}.png`;
