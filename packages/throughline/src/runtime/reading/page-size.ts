import type { Json } from "../../kernel/json.ts";
import type { StoredEvent } from "../../store/port.ts";

const largest = 500;
/** Approximate characters of events per read. */
const aim = 512 * 1024;

/** Number of events per read. It starts low and grows while events are small, so that a slow reader holds little memory. */
export class PageSize {
  #limit: number;

  constructor(first = 16) {
    this.#limit = first;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Adjusts the size to a page that was read. */
  note(events: readonly StoredEvent[]): void {
    if (events.length === 0) return;
    const each = events.reduce((sum, { data }) => sum + charactersOf(data), 0) / events.length;
    this.#limit = Math.max(1, Math.min(largest, this.#limit * 4, Math.floor(aim / Math.max(each, 1))));
  }
}

/** Returns the approximate length of a value as JSON. */
export function charactersOf(value: Json): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 6;
  let characters = 2;
  for (const [name, member] of Object.entries(value)) characters += name.length + 4 + charactersOf(member);
  return characters;
}
