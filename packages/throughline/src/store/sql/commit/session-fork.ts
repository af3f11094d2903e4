/**
 * Forks a session, in both engine forms. The new row holds where its log continues. Its segments, at most {@link deepestFork} and its own, refer to
 * the ancestors' events. No event is copied, so the cost of a fork does not depend on the length of the log.
 */
import type { OwnerId, SessionId } from "../../../kernel/id.ts";
import { deepestFork, type Refusal } from "../../port.ts";
import { byState, lastPossibleOffset, stretchOf } from "../queries.ts";
import { numberOr } from "../rows.ts";
import type { SyncConnection } from "../sql-driver.ts";

export type ForkInput = { readonly session_id: SessionId; readonly at: number };

const origin = (session_id: string): string =>
  `SELECT s.id, s.head, s.first_offset, s.state_offset, s.last_turn, o.owner_id FROM sessions s JOIN owners o ON o.id = s.owner
    WHERE s.session_id = ${session_id} AND s.deleted IS NULL`;
/** Number of sessions that share a part of their log with a fork. */
const sharers = (id: string, at: string): string => `SELECT count(*) AS depth FROM segments WHERE session = ${id} AND first <= ${at}`;
/** The last state change at or below an offset, in one column. */
const lastState = { columns: `e."offset"`, table: `events e ${byState}`, conditions: [`e.kind = 4`], order: "DESC", limit: "1" } as const;
const ownSegment = (id: string, first: string): string =>
  `INSERT INTO segments (session, upto, ancestor, first) VALUES (${id}, ${lastPossibleOffset}, ${id}, ${first})`;
const sharedSegments = (id: string, of: string, at: string): string => `INSERT INTO segments (session, upto, ancestor, first)
      SELECT ${id}, CASE WHEN g.upto < ${at} THEN g.upto ELSE ${at} END, g.ancestor, g.first FROM segments g WHERE g.session = ${of} AND g.first <= ${at}`;

/** Values that a new session inherits from its origin. */
export interface Inherited {
  readonly id: number | null;
  readonly at: number;
  readonly first_offset: number;
  readonly state_offset: number;
  readonly last_turn: number;
}

/** Initial values of a session that is not a fork. */
export const nothingInherited: Inherited = { id: null, at: -1, first_offset: 0, state_offset: 0, last_turn: 0 };

/** Returns why an owner cannot fork a session there. Undefined if it can. */
export function forkRefusal(db: SyncConnection, { session_id, at }: ForkInput, owner_id: string): Refusal | undefined {
  const found = db.get(origin("$1"), [session_id]);
  if (found === undefined) return { reason: "origin_missing" };
  const [first_offset, head] = [numberOr(found, "first_offset"), numberOr(found, "head")];
  if (at < first_offset || at > head) return { reason: "origin_out_of_range", first_offset, head };
  if (found["owner_id"] !== owner_id) return { reason: "stale_owner", owner_id: String(found["owner_id"]) as OwnerId };
  const depth = numberOr(db.get(sharers("$1", "$2"), [numberOr(found, "id"), at]), "depth");
  return depth > deepestFork ? { reason: "fork_too_deep", depth: depth - 1 } : undefined;
}

/** Returns the initial values of a fork that {@link forkRefusal} permits. */
export function inheritedBy(db: SyncConnection, fork: ForkInput | undefined): Inherited {
  if (fork === undefined) return nothingInherited;
  const { session_id, at } = fork;
  const found = db.get(origin("$1"), [session_id]);
  const id = numberOr(found, "id");
  const first_offset = numberOr(found, "first_offset");
  const newest = numberOr(found, "state_offset");
  const at_state = newest <= at ? newest : db.get(stretchOf("sqlite", "$1", { ...lastState, to: "$2" }), [id, at])?.["offset"];
  return { id, at, first_offset, state_offset: Number(at_state ?? Math.max(0, first_offset - 1)), last_turn: numberOr(found, "last_turn") };
}

/** Writes the segments of a new session. */
export function writeSegments(db: SyncConnection, id: number, { id: parent, at }: Inherited): void {
  db.run(ownSegment("$1", "$2"), [id, at + 1]);
  if (parent !== null) db.run(sharedSegments("$1", "$2", "$3"), [id, parent, at]);
}

/** Whether an event names a turn of another session without a trace id. */
export const strangeTurn = (db: SyncConnection, id: number, turn: number): boolean =>
  db.get(`SELECT number FROM turns WHERE session = $1 AND number = $2`, [id, turn]) === undefined;

/** The PostgreSQL form, as parts of the function's body. The session is locked, so that no other transaction erases, cuts or reassigns the shared part. */
export const postgresForkDeclarations = `  the_fork jsonb := input->'session'->'create'->'fork';
  the_at integer := (the_fork->>'at')::integer;
  the_origin record;
  origin_id integer;
  origin_first integer := 0;
  origin_state integer := 0;
  origin_turn integer := 0;`;

export const postgresForkLock = `  IF the_fork IS NOT NULL THEN
    PERFORM 1 FROM owners WHERE owner_id = c->'create'->>'owner_id' FOR KEY SHARE;
    PERFORM 1 FROM sessions WHERE session_id = the_fork->>'session_id' AND deleted IS NULL FOR SHARE;
  END IF;`;

export const postgresForkCheck = `    IF the_fork IS NOT NULL THEN
      ${origin("the_fork->>'session_id'").replace(/^SELECT (.*?) FROM/su, "SELECT $1 INTO the_origin FROM")};
      IF NOT FOUND THEN
        RETURN jsonb_build_object('outcome', 'refused', 'reason', 'origin_missing');
      ELSIF the_at < the_origin.first_offset OR the_at > the_origin.head THEN
        RETURN jsonb_build_object('outcome', 'refused', 'reason', 'origin_out_of_range', 'first_offset', the_origin.first_offset, 'head', the_origin.head);
      ELSIF the_origin.owner_id <> c->'create'->>'owner_id' THEN
        RETURN jsonb_build_object('outcome', 'refused', 'reason', 'stale_owner', 'owner_id', the_origin.owner_id);
      END IF;
      SELECT d.depth INTO the_count FROM (${sharers("the_origin.id", "the_at")}) d;
      IF the_count > ${deepestFork} THEN
        RETURN jsonb_build_object('outcome', 'refused', 'reason', 'fork_too_deep', 'depth', the_count - 1);
      END IF;
      origin_id := the_origin.id;
      origin_first := the_origin.first_offset;
      origin_turn := the_origin.last_turn;
      origin_state := the_origin.state_offset;
      IF origin_state > the_at THEN
        origin_state := COALESCE((SELECT x."offset" FROM (${stretchOf("postgres", "origin_id", { ...lastState, to: "the_at" })}) x), GREATEST(0, origin_first - 1));
      END IF;
    END IF;`;

export const postgresSegments = `    ${ownSegment("s.id", "COALESCE(the_at, -1) + 1")};
    IF the_fork IS NOT NULL THEN
      ${sharedSegments("s.id", "origin_id", "the_at")};
    END IF;`;
