/** The name of the operator at this browser, as the sessions and the customers see it. */
import { signal } from "@preact/signals";
import { keptInBrowser } from "./browser.ts";

const kept = keptInBrowser("operator");

export const operator = signal(kept.get() ?? "");

/** Keeps a name. The service takes names without spaces at their ends. */
export function setOperator(name: string): void {
  operator.value = name;
  kept.set(name.trim() === "" ? undefined : name.trim());
}
