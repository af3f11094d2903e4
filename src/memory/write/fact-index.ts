/** Facts by what they say, so that a new one is held against those that it may be the same as, and not against all. */
import type { Fact, Kept } from "../entry.ts";
import { isTwin, twinSimilarity } from "./cluster.ts";
import { factKey, slotKey, wordsOfId } from "./key.ts";

type Said = Pick<Fact, "subject" | "predicate" | "object">;
type Found = readonly (readonly [string, Fact])[];

/** The facts of one subject and predicate. */
interface Slot {
  readonly ids: string[];
  /** By the words of their objects. */
  readonly byWord: Map<string, string[]>;
}

const into = (lists: Map<string, string[]>, key: string, id: string): void => {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [id]);
  else list.push(id);
};

const outOf = (list: string[] | undefined, id: string): void => {
  const place = list?.indexOf(id) ?? -1;
  if (place !== -1) list?.splice(place, 1);
};

const saysTheSame = (left: Fact, right: Fact): boolean =>
  left.object === right.object && left.subject === right.subject && left.predicate === right.predicate;

/** Facts of one owner, of any standing. What is found stands in the order in which it came. */
export class FactIndex {
  readonly #facts = new Map<string, Fact>();
  readonly #byKey = new Map<string, string[]>();
  readonly #slots = new Map<string, Slot>();

  constructor(known: readonly Kept<Fact>[]) {
    for (const { entry_id, entry } of known) this.put(entry_id, entry);
  }

  get(entry_id: string): Fact | undefined {
    return this.#facts.get(entry_id);
  }

  all(): Found {
    return [...this.#facts];
  }

  /** Adds a fact, or puts it in the place of the one with its id. */
  put(entry_id: string, fact: Fact): void {
    const before = this.#facts.get(entry_id);
    this.#facts.set(entry_id, fact);
    if (before !== undefined) {
      if (saysTheSame(before, fact)) return;
      this.#remove(entry_id, before);
    }
    into(this.#byKey, factKey(fact), entry_id);
    const key = slotKey(fact);
    const slot: Slot = this.#slots.get(key) ?? { ids: [], byWord: new Map() };
    this.#slots.set(key, slot);
    slot.ids.push(entry_id);
    for (const word of wordsOfId(fact.object)) into(slot.byWord, word, entry_id);
  }

  #remove(entry_id: string, fact: Fact): void {
    outOf(this.#byKey.get(factKey(fact)), entry_id);
    const slot = this.#slots.get(slotKey(fact));
    outOf(slot?.ids, entry_id);
    for (const word of wordsOfId(fact.object)) outOf(slot?.byWord.get(word), entry_id);
  }

  /** Facts that say the same, whatever words they were said in. */
  withKeyOf(said: Said): Found {
    return this.#found(this.#byKey.get(factKey(said)) ?? []);
  }

  /** Facts of the same subject and predicate. */
  inSlotOf(said: Pick<Fact, "subject" | "predicate">): Found {
    return this.#found(this.#slots.get(slotKey(said))?.ids ?? []);
  }

  /**
   * Facts of the same subject and predicate whose objects are twins. A twin lacks so few of the words that of any few more it has one: it is enough to look at
   * those that have one of the rarest (prefix filtering, Chaudhuri, Ganti and Kaushik 2006).
   */
  twinsOf(said: Said): Found {
    const slot = this.#slots.get(slotKey(said));
    const words = wordsOfId(said.object);
    if (slot === undefined) return [];
    const lists = [...words].map((word) => slot.byWord.get(word) ?? []).toSorted((left, right) => left.length - right.length);
    const mayLack = Math.floor(words.size * (1 - twinSimilarity) + 1e-9);
    const near = new Set(lists.slice(0, mayLack + 1).flat());
    return this.#found([...near]).filter(([, fact]) => isTwin(fact.object, said.object));
  }

  #found(ids: readonly string[]): Found {
    return ids.flatMap((id) => {
      const fact = this.#facts.get(id);
      return fact === undefined ? [] : [[id, fact] as const];
    });
  }
}
