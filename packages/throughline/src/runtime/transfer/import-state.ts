/** The state of a session that is imported: what it folds from, and where its checkpoints are due. */
import { ThroughlineError } from "../../kernel/error.ts";
import { byteLength, type JsonObject } from "../../kernel/json.ts";
import { foldPatches, parseOperations, type PatchOperation } from "../../kernel/json-patch.ts";
import { checkpointDue, patchWeight } from "../../session/fold.ts";
import type { BundleSession, EventLine } from "./bundle.ts";

/** The state that a session's log begins with, and the operations of its events. */
export function stateOf({ session, events }: BundleSession): {
  readonly base: JsonObject;
  readonly patches: ReadonlyMap<number, readonly PatchOperation[]>;
} {
  const [first] = events;
  const created = first?.kind === "session" ? first.data["state"] : undefined;
  const base = session.base ?? created;
  if (typeof base !== "object" || base === null || Array.isArray(base))
    throw new ThroughlineError("bundle.invalid", `Session ${session.session_id} of the bundle does not begin with a state.`);
  const changes = events.filter(({ kind, offset }) => kind === "state" && offset > (session.base_offset ?? -1));
  return { base: base as JsonObject, patches: new Map(changes.map(({ offset, data }) => [offset, parseOperations(data["patch"])])) };
}

/** Says where a checkpoint is due, so that a load of what was imported costs what it did. */
export class Checkpoints {
  readonly #patches: ReadonlyMap<number, readonly PatchOperation[]>;
  readonly #baseOffset: number | undefined;
  #state: JsonObject;
  #bytes: number;
  #pending: (readonly PatchOperation[])[] = [];
  #weight = 0;

  constructor(one: BundleSession) {
    const { base, patches } = stateOf(one);
    this.#state = base;
    this.#patches = patches;
    this.#baseOffset = one.session.base_offset;
    this.#bytes = byteLength(JSON.stringify(base));
  }

  after(group: readonly EventLine[]): JsonObject | undefined {
    const isBase = group.some(({ offset, kind }) => offset === this.#baseOffset && kind === "state");
    for (const { offset } of group) {
      const operations = this.#patches.get(offset);
      if (operations === undefined) continue;
      this.#pending.push(operations);
      this.#weight += patchWeight(byteLength(JSON.stringify(operations)));
    }
    if (!isBase && !(checkpointDue(this.#weight, this.#bytes) && group.some(({ offset }) => this.#patches.has(offset)))) return undefined;
    this.#state = foldPatches(this.#state, this.#pending);
    this.#bytes = byteLength(JSON.stringify(this.#state));
    this.#pending = [];
    this.#weight = 0;
    return this.#state;
  }
}
