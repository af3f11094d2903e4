/** Facts in force that cannot both be so: listed for the person, never resolved behind their back. */
import { inForce, type Fact, type Kept } from "../entry.ts";
import { normalisedId, slotKey } from "./key.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Two facts that contradict each other. */
export interface Conflict {
  /** Ids of the entries, the older first. */
  readonly entries: readonly [string, string];
  /** `one value`: a functional predicate with two. `opposite`: of one thing, a predicate and its opposite. */
  readonly type: "one value" | "opposite";
}

const newest = ({ sources }: Fact): number => sources.at(-1)?.at ?? sources[0].at;

function contradiction(left: Fact, right: Fact, { predicates }: Vocabulary): Conflict["type"] | undefined {
  const sameObject = normalisedId(left.object.id) === normalisedId(right.object.id);
  if (slotKey(left) === slotKey(right)) return predicates[left.predicate]?.functional === true && !sameObject ? "one value" : undefined;
  const opposite = predicates[left.predicate]?.opposite;
  return sameObject && opposite === right.predicate && slotKey({ ...left, predicate: right.predicate }) === slotKey(right) ? "opposite" : undefined;
}

/** The facts in force that contradict each other. */
export function conflictsIn(facts: readonly Kept<Fact>[], vocabulary: Vocabulary): readonly Conflict[] {
  const active = facts
    .filter(({ entry }) => inForce(entry))
    .toSorted((left, right) => newest(left.entry) - newest(right.entry) || (left.entry_id < right.entry_id ? -1 : 1));
  // Only predicates that can contradict are compared, within one subject: the rest would be compared for nothing, each with each.
  const bySubject = Map.groupBy(
    active.filter(({ entry }) => {
      const rule = vocabulary.predicates[entry.predicate];
      return rule?.functional === true || rule?.opposite !== undefined;
    }),
    ({ entry }) => slotKey({ ...entry, predicate: "" }),
  );
  return [...bySubject.values()].flatMap((group) =>
    group.flatMap((left, index) =>
      group.slice(index + 1).flatMap((right): readonly Conflict[] => {
        const type = contradiction(left.entry, right.entry, vocabulary);
        return type === undefined ? [] : [{ entries: [left.entry_id, right.entry_id], type }];
      }),
    ),
  );
}
