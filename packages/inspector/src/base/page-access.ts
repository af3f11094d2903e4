/** How the page is admitted: by a one-time link, by an API key, or without either on a service that needs none. */
import { signal } from "@preact/signals";
import { keptInTab } from "./browser.ts";

/** What the page needs before it can read. */
export type Gate = "open" | "checking" | "key-needed" | "key-refused" | "link-used";

const kept = keptInTab("key");

/** The key that requests carry. It lives in this tab only and never stands in an address. */
export const key = signal<string | undefined>(kept.get());
export const gate = signal<Gate>("open");

/** Uses a key from now on; undefined forgets it. */
export function useKey(next: string | undefined): void {
  kept.set(next);
  key.value = next;
  gate.value = next === undefined ? "key-needed" : "open";
}

/** Notes that the service refused a request without a valid key. */
export function refused(): void {
  gate.value = key.peek() === undefined ? (gate.peek() === "link-used" ? "link-used" : "key-needed") : "key-refused";
}

/** Exchanges the one-time token of the address for a key, and removes the token from the address first. */
export async function enterByLink(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  gate.value = "checking";
  try {
    const response = await fetch("/inspector/key", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    const answer: unknown = response.ok ? await response.json() : undefined;
    if (typeof answer === "object" && answer !== null && "key" in answer && typeof answer.key === "string") useKey(answer.key);
    // A tab that was admitted before keeps its key.
    else gate.value = key.peek() === undefined ? "link-used" : "open";
  } catch {
    gate.value = "open";
  }
}
