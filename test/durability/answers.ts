/** The law of answers, judged from a log that nothing is under way in. */
import { expect } from "vitest";
import type { Event } from "../../packages/throughline/src/index.ts";

const isSuperseded = (event: Event): boolean =>
  event.kind === "turn" && event.data.type === "ended" && event.data.outcome.status === "stopped" && event.data.outcome.reason === "superseded";

/** Every accepted message is in the answers of one turn that finished and was not superseded, or was withdrawn; and whatever has begun has ended. */
export function expectAnswered(events: readonly Event[]): void {
  const gone = (offset: number): boolean =>
    events.some((event) => event.kind === "session" && event.data.type === "withdrawn" && event.data.from <= offset && offset < event.offset);
  const ends = events.filter((event) => event.kind === "turn" && event.data.type === "ended");
  const finished = new Set(ends.filter((event) => !isSuperseded(event)).map(({ turn_id }) => turn_id));
  const started = events.filter((event) => event.kind === "turn" && event.data.type === "started");
  const answers = started.flatMap((event) =>
    event.kind === "turn" && event.data.type === "started" && finished.has(event.turn_id) ? event.data.answers : [],
  );
  for (const { kind, source, offset } of events) {
    if (kind !== "message" || source !== "customer") continue;
    const times = answers.filter((answered) => answered === offset).length;
    expect([offset, times]).toEqual([offset, gone(offset) ? Math.min(times, 1) : 1]);
  }
  const ended = new Set(ends.map(({ turn_id }) => turn_id));
  expect(ended).toEqual(new Set(started.map(({ turn_id }) => turn_id)));
  expect([started.length, ended.size]).toEqual([ends.length, ends.length]);
}
