/** Reads the drafts of other processes. Reads when the link reports them, and shows them on the board, which orders them. */
import type { OwnerId, SessionId } from "../../../kernel/id.ts";
import type { Json } from "../../../kernel/json.ts";
import type { Logger } from "../../../kernel/log.ts";
import type { DraftBoard } from "../../draft-board.ts";
import type { DraftPiece } from "../../port.ts";
import type { SqlDriver, SqlRow } from "../driver.ts";
import { numberOf } from "../rows.ts";
import { type Texts, bindings } from "../texts.ts";
import { draftsOf } from "./drafts-table.ts";
import type { News } from "./link.ts";

interface Cursor {
  readonly epoch: number;
  readonly message: number;
  /** Start of the last piece that was read. It is read again, because it may have grown. */
  readonly at: number;
}
const beginning: Cursor = { epoch: 0, message: 0, at: 0 };

/** Dependencies for reading and showing drafts. */
export interface DraftReaderOptions {
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
