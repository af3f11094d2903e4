import type { Json } from "../../kernel/json.ts";
import type { StoredEvent } from "../../store/port.ts";

const largest = 500;
/** About so many characters of events are read at once, however large each of them is. */
const aim = 512 * 1024;

/** How many events to read at once: few to begin with, more while they are small, so that whoever reads slowly holds little. */
export class PageSize {
  #limit: number;

  constructor(first = 16) {
    this.#limit = first;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Takes note of a page that was read. */
  note(events: readonly StoredEvent[]): void {
    if (events.length === 0) return;
    const each = events.reduce((sum, { data }) => sum + charactersOf(data), 0) / events.length;
    this.#limit = Math.max(1, Math.min(largest, this.#limit * 4, Math.floor(aim / Math.max(each, 1))));
  }
}

/** About how long a value is as JSON. */
export function charactersOf(value: Json): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 6;
  let characters = 2;
  for (const [name, member] of Object.entries(value)) characters += name.length + 4 + charactersOf(member);
  return characters;
}
