/** Commands of a comparison, and the one of a session that begins it. */
import { signal } from "@preact/signals";
import { changeQuery, go, place } from "../../base/router.ts";
import type { Command } from "../../base/screen-shape.ts";
import { texts } from "../../base/page-texts.ts";
import { offsetIn, pointIn, textOfPoint } from "./compared-point.ts";

/** Raised to read both sides again. */
export const reads = signal(0);
/** The round that is looked at, and how many there are. */
export const round = signal(-1);
export const rounds = signal(0);

/** The session of the address. */
const ownSession = (): string => place.peek().path.split("/")[1] ?? "";

/** Exchanges the sides. */
function swap(): void {
  const own = ownSession();
  const { at, cmp } = place.peek().query;
  const right = pointIn(cmp, own);
  if (right !== undefined) go(`sessions/${right.id}/compare`, { at: right.at, cmp: textOfPoint({ id: own, at: offsetIn(at) }, right.id) });
}

function move(by: number): void {
  round.value = Math.max(0, Math.min(rounds.peek() - 1, round.peek() + by));
}

const scope = "compare";
const { commands } = texts.compare;
const isChosen = (): boolean => place.value.query["cmp"] !== undefined;

export const swapCommand: Command = { id: "compare.swap", title: commands.swap, keys: ["s"], scope, when: isChosen, run: swap };
export const rereadCommand: Command = { id: "compare.reread", title: commands.reread, keys: ["r"], scope, run: () => void (reads.value += 1) };
/** Compares the session on the screen, at the offset that is looked at. */
export const compareCommand: Command = {
  ...{ id: "session.compare", title: commands.begin, keys: ["v"], scope: "session", operation: "getSession" },
  run: () => {
    const { at, cmp } = place.peek().query;
    go(`sessions/${ownSession()}/compare`, { at, cmp });
  },
};

export const compareCommands: readonly Command[] = [
  compareCommand,
  { id: "compare.next", title: commands.next, keys: ["j", "ArrowDown"], scope, when: isChosen, run: () => move(1) },
  { id: "compare.previous", title: commands.previous, keys: ["k", "ArrowUp"], scope, when: isChosen, run: () => move(-1) },
  { id: "compare.choose", title: commands.choose, keys: ["/"], scope, run: () => document.getElementById("compare-with")?.focus() },
  swapCommand,
  rereadCommand,
  { id: "compare.other", title: commands.other, scope, when: isChosen, run: () => changeQuery({ cmp: undefined }) },
  {
    ...{ id: "compare.back", title: commands.back, keys: ["Escape"], scope },
    run: () => go(`sessions/${ownSession()}`, { at: place.peek().query["at"] }),
  },
];
