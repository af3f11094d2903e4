/** Writes the drafts of this process for other processes. Pieces are collected, written in one statement for all drafts of the process, and reported. */
import type { SessionId } from "../../../kernel/id.ts";
import type { Logger } from "../../../kernel/log.ts";
import type { DraftPiece } from "../../port.ts";
import type { SqlDriver } from "../driver.ts";
import type { Sealer } from "../keys/sealing.ts";
import { bindings } from "../texts.ts";
import { type DraftsInput, draftsProcedure } from "./drafts-table.ts";

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

type Place = DraftsInput["over"][number];

/** Dependencies for writing drafts. */
export interface DraftWriterOptions {
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
