/** The checks of a commit, in both engine forms and in the same order: replay, existence, key, preconditions, limit. */
import type { SessionId } from "../../../kernel/id.ts";
import type { Refusal } from "../../port.ts";
import type { CommitInput, CommitOutput, OwnerInput, SessionInput } from "./commit-input.ts";
import { forkRefusal, inheritedBy, postgresForkCheck, strangeTurn } from "./session-fork.ts";
import { cutRefusal, postgresCutCheck } from "./log-edits.ts";
import type { SqlRow, SyncConnection } from "../sql-driver.ts";
import { numberOr } from "../rows.ts";
import { checkSessionOwner, postgresCheckOwner } from "./write-owner.ts";
import { postgresRecordCheck, postgresRecordsWritten, recordRefusal, recordsWritten } from "./write-records.ts";

/** The existing rows that a commit names. Undefined for missing ones. */
export interface Found {
  readonly owner: SqlRow | undefined;
  readonly session: SqlRow | undefined;
}

const refused = (refusal: Refusal): CommitOutput => ({ outcome: "refused", ...refusal });

function findReplay(db: SyncConnection, input: CommitInput, { owner, session }: Found): CommitOutput | undefined {
  if (input.session === undefined && input.owner === undefined)
    return recordsWritten(db, input) ? { outcome: "committed", replayed: true } : undefined;
  if (input.session === undefined) {
    const row = db.get(`SELECT scope FROM commits WHERE scope = $1 AND commit_id = $2`, [-numberOr(owner, "id"), input.commit_id]);
    return row && { outcome: "committed", replayed: true };
  }
  if (typeof session?.["done"] !== "number") return undefined;
  const queued = session["done_turn"] === null ? {} : { queued_turn: numberOr(session, "done_turn") };
  const written = { first_offset: numberOr(session, "done_first"), head: numberOr(session, "done_head"), ...queued };
  return { outcome: "committed", replayed: true, session: written };
}

function checkOwnerExists(db: SyncConnection, change: OwnerInput, owner: SqlRow | undefined): CommitOutput | undefined {
  if (!change.create) return owner === undefined ? refused({ reason: "owner_missing" }) : undefined;
  const taken = owner ?? db.get(`SELECT id FROM owners WHERE customer_hash = $1`, [change.customer_hash]);
  return taken === undefined ? undefined : refused({ reason: "owner_exists" });
}

function checkSessionExists(db: SyncConnection, { owner, session: change }: CommitInput, found: SqlRow | undefined): CommitOutput | undefined {
  if (change?.create === undefined) return change !== undefined && found === undefined ? refused({ reason: "session_missing" }) : undefined;
  const other = found ?? db.get(`SELECT session_id FROM sessions WHERE open_hash = $1`, [change.create.open_hash]);
  if (other !== undefined) return { outcome: "refused", reason: "session_exists", session_id: String(other["session_id"]) as SessionId };
  if (change.create.fork !== undefined) {
    const refusal = forkRefusal(db, change.create.fork, change.create.owner_id);
    return refusal && refused(refusal);
  }
  const made = owner?.create === true && owner.owner_id === change.create.owner_id;
  const there = made || db.get(`SELECT id FROM owners WHERE owner_id = $1`, [change.create.owner_id]) !== undefined;
  return there ? undefined : refused({ reason: "owner_missing" });
}

/** Checks that the session exists whose own variables are written, because they exist only with it. */
function checkOwnersSession(db: SyncConnection, { owner, session: change }: CommitInput): CommitOutput | undefined {
  const of = owner?.of_session;
  if (of === undefined || (change?.create !== undefined && change.session_id === of)) return undefined;
  const there = db.get(`SELECT id FROM sessions WHERE session_id = $1 AND deleted IS NULL`, [of]);
  return there === undefined ? refused({ reason: "session_missing" }) : undefined;
}

/** The first use of a key. The turn comes from the commit's own row, because retention may have deleted the commit's events. */
const keyUsed = (session: string, key_hash: string): string => `SELECT i."offset", i.body_hash, (
    SELECT c.queued_turn FROM commits c WHERE c.scope = i.session AND c.head = i."offset" AND c.first_offset <= c.head
  ) AS queued_turn FROM idempotency i WHERE i.session = ${session} AND i.key_hash = ${key_hash}`;

function checkKey(db: SyncConnection, change: SessionInput | undefined, session: SqlRow | undefined): CommitOutput | undefined {
  if (change?.key === undefined || session === undefined) return undefined;
  const used = db.get(keyUsed("$1", "$2"), [numberOr(session, "id"), change.key.key_hash]);
  if (used === undefined) return undefined;
  const queued = used["queued_turn"] === null ? {} : { queued_turn: numberOr(used, "queued_turn") };
  return refused({ reason: "key_used", offset: numberOr(used, "offset"), body_hash: String(used["body_hash"]), ...queued });
}

function checkDepends(db: SyncConnection, input: CommitInput, { owner, session }: Found): CommitOutput | undefined {
  const ownerVersion = numberOr(owner, "version");
  if (input.owner?.depends_version !== undefined && input.owner.depends_version !== ownerVersion)
    return refused({ reason: "stale_version", version: ownerVersion });
  const { session: change } = input;
  if (change === undefined) return undefined;
  const { depends } = change;
  const [epoch, base, version, episode] = [
    numberOr(session, "epoch"),
    numberOr(session, "state_offset"),
    numberOr(session, "version"),
    numberOr(session, "episode", 1),
  ];
  if (depends.epoch !== undefined && depends.epoch !== epoch) return refused({ reason: "fenced", epoch });
  if (depends.base !== undefined && depends.base !== base) return refused({ reason: "stale_base", state_offset: base });
  if (depends.head !== undefined && depends.head !== numberOr(session, "head", -1))
    return refused({ reason: "stale_head", head: numberOr(session, "head", -1) });
  if (depends.version !== undefined && depends.version !== version) return refused({ reason: "stale_version", version });
  if (depends.episode !== undefined && depends.episode !== episode) return refused({ reason: "stale_episode", episode });
  const waiting = numberOr(session, "waiting");
  if (change.queue?.limit !== undefined && waiting >= change.queue.limit) return refused({ reason: "too_many_waiting", waiting });
  const cut = change.cut && cutRefusal(db, change.cut, session ?? {});
  return cut && refused(cut);
}

function checkRecords(db: SyncConnection, input: CommitInput): CommitOutput | undefined {
  const refusal = recordRefusal(db, input);
  return refusal && refused(refusal);
}

function checkTurns(db: SyncConnection, change: SessionInput | undefined, session: SqlRow | undefined): CommitOutput | undefined {
  if (change === undefined) return undefined;
  const lastTurn = session === undefined ? inheritedBy(db, change.create?.fork).last_turn : numberOr(session, "last_turn");
  const isFork = change.create?.fork !== undefined || typeof session?.["parent"] === "number";
  const unknown = change.events.findIndex(
    ({ turn, trace_id }) => turn !== null && (turn > lastTurn || (isFork && trace_id === null && strangeTurn(db, numberOr(session, "id"), turn))),
  );
  return unknown < 0 ? undefined : { outcome: "unknown_turn", event: unknown, last_turn: lastTurn };
}

/** Checks that the keys exist. A text under a missing or destroyed key could not be read again. */
function checkKeys(db: SyncConnection, { sealed_with = [] }: CommitInput): CommitOutput | undefined {
  const gone = sealed_with.some((key) => db.get(`SELECT key_id FROM owner_keys WHERE key_id = $1`, [key]) === undefined);
  return gone ? { outcome: "key_gone" } : undefined;
}

/** Returns why a commit is not written, or its first result. Undefined if it can be written. */
export function answerWithoutWriting(db: SyncConnection, input: CommitInput, found: Found): CommitOutput | undefined {
  return (
    findReplay(db, input, found) ??
    (input.owner && checkOwnerExists(db, input.owner, found.owner)) ??
    checkSessionExists(db, input, found.session) ??
    checkOwnersSession(db, input) ??
    checkKey(db, input.session, found.session) ??
    checkSessionOwner(db, input, found.session) ??
    checkDepends(db, input, found) ??
    checkRecords(db, input) ??
    checkTurns(db, input.session, found.session) ??
    checkKeys(db, input)
  );
}

/** The PostgreSQL form: a part of the function's body. */
export const postgresChecks = `  SELECT * INTO done FROM commits WHERE scope = CASE WHEN c IS NULL THEN -the_owner.id ELSE s.id END AND commit_id = (input->>'commit_id')::bigint;
  IF FOUND THEN
    RETURN jsonb_strip_nulls(jsonb_build_object('outcome', 'committed', 'replayed', true, 'session', CASE WHEN c IS NOT NULL THEN
      jsonb_build_object('first_offset', done.first_offset, 'head', done.head, 'queued_turn', done.queued_turn) END));
  END IF;
${postgresRecordsWritten}

  IF o IS NOT NULL AND (o->>'create')::boolean THEN
    IF owner_found OR EXISTS (SELECT 1 FROM owners WHERE customer_hash = o->>'customer_hash') THEN
      RETURN jsonb_build_object('outcome', 'refused', 'reason', 'owner_exists');
    END IF;
  ELSIF o IS NOT NULL AND NOT owner_found THEN
    RETURN jsonb_build_object('outcome', 'refused', 'reason', 'owner_missing');
  END IF;
  IF c ? 'create' THEN
    the_text := s.session_id;
    IF the_text IS NULL THEN
      SELECT session_id INTO the_text FROM sessions WHERE open_hash = c->'create'->>'open_hash';
    END IF;
    IF the_text IS NOT NULL THEN
      RETURN jsonb_build_object('outcome', 'refused', 'reason', 'session_exists', 'session_id', the_text);
    END IF;
${postgresForkCheck}
    IF the_fork IS NULL AND NOT COALESCE((o->>'create')::boolean AND o->>'owner_id' = c->'create'->>'owner_id', false)
      AND NOT EXISTS (SELECT 1 FROM owners WHERE owner_id = c->'create'->>'owner_id' FOR KEY SHARE) THEN
      RETURN jsonb_build_object('outcome', 'refused', 'reason', 'owner_missing');
    END IF;
  ELSIF c IS NOT NULL AND NOT session_found THEN
    RETURN jsonb_build_object('outcome', 'refused', 'reason', 'session_missing');
  END IF;
  IF o ? 'of_session' AND NOT COALESCE(c ? 'create' AND c->>'session_id' = o->>'of_session', false)
    AND NOT EXISTS (SELECT 1 FROM sessions WHERE session_id = o->>'of_session' AND deleted IS NULL) THEN
    RETURN jsonb_build_object('outcome', 'refused', 'reason', 'session_missing');
  END IF;

  IF c ? 'key' THEN
    SELECT u."offset", u.body_hash, u.queued_turn INTO the_first, the_text, the_turn FROM (${keyUsed("s.id", "(c->'key'->>'key_hash')::bigint")}) u;
    IF FOUND THEN
      RETURN jsonb_strip_nulls(jsonb_build_object('outcome', 'refused', 'reason', 'key_used', 'offset', the_first, 'body_hash', the_text, 'queued_turn', the_turn));
    END IF;
  END IF;
${postgresCheckOwner}
  IF COALESCE((o->>'depends_version')::integer, COALESCE(the_owner.version, 0)) <> COALESCE(the_owner.version, 0) THEN
    RETURN jsonb_build_object('outcome', 'refused', 'reason', 'stale_version', 'version', COALESCE(the_owner.version, 0));
  END IF;

  IF c IS NOT NULL THEN
    s.epoch := COALESCE(s.epoch, 0);
    s.state_offset := COALESCE(s.state_offset, 0);
    s.version := COALESCE(s.version, 0);
    s.episode := COALESCE(s.episode, 1);
    s.last_turn := COALESCE(s.last_turn, origin_turn);
    IF COALESCE((the_depends->>'epoch')::bigint, s.epoch) <> s.epoch THEN
      RETURN jsonb_build_object('outcome', 'refused', 'reason', 'fenced', 'epoch', s.epoch);
    ELSIF COALESCE((the_depends->>'base')::bigint, s.state_offset) <> s.state_offset THEN
      RETURN jsonb_build_object('outcome', 'refused', 'reason', 'stale_base', 'state_offset', s.state_offset);
    ELSIF COALESCE((the_depends->>'head')::bigint, s.head, -1) <> COALESCE(s.head, -1) THEN
      RETURN jsonb_build_object('outcome', 'refused', 'reason', 'stale_head', 'head', COALESCE(s.head, -1));
    ELSIF COALESCE((the_depends->>'version')::bigint, s.version) <> s.version THEN
      RETURN jsonb_build_object('outcome', 'refused', 'reason', 'stale_version', 'version', s.version);
    ELSIF COALESCE((the_depends->>'episode')::bigint, s.episode) <> s.episode THEN
      RETURN jsonb_build_object('outcome', 'refused', 'reason', 'stale_episode', 'episode', s.episode);
    END IF;
    IF c->'queue' ? 'limit' THEN
      SELECT count(*) INTO the_count FROM inputs WHERE session = s.id AND turn IS NOT NULL;
      IF the_count >= (c->'queue'->>'limit')::bigint THEN
        RETURN jsonb_build_object('outcome', 'refused', 'reason', 'too_many_waiting', 'waiting', the_count);
      END IF;
    END IF;
${postgresCutCheck}
  END IF;
${postgresRecordCheck}
  IF c IS NOT NULL THEN
    SELECT min(e.n) INTO the_count FROM jsonb_array_elements(c->'events') WITH ORDINALITY AS e(event, n) WHERE (e.event->>'turn')::bigint > s.last_turn
      OR ((origin_id IS NOT NULL OR s.parent IS NOT NULL) AND e.event->>'turn' IS NOT NULL AND e.event->>'trace_id' IS NULL
        AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session = s.id AND t.number = (e.event->>'turn')::bigint));
    IF the_count IS NOT NULL THEN
      RETURN jsonb_build_object('outcome', 'unknown_turn', 'event', the_count - 1, 'last_turn', s.last_turn);
    END IF;
  END IF;
  IF EXISTS (SELECT 1 FROM jsonb_array_elements_text(input->'sealed_with') k WHERE NOT EXISTS (SELECT 1 FROM owner_keys known WHERE known.key_id = k)) THEN
    RETURN jsonb_build_object('outcome', 'key_gone');
  END IF;`;
