/** One session as the page has it: the lines of its log, whole events where they are shown, and everything that follows live. */
import { computed, signal } from "@preact/signals";
import type { RequestError, ResultOf, WireDraft, WireEvent, WireSession } from "@throughline/client";
import { announce } from "../../base/overlays.ts";
import { failureOf, lacks, readWith } from "../../base/page-actions.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { lineOf } from "../../parts/event-line.ts";
import { LogPages } from "./log-pages.ts";
import { WholeEvents } from "./whole-events.ts";

type Kind = WireEvent["kind"];

const kindsForAll = ["message", "tool", "custom", "status", "state", "turn", "session"] as const satisfies readonly Kind[];
/** The scope that assessments need. */
export const safetyScope = "safety:read";

const kindsWithSafety = [...kindsForAll, "assessment"] as const;

type SessionSafety = ResultOf<"listSessionSafety">["items"][number];

/** A reply that is being written. */
export interface Draft {
  readonly turn_id: string;
  readonly text: string;
}

/** What a tab is given: the session, and the offset that is looked at. */
export interface TabProps {
  readonly session: LiveSession;
  readonly at: number;
}

export class LiveSession {
  readonly id: string;
  readonly info = signal<WireSession | undefined>(undefined);
  readonly log: LogPages;
  readonly events: WholeEvents;
  readonly drafts = signal<readonly Draft[]>([]);
  readonly error = signal<RequestError | undefined>(undefined);
  readonly connection = signal<"connecting" | "open" | "lost">("connecting");
  /** Counts the assessments that arrived. */
  readonly assessed = signal(0);
  /** The last offset. */
  readonly head = computed(() => {
    void this.log.version.value;
    return Math.max(this.info.value?.head ?? 0, this.log.next - 1);
  });
  #left: AbortSignal | undefined;
  #arrived: WireEvent[] = [];

  constructor(id: string) {
    this.id = id;
    const failed = (error: unknown): void => this.fail(error);
    this.log = new LogPages(
      (query) =>
        readWith(safetyScope, (has) =>
          client()
            .sessions.get(id)
            .summaries({ ...query, kinds: [...(has ? kindsWithSafety : kindsForAll)], withdrawn: true }, this.#options()),
        ),
      failed,
    );
    this.events = new WholeEvents(
      ({ kinds, ...query }) =>
        client()
          .sessions.get(id)
          .page({ ...query, kinds: [...kinds], withdrawn: true }, this.#options()),
      failed,
    );
  }

  /** Reads the end of the session's log and follows it until the signal aborts. */
  async open(left: AbortSignal): Promise<void> {
    this.#left = left;
    try {
      const info = await client().sessions.get(this.id).info({ signal: left });
      await this.log.open(info.head);
      this.info.value = info;
      await this.#follow(left);
    } catch (error) {
      this.fail(error);
    }
  }

  /** The newest events of some kinds at or before an offset, oldest first. `more` says whether there are others before them. */
  async newest(kinds: readonly Kind[], at: number, limit: number, signal: AbortSignal): Promise<{ events: readonly WireEvent[]; more: boolean }> {
    const session = client().sessions.get(this.id);
    const filter = { kinds: [...kinds], withdrawn: true } as const;
    const { items, before_offset } = await session.summaries({ ...filter, max_offset: at, order: "desc", limit }, { signal });
    const events: WireEvent[] = [];
    const [first, last] = [items.at(-1)?.offset ?? 0, items[0]?.offset ?? -1];
    for (let next = first; next <= last;) {
      const page = await session.page({ ...filter, min_offset: next, limit: items.length - events.length }, { signal });
      events.push(...page.items.filter(({ offset }) => offset <= last));
      next = Math.max(next + 1, page.next_offset);
    }
    return { events, more: before_offset !== null && items.length >= limit };
  }

  /** The highest level of the session; undefined without the scope that it needs. */
  async safety(signal: AbortSignal): Promise<SessionSafety | undefined> {
    const read = await readWith(safetyScope, async (has) =>
      has ? client().call("listSessionSafety", { query: { sessions: [this.id] }, signal }) : undefined,
    );
    return read?.items.at(0);
  }

  #options(): { readonly signal?: AbortSignal } {
    return this.#left === undefined ? {} : { signal: this.#left };
  }

  /** Shows why something could not be read. */
  fail(error: unknown): void {
    if (this.#left?.aborted !== true) this.error.value = failureOf(error);
  }

  /** Follows the log. The service sends no drafts to readers of withdrawn events, and an event that is new was not withdrawn. */
  async #follow(left: AbortSignal): Promise<void> {
    const items = client()
      .sessions.get(this.id)
      .live({
        minOffset: this.log.next,
        kinds: [...(lacks(safetyScope) ? kindsForAll : kindsWithSafety)],
        signal: left,
        onConnection: (connection) => (this.connection.value = connection),
      });
    for await (const item of items) {
      if ("kind" in item) this.#take(item, left);
      else this.#draw(item);
    }
  }

  /** Takes an event. Those of one frame of the screen are shown together. */
  #take(event: WireEvent, left: AbortSignal): void {
    this.#arrived.push(event);
    if (event.kind === "session") void this.#refresh(left);
    if (event.kind === "assessment") this.assessed.value += 1;
    if (this.#arrived.length > 1) return;
    // Frames do not come while the page is hidden, and a hidden page need not be drawn.
    requestAnimationFrame(() => {
      const arrived = this.#arrived;
      this.#arrived = [];
      if (left.aborted) return;
      this.events.take(arrived);
      this.log.append(arrived.map((one) => lineOf(one)));
      for (const { kind, data } of arrived) if (kind === "session" && data.type === "redacted") this.#reread(data.offsets);
      announce("events", texts.session.arrived(arrived.length));
    });
  }

  /** Reads redacted events again. */
  #reread(offsets: readonly number[]): void {
    this.events.forget(offsets);
    this.log.refresh(offsets).catch((error: unknown) => this.fail(error));
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    try {
      this.info.value = await client().sessions.get(this.id).info({ signal });
    } catch (error) {
      this.fail(error);
    }
  }

  #draw(draft: Exclude<WireDraft, WireEvent> | { readonly type: "gone" }): void {
    const drafts = this.drafts.peek();
    if (draft.type === "draft.delta") {
      const open = drafts.find(({ turn_id }) => turn_id === draft.turn_id);
      const grown = { turn_id: draft.turn_id, text: (open?.text ?? "") + draft.text };
      this.drafts.value = [...drafts.filter((one) => one !== open), grown];
    } else if (draft.type === "draft.reset")
      this.drafts.value = draft.turn_id === undefined ? [] : drafts.filter(({ turn_id }) => turn_id !== draft.turn_id);
  }
}
