/** The state of an imported session: its base, its operations, and the offsets of its checkpoints. */
import { ThroughlineError } from "../../kernel/error.ts";
import { byteLength, type JsonObject } from "../../kernel/json.ts";
import { foldPatches, parseOperations, type PatchOperation } from "../../kernel/json-patch.ts";
import { checkpointDue, patchWeight } from "../../session/fold.ts";
import type { BundleSession, EventLine } from "./bundle.ts";

/** Returns the state at the start of a session's log, and the operations of its events. */
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

/** Determines where a checkpoint is due, so that loading an imported session costs the same as before. */
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
