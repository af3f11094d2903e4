/** Drafts of replies that the processes on one PostgreSQL database share through a table. SQLite has no such table: there a draft stays in its process. */
import type { OwnerId, SessionId } from "../../../kernel/id.ts";
import type { Json } from "../../../kernel/json.ts";
import type { Logger } from "../../../kernel/log.ts";
import type { DraftBoard } from "../../draft-board.ts";
import type { DraftPiece } from "../../port.ts";
import type { Sealer } from "../keys/sealing.ts";
import { databaseNow } from "../queries.ts";
import { numberOf } from "../rows.ts";
import type { News, Procedure, SqlDriver, SqlRow } from "../sql-driver.ts";
import { bindings, type Texts } from "../texts.ts";

interface Place {
  readonly session_id: string;
  readonly epoch: number;
  readonly message: number;
}

interface DraftsInput {
  readonly rows: readonly (Place & { readonly turn: number; readonly at: number; readonly text: string })[];
  /** Drafts to delete, with all earlier ones. */
  readonly over: readonly Place[];
  /** Whether to delete abandoned drafts. */
  readonly sweep: boolean;
}

/** Milliseconds without a write after which a draft counts as abandoned. */
const abandonedMs = 3_600_000;

/** Writes pieces and deletes ended drafts: the named ones, and those of earlier epochs of each written session. */
export const draftsProcedure: Procedure<DraftsInput, object> = {
  name: "drafts",
  sqlite: () => ({}),
  postgres: `BEGIN
  DELETE FROM drafts d USING sessions s, jsonb_to_recordset(input->'rows') AS r(session_id text, epoch integer)
    WHERE s.session_id = r.session_id AND d.session = s.id AND d.epoch < r.epoch;
  INSERT INTO drafts (written_at, session, epoch, turn, message, at, text)
    SELECT ${databaseNow}, s.id, r.epoch, r.turn, r.message, r.at, r.text
      FROM jsonb_to_recordset(input->'rows') AS r(session_id text, epoch integer, turn integer, message integer, at integer, text text)
      JOIN sessions s ON s.session_id = r.session_id
    ON CONFLICT (session, epoch, message, at) DO UPDATE SET text = EXCLUDED.text;
  DELETE FROM drafts d USING sessions s, jsonb_to_recordset(input->'over') AS r(session_id text, epoch integer, message integer)
    WHERE s.session_id = r.session_id AND d.session = s.id AND (d.epoch, d.message) <= (r.epoch, r.message);
  IF (input->>'sweep')::boolean THEN
    DELETE FROM drafts d WHERE d.written_at < ${databaseNow} - ${abandonedMs}
      OR NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = d.session AND s.epoch <= d.epoch);
  END IF;
  RETURN '{}'::jsonb;
END`,
};

const from = `jsonb_to_recordset($1::jsonb) AS f(session_id text, known boolean, epoch integer, message integer, at integer)
  JOIN sessions s ON s.session_id = f.session_id`;

/** Reads pieces of drafts from each reader's position. A new reader gets no draft of an ended turn. */
const draftsOf = {
  sessions: `SELECT s.session_id, s.epoch FROM ${from}`,
  drafts: `SELECT s.session_id, o.owner_id, d.epoch, d.turn, d.message, d.at, d.text FROM ${from} JOIN owners o ON o.id = s.owner
    JOIN drafts d ON d.session = s.id AND (d.epoch, d.message, d.at) >= (f.epoch, f.message, f.at) AND (f.known OR d.epoch >= s.epoch)
    ORDER BY d.session, d.epoch, d.message, d.at`,
};

interface Cursor {
  readonly epoch: number;
  readonly message: number;
  /** Start of the last piece that was read. It is read again, because it may have grown. */
  readonly at: number;
}
const beginning: Cursor = { epoch: 0, message: 0, at: 0 };

/** Dependencies for reading and showing drafts. */
interface DraftReaderOptions {
  readonly driver: SqlDriver;
  readonly texts: Texts;
  readonly board: DraftBoard;
  readonly logger: Logger;
}

/** Reads the drafts of other processes for the sessions that are watched here. Drafts are not essential: a failure is only logged. */
export class DraftReader {
  readonly #options: DraftReaderOptions;
  readonly #cursors = new Map<SessionId, Cursor>();
  /** Sessions to read, and drafts that end after that read. */
  #toRead = new Set<SessionId>();
  #toCheck = new Set<SessionId>();
  #ends: (DraftPiece & { readonly ended: string })[] = [];
  #reading: Promise<void> | undefined;
  #closed = false;

  constructor(options: DraftReaderOptions) {
    this.#options = options;
  }

  /** Reads the open draft of a newly watched session. */
  async begin(session: SessionId): Promise<void> {
    this.#toRead.add(session);
    await this.#read();
  }

  /** Reads what the link has reported. */
  hear(news: News): void {
    const { board } = this.#options;
    if (news.of === "draft" && board.isWatched(news.session_id)) this.#toRead.add(news.session_id);
    else if (news.of === "draft_end" && board.isWatched(news.piece.session_id)) {
      this.#toRead.add(news.piece.session_id);
      this.#ends.push(news.piece);
    } else if (news.of === "anything")
      for (const session of board.sessions) {
        this.#toRead.add(session);
        this.#toCheck.add(session);
      }
    else return;
    void this.#read();
  }

  /** Closes after the read in progress. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#reading;
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    const { board, logger } = this.#options;
    while (this.#toRead.size > 0 && !this.#closed) {
      const sessions = [...this.#toRead].filter((session) => board.isWatched(session));
      const [checked, ends] = [this.#toCheck, this.#ends];
      this.#toRead = new Set();
      this.#toCheck = new Set();
      this.#ends = [];
      try {
        await this.#readSessions(sessions, checked);
      } catch (error) {
        // The next piece or poll reads from the same place.
        logger.debug("store.drafts_not_read", { reason: error instanceof Error ? error.name : "unknown" });
      }
      for (const end of ends) board.write(end, { shared: true });
    }
    for (const session of this.#cursors.keys()) if (!board.isWatched(session)) this.#cursors.delete(session);
  }

  async #readSessions(sessions: readonly SessionId[], checked: ReadonlySet<SessionId>): Promise<void> {
    const { driver, board } = this.#options;
    if (sessions.length === 0) return;
    const from = sessions.map((session_id) => ({
      session_id,
      known: this.#cursors.has(session_id),
      ...(this.#cursors.get(session_id) ?? beginning),
    }));
    const read = await driver.read(draftsOf, [JSON.stringify(from)]);
    const epochs = new Map(read.sessions.map((row) => [String(row["session_id"]), numberOf(row, "epoch")]));
    await this.#options.texts.ready?.([...new Set(read.drafts.map((row) => String(row["owner_id"]) as OwnerId))]);
    for (const row of read.drafts) this.#show(row);
    for (const session of sessions) {
      if (!this.#cursors.has(session)) this.#cursors.set(session, beginning);
      const open = board.openOf(session);
      if (!checked.has(session) || open?.shared !== true) continue;
      const there = read.drafts.some((row) => row["session_id"] === session && row["epoch"] === open.epoch && row["message"] === open.message);
      // Its end was reported while this process was not listening.
      if (!there || (epochs.get(session) ?? Infinity) > open.epoch)
        board.write({ ...open, at: open.text.length, text: "", ended: "fence" }, { shared: true });
    }
  }

  #show(row: SqlRow): void {
    const session_id = String(row["session_id"]) as SessionId;
    const place = { epoch: numberOf(row, "epoch"), message: numberOf(row, "message"), at: numberOf(row, "at") };
    const owner = String(row["owner_id"]) as OwnerId;
    const binding = bindings.draft(session_id, place.epoch);
    const value = this.#options.texts.decode(String(row["text"]), owner, `a draft of session ${session_id}`, binding);
    this.#cursors.set(session_id, place);
    const { board } = this.#options;
    // The board already has this process's own drafts.
    if (board.openOf(session_id)?.shared === false && board.openOf(session_id)?.epoch === place.epoch) return;
    const content = contentOf(value);
    if (content !== undefined) board.write({ session_id, turn: numberOf(row, "turn"), ...place, ...content }, { shared: true });
  }
}

/** Returns the content of a draft's row. Undefined for a row of an earlier version, whose place in the log is unknown. */
function contentOf(value: Json): Pick<DraftPiece, "after" | "of" | "text"> | undefined {
  if (value === null || typeof value !== "object" || !("text" in value)) return undefined;
  const { after, of, text } = value;
  return typeof after !== "number" || typeof text !== "string" ? undefined : { after, text, ...(of === "calls" ? { of } : {}) };
}

/** Minimum milliseconds between two writes. */
const writeMs = 30;
/** Milliseconds that the first piece after a pause waits for further pieces. */
const firstMs = 2;
/** Milliseconds until the retry of a failed write. */
const repeatMs = 500;
/** Maximum characters that wait for an unresponsive database. Beyond that the waiting pieces are dropped, and the drafts stay incomplete in other processes. */
const mostWaiting = 4_000_000;
/** Milliseconds that the text of a reply stays after its end, for readers that are about to fetch its last piece. */
const keepMs = 1_000;
/** Milliseconds between two sweeps of abandoned drafts. */
const sweepMs = 600_000;

/** Dependencies for writing drafts. */
interface DraftWriterOptions {
  readonly driver: SqlDriver;
  readonly logger: Logger;
  readonly now: () => number;
  readonly sealer: Sealer;
}

/** Writes the drafts of this process in the background. Drafts are not essential: a failure is only logged. */
export class DraftWriter {
  readonly #options: DraftWriterOptions;
  /** Pieces to write, by session. Consecutive pieces of one draft are joined. */
  #waiting = new Map<SessionId, DraftPiece[]>();
  /** Drafts whose text can be deleted, and those whose text stays for a moment. */
  #over: Place[] = [];
  readonly #kept = new Map<NodeJS.Timeout, readonly Place[]>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #sweptAt: number | undefined;
  #closed = false;

  constructor(options: DraftWriterOptions) {
    this.#options = options;
  }

  /** Accepts a piece to be written soon. */
  write(piece: DraftPiece): void {
    if (this.#closed) return;
    const pieces = this.#waiting.get(piece.session_id) ?? [];
    const last = pieces.at(-1);
    const follows = last?.ended === undefined && last?.epoch === piece.epoch && last.message === piece.message;
    if (follows && last.at + last.text.length === piece.at) pieces[pieces.length - 1] = { ...piece, at: last.at, text: last.text + piece.text };
    else pieces.push(piece);
    this.#waiting.set(piece.session_id, pieces);
    this.#schedule(firstMs);
  }

  /** Writes the waiting pieces once, then stops. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    for (const [timer, places] of this.#kept) {
      clearTimeout(timer);
      this.#over.push(...places);
    }
    // The second write deletes the drafts that the first one has ended.
    for (let writes = 0; writes < 2 && (this.#waiting.size > 0 || this.#over.length > 0); writes++) await this.#write();
  }

  #schedule(ms: number): void {
    if (this.#closed || this.#timer !== undefined || this.#writing !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write().then((done) => {
        this.#writing = undefined;
        // The pause limits how often a process writes.
        if (this.#waiting.size > 0) this.#schedule(done ? writeMs : repeatMs);
        else this.#cool();
      });
    }, ms);
  }

  /** Pieces right after a write wait for the next one. */
  #cool(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting.size > 0 || this.#over.length > 0) this.#schedule(0);
    }, writeMs).unref();
  }

  /** Writes the pieces. Returns false if they must wait for the next try. */
  async #write(): Promise<boolean> {
    const waiting = this.#waiting;
    const over = this.#over;
    this.#waiting = new Map();
    this.#over = [];
    const { driver, logger, now } = this.#options;
    const sweep = this.#sweptAt === undefined || now() - this.#sweptAt >= sweepMs;
    try {
      const { rows, gone, kept } = await this.#encoded(waiting);
      await driver.call(draftsProcedure, { rows, over: [...over, ...gone], sweep });
      if (sweep) this.#sweptAt = now();
      this.#keep(kept);
      for (const pieces of waiting.values()) this.#tell(pieces);
      return true;
    } catch (error) {
      logger.debug("store.drafts_not_written", { reason: error instanceof Error ? error.name : "unknown" });
      this.#putBack(waiting, over);
      return false;
    }
  }

  /** Returns the rows to write, the drafts to delete with them, and those that stay for a moment. */
  async #encoded(waiting: ReadonlyMap<SessionId, readonly DraftPiece[]>): Promise<{ rows: DraftsInput["rows"]; gone: Place[]; kept: Place[] }> {
    const rows: DraftsInput["rows"][number][] = [];
    const gone: Place[] = [];
    const kept: Place[] = [];
    for (const piece of [...waiting.values()].flat()) {
      const { session_id, epoch, turn, message, at, ended, after, of = null, text: written } = piece;
      const sealing = await this.#options.sealer.of({ commit_id: "", at: 0, session: { session_id } });
      if (sealing === undefined) continue;
      const text = sealing.texts.encode({ after, of, text: written }, sealing.owner, bindings.draft(session_id, epoch));
      if (ended === undefined || piece.text !== "") rows.push({ session_id, epoch, turn, message, at, text });
      if (ended !== undefined) (ended === "end" ? kept : gone).push({ session_id, epoch, message });
    }
    return { rows, gone, kept };
  }

  #keep(places: readonly Place[]): void {
    if (places.length === 0) return;
    if (this.#closed) return void this.#over.push(...places);
    const timer = setTimeout(() => {
      this.#kept.delete(timer);
      this.#over.push(...places);
      this.#schedule(firstMs);
    }, keepMs).unref();
    this.#kept.set(timer, places);
  }

  #tell(pieces: readonly DraftPiece[]): void {
    const { link } = this.#options.driver;
    for (const piece of pieces) {
      const { session_id, ended } = piece;
      if (ended === undefined) link.tell({ of: "draft", session_id });
      else link.tell({ of: "draft_end", piece: { ...piece, at: piece.at + piece.text.length, text: "", ended } });
    }
  }

  #putBack(waiting: ReadonlyMap<SessionId, readonly DraftPiece[]>, over: DraftsInput["over"]): void {
    if (this.#closed) return;
    const later = this.#waiting;
    let length = 0;
    this.#waiting = new Map();
    this.#over.push(...over);
    for (const pieces of [...waiting.values(), ...later.values()])
      for (const piece of pieces) {
        length += piece.text.length;
        // The end of a draft is small, and readers wait for it.
        if (length <= mostWaiting) this.write(piece);
        else if (piece.ended !== undefined) this.write({ ...piece, text: "" });
      }
  }
}
