/**
 * Delivers events to other servers. A cursor in the database for each session and target gives their order; a lease on it lets several processes
 * share the work. Every event is delivered at least once, or becomes a dead letter when its attempts are used up.
 */
import { findRecord, itemsOf, present, processName, subagentLabel, type WriterContext } from "throughline/internal";
import { followPages } from "throughline/internal/runtime";
import { type Clock, createIds, type Ids, type Logger, seen, type SessionId, silentLogger, systemClock, ThroughlineError } from "throughline/kernel";
import type { Agent, Event, Store } from "throughline";
import type { RecordChange, RecordRow, SessionRow } from "throughline/store";
import { kindsFor, textOf } from "../delivery/event-reader.ts";
import { changeRecord, writeRecords } from "../service-records.ts";
import { jsonOf } from "../to-wire.ts";
import { createOutbound, type Outbound, type OutboundOptions, retryAfterOf, userAgent } from "./outbound.ts";
import { dueKind, feedOf, ownerUrlKey, urlKind } from "./webhook-feed.ts";
import { newSecret, signedHeaders } from "./webhook-signature.ts";
import {
  checkTargets,
  type DeadLetter,
  deliveryId,
  endpointOf,
  historyIn,
  principalOf,
  takes,
  targetFor,
  urlAt,
  urlIn,
  type UrlSince,
  type WebhookControl,
  type WebhookPosition,
  type WebhookStatus,
  type WebhookTarget,
} from "./webhook-target.ts";

/** Options of {@link createWebhooks}. */
export interface WebhookOptions extends Pick<OutboundOptions, "allowHosts" | "lookup" | "timeoutMs"> {
  /** The store to wrap. */
  readonly store: Store;
  /** The agents of the runtime. They decide which state is public. */
  readonly agents: readonly Agent[];
  readonly targets: readonly WebhookTarget[];
  /**
   * Milliseconds before each further attempt of a failed delivery. After the last one the event becomes a dead letter. By default 5 s, 30 s, 2, 10 and
   * 30 minutes, 1, 3, 6 and 12 hours.
   */
  readonly retryMs?: readonly number[];
  /** Dead letters in a row after which an address is paused; 5 by default. */
  readonly pauseAfter?: number;
  /** Milliseconds for which a replaced secret of the database still signs; a day by default. */
  readonly formerSecretMs?: number;
  /** Milliseconds between polls for events that other processes committed; 1,000 by default. */
  readonly pollMs?: number;
  /** Requests under way at the same time in this process; 64 by default. One of several targets takes at most half, an address in metadata a quarter. */
  readonly concurrency?: number;
  /** Milliseconds after which another process takes over the deliveries of one that died; 30,000 by default, and more than `timeoutMs`. */
  readonly leaseMs?: number;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly logger?: Logger;
}

const defaultRetryMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000] as const;
/** Milliseconds until a session is looked at again whose deliveries cannot go on here now. */
const restMs = 15_000;
/** Milliseconds for which the failures of an address are kept that a session has named. */
const failuresMs = 7 * 86_400_000;
/** Events without a delivery after which a position is written all the same. */
const mostUnnoted = 100;
/** Events that one run delivers before others get its place. */
const mostEvents = 500;

/** Called with the end of a delivery: `failed` is tried again, `dead` is not. */
type CountDelivery = (result: "delivered" | "failed" | "dead") => void;

/** Record kinds of cursors, dead letters, endpoints and secrets. */
const cursorKind = "webhook_cursor";
const deadKind = "webhook_dead";
const endpointKind = "webhook_endpoint";
const secretKind = "webhook_secret";

interface CursorData {
  readonly next_offset: number;
  readonly attempts: number;
  readonly next_at?: number;
  readonly error?: string;
  readonly worker: string;
  readonly until: number;
}

interface EndpointData {
  readonly target: string;
  readonly host: string;
  readonly failures: number;
  /** Since when the target is known. Older events are not delivered to it. */
  readonly since?: number;
  readonly paused?: WebhookStatus["paused"];
}

interface SecretData {
  readonly secrets: readonly { readonly secret: string; readonly until?: number }[];
}

type DeadData = Omit<DeadLetter, "id"> & { readonly endpoint: string; readonly url: string };

/** A session id that does not exist. */
const nobody = `ses_${"0".repeat(26)}` as SessionId;

/** What a run for a session and a target came to. `rest`: not before then. */
type Outcome =
  | { readonly is: "drained"; readonly delivery: Delivery; readonly leased: boolean; readonly last: CursorData }
  | { readonly is: "more" }
  | { readonly is: "rest"; readonly until: number };

/** The targets that rest in a session, each until a time, and the version of the session's note that their last pass saw. */
interface Rests {
  version: number;
  readonly untils: Map<string, number>;
}

/** A request under way. */
interface Flight {
  readonly session_id: SessionId;
  readonly owner_id: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** Creates the deliveries of a database. Give `store` of the result to the runtime, and the result to the service, which starts it. */
export const createWebhooks = (options: WebhookOptions): Webhooks => new Webhooks(options);

/** The deliveries of a database by this process. */
export class Webhooks implements WebhookControl {
  /** The store that notes what is to be delivered. All writers of the database need to use such a store. */
  readonly store: Store;
  #isUsed = false;
  readonly #inner: Store;
  readonly #context: WriterContext;
  readonly #agents: ReadonlyMap<string, Agent>;
  readonly #targets: readonly WebhookTarget[];
  readonly #outbound: Outbound;
  readonly #options: Required<Pick<WebhookOptions, "retryMs" | "pauseAfter" | "formerSecretMs" | "pollMs" | "concurrency" | "leaseMs">>;
  readonly #worker: string;
  readonly #closing = new AbortController();
  /** Sessions to look at, in turn. */
  readonly #queue = new Set<SessionId>();
  readonly #running = new Map<SessionId, Promise<void>>();
  readonly #again = new Set<SessionId>();
  readonly #resting = new Map<SessionId, Rests>();
  readonly #flights = new Set<Flight>();
  readonly #erasing = new Set<string>();
  /** Runs by target and by address, and the sessions that wait for a place there. */
  readonly #busy = new Map<string, { active: number; readonly waiting: Set<SessionId> }>();
  /** Targets with a run, by session. A run may outlast the pass that began it. */
  readonly #active = new Map<SessionId, Set<string>>();
  /** Runs that outlast their pass. */
  readonly #outlasting = new Set<Promise<void>>();
  /** Called when a session is looked at during its pass. */
  readonly #hurry = new Map<SessionId, () => void>();
  #endpoints: ReadonlyMap<string, EndpointData> = new Map();
  #nudge = new AbortController();
  #counted: CountDelivery = () => {};
  #loop: Promise<void> | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(options: WebhookOptions) {
    const { store, agents, targets, clock = systemClock, ids = createIds({ clock }), logger = silentLogger } = options;
    const { retryMs = defaultRetryMs, pauseAfter = 5, formerSecretMs = 86_400_000, pollMs = 1_000, concurrency = 64, timeoutMs = 10_000 } = options;
    this.#outbound = createOutbound({ ...present({ allowHosts: options.allowHosts, lookup: options.lookup }), timeoutMs, clock });
    checkTargets(targets, (url) => this.#outbound.check(url));
    this.#inner = store;
    this.#context = { store, clock, ids, logger };
    this.#agents = new Map(agents.map((agent) => [agent.name, agent]));
    this.#targets = targets;
    this.#options = { retryMs, pauseAfter, formerSecretMs, pollMs, concurrency, leaseMs: Math.max(options.leaseMs ?? 30_000, timeoutMs + 5_000) };
    this.#worker = `${processName()}/${ids.trace().slice(0, 8)}`;
    const follows = targets.some(({ hosts }) => hosts !== undefined);
    this.store = feedOf(store, follows, {
      checkUrl: (url) => this.#checkUrl(url),
      opened: () => void (this.#isUsed = true),
      committed: (session_id) => this.#look(session_id),
      erasing: (target) => this.#hold(target),
    });
  }

  #checkUrl(url: string): void {
    this.#outbound.check(url);
    if (targetFor(this.#targets, url) !== undefined) return;
    throw new ThroughlineError("outbound.refused", `No webhook of the configuration covers the host ${seen(new URL(url).host)}.`);
  }

  /**
   * Starts to deliver. Further calls have no effect. `through` is the store of a runtime: throws `input.invalid` if it does not note its events. `counted`
   * hears of the end of each delivery.
   */
  async start({ through, counted }: { readonly through?: Pick<Store, "open">; readonly counted?: CountDelivery } = {}): Promise<void> {
    if (this.#loop !== undefined || this.#closing.signal.aborted) return;
    if (through !== undefined) {
      this.#isUsed = false;
      await through.open({ session_id: nobody });
      if (!this.#isUsed)
        throw new ThroughlineError("input.invalid", "The runtime must be given the `store` of the webhooks, which notes what to deliver.");
    }
    this.#counted = counted ?? this.#counted;
    this.#loop = this.#poll();
    this.#stopWatching = await this.#inner.watchErasures(() => void this.#dropErased());
  }

  /** Stops. Requests under way are aborted after `drainMs` milliseconds (5,000 by default), and delivered again by whoever comes next. */
  async close({ drainMs = 5_000 }: { readonly drainMs?: number } = {}): Promise<void> {
    this.#closing.abort(new ThroughlineError("aborted", "The service is stopping."));
    this.#stopWatching?.();
    const over = new AbortController();
    const all = Promise.allSettled([...this.#running.values(), this.#loop])
      .then(() => Promise.allSettled(this.#outlasting))
      .then(() => over.abort());
    await Promise.race([all, this.#context.clock.sleep(drainMs, over.signal).catch(() => {})]);
    for (const { abort } of this.#flights) abort.abort(this.#closing.signal.reason);
    await all;
    this.#outbound.close();
  }

  /** Every target with an address, and those addresses in metadata that have failures or are paused. Of others nothing is kept. */
  async list(): Promise<readonly WebhookStatus[]> {
    const endpoints = await this.#readEndpoints();
    const fixed = this.#targets.flatMap(({ name, url }) =>
      url === undefined || endpoints.has(name) ? [] : [{ name, endpoint: name, host: new URL(url).host, failures: 0 }],
    );
    const known = [...endpoints].flatMap(([endpoint, { target, host, failures, paused }]) =>
      this.#targets.some(({ name, hosts }) => name === target && (hosts === undefined || endpoint !== name))
        ? [{ name: target, endpoint, host, failures, ...present({ paused }) }]
        : [],
    );
    return [...fixed, ...known].toSorted((one, other) => (one.endpoint < other.endpoint ? -1 : 1));
  }

  /** The positions of the targets in a session. */
  async positions(session_id: SessionId): Promise<readonly WebhookPosition[]> {
    const rows = await this.#cursorsOf(session_id);
    return [...rows].map(([target, { data }]) => {
      const { next_offset, attempts, next_at, error } = data as unknown as CursorData;
      return { target, next_offset, attempts, ...present({ next_at, error }) };
    });
  }

  /** A page of dead letters, by target and session. */
  async deadLetters({ target, limit = 100, cursor }: { readonly target?: string; readonly limit?: number; readonly cursor?: string } = {}): Promise<{
    readonly items: readonly DeadLetter[];
    readonly next_cursor: string | null;
    readonly total: number;
  }> {
    const prefix = target === undefined ? {} : { prefix: `${target}/` };
    const page = await this.#inner.list({ of: "records", kind: deadKind, ...prefix, limit, ...present({ cursor }) });
    return { items: page.items.map(toDeadLetter), next_cursor: page.next_cursor, total: page.total };
  }

  /**
   * Delivers a dead letter once more, now, under its first id, and forgets it if that succeeds. Throws `webhook.not_found` if there is none, and
   * `outbound.failed` or `outbound.refused` if it fails again.
   */
  async resend(id: string): Promise<DeadLetter> {
    const row = await findRecord(this.#inner, deadKind, id);
    const data = row?.data as unknown as DeadData | undefined;
    const target = this.#targets.find(({ name }) => name === data?.target);
    if (row === undefined || data === undefined || target === undefined)
      throw new ThroughlineError("webhook.not_found", `There is no dead letter ${seen(id)}.`);
    const { session_id, offset } = data;
    // The configuration may have changed since.
    const url = target.url ?? data.url;
    const session = await this.#inner.open({ session_id });
    const [event] = session === undefined ? [] : await this.#eventsFrom(session, target, offset, offset);
    if (session === undefined || event === undefined) {
      await writeRecords(this.#context, { kind: deadKind, key: id, data: null });
      throw new ThroughlineError("webhook.not_found", `The event of the dead letter ${seen(id)} no longer exists.`);
    }
    const covers = target.hosts === undefined || targetFor(this.#targets, url) === target;
    if (!covers || !takes(target, session))
      throw new ThroughlineError("outbound.refused", `The webhook ${target.name} no longer covers the address or the session of the dead letter.`);
    const error = await this.#send(target, session, event, url);
    if (error?.changed === true) return this.resend(id);
    if (error === undefined) {
      await writeRecords(this.#context, { kind: deadKind, key: id, data: null });
      return toDeadLetter(row);
    }
    await changeRecord(this.#context, { kind: deadKind, key: id }, (current) =>
      current === undefined
        ? undefined
        : {
            session_id,
            data: {
              ...current.data,
              url,
              host: new URL(url).host,
              endpoint: endpointOf(target, url),
              attempts: data.attempts + 1,
              error: error.text,
            },
          },
    );
    throw new ThroughlineError("outbound.failed", `The receiver did not accept the event: ${error.text}.`);
  }

  /** Stops the deliveries to an endpoint until `resume`. Nothing is lost meanwhile. Throws `webhook.not_found`. */
  pause(endpoint: string): Promise<WebhookStatus> {
    return this.#changeEndpoint(endpoint, (data) => ({ ...data, paused: data.paused ?? { at: this.#context.clock.now(), reason: "operator" } }));
  }

  /** Continues the deliveries to an endpoint, in order. Throws `webhook.not_found`. */
  async resume(endpoint: string): Promise<WebhookStatus> {
    const status = await this.#changeEndpoint(endpoint, ({ paused: _paused, ...data }) => ({ ...data, failures: 0 }));
    const resting = [...this.#resting.keys()];
    this.#resting.clear();
    for (const session_id of resting) this.#look(session_id);
    return status;
  }

  /**
   * Makes a new secret for a target whose secrets the database holds, and returns it. The former one signs too, for a day by default. Throws
   * `webhook.not_found`, and `input.invalid` for a target with configured secrets.
   */
  async rotate(name: string): Promise<{ readonly secret: string }> {
    const target = this.#targets.find((one) => one.name === name);
    if (target === undefined) throw new ThroughlineError("webhook.not_found", `There is no webhook ${seen(name)}.`);
    if (target.secrets !== undefined && target.secrets.length > 0)
      throw new ThroughlineError("input.invalid", `The secrets of the webhook ${name} are in the configuration: put a new one first there.`);
    const secret = newSecret();
    const now = this.#context.clock.now();
    const until = now + this.#options.formerSecretMs;
    await changeRecord(this.#context, { kind: secretKind, key: name }, (current) => {
      const former = (current?.data as unknown as SecretData | undefined)?.secrets ?? [];
      const kept = former.filter((one) => (one.until ?? until) > now).map((one) => ({ ...one, until: one.until ?? until }));
      return { data: { secrets: [{ secret }, ...kept] } };
    });
    return { secret };
  }

  // ---- Which sessions

  /** Looks at a session soon. */
  #look(session_id: SessionId): void {
    if (this.#loop === undefined || this.#closing.signal.aborted) return;
    if (this.#running.has(session_id)) {
      this.#again.add(session_id);
      this.#hurry.get(session_id)?.();
      return;
    }
    // An event that is waiting for its next attempt holds the later ones for its target, so a session need not be looked at while all of them rest.
    if (this.#targets.length > 0 && this.#targets.every(({ name }) => this.#restOf(session_id, name) !== undefined)) return;
    this.#queue.add(session_id);
    this.#fill();
  }

  #fill(): void {
    for (const session_id of this.#queue) {
      if (this.#running.size + this.#outlasting.size >= this.#options.concurrency || this.#closing.signal.aborted) return;
      this.#queue.delete(session_id);
      this.#begin(session_id);
    }
  }

  #begin(session_id: SessionId): void {
    const running = this.#pass(session_id)
      .catch((error: unknown) => {
        this.#interrupted(error);
        const until = this.#context.clock.now() + this.#options.pollMs;
        for (const { name } of this.#targets) this.#rest(session_id, name, Math.max(until, this.#restOf(session_id, name) ?? 0));
        return "rest" as const;
      })
      .then((end) => {
        this.#running.delete(session_id);
        const again = this.#again.delete(session_id);
        if (end === "done") this.#resting.delete(session_id);
        if (end === "more") this.#queue.add(session_id);
        else if (again) this.#look(session_id);
        this.#nudge.abort();
        this.#fill();
      });
    this.#running.set(session_id, running);
  }

  /** Until when a target rests in a session; undefined if it does not. */
  #restOf(session_id: SessionId, target: string): number | undefined {
    const until = this.#resting.get(session_id)?.untils.get(target);
    return until !== undefined && until > this.#context.clock.now() ? until : undefined;
  }

  /** Lets a target rest in a session. Its other targets go on. */
  #rest(session_id: SessionId, target: string, until: number): void {
    const rests = this.#resting.get(session_id) ?? { version: 0, untils: new Map<string, number>() };
    rests.untils.set(target, until);
    this.#resting.set(session_id, rests);
  }

  /** Looks for sessions that other processes noted, or that have rested. */
  async #poll(): Promise<void> {
    const { clock, logger } = this.#context;
    const { signal } = this.#closing;
    let nextPoll = clock.now();
    while (!signal.aborted) {
      this.#nudge = new AbortController();
      if (clock.now() >= nextPoll) {
        const rows = await this.#pollOnce().catch((error: unknown) => {
          logger.warn("polling for deliveries failed", { code: ThroughlineError.from(error).code }, error);
          return 0;
        });
        nextPoll = clock.now() + this.#options.pollMs * (1 + rows / 1000);
      }
      const now = clock.now();
      let next = nextPoll;
      for (const [session_id, { untils }] of this.#resting) {
        // A pass that is under way notes its rests itself, and wakes this loop when it ends.
        if (this.#running.has(session_id)) continue;
        const rested = [...untils].filter(([, until]) => until <= now).map(([target]) => target);
        for (const target of rested) untils.delete(target);
        next = Math.min(next, ...untils.values());
        if (rested.length > 0) this.#look(session_id);
      }
      await clock.sleep(Math.max(1, next - now), AbortSignal.any([signal, this.#nudge.signal])).catch(() => {});
    }
  }

  async #pollOnce(): Promise<number> {
    await this.#readEndpoints();
    let rows = 0;
    for await (const { key, version } of itemsOf(this.#inner, { of: "records", kind: dueKind })) {
      if (this.#closing.signal.aborted) break;
      rows += 1;
      // Only the feed writes these records, under the id of their session.
      const session_id = key as SessionId;
      const rests = this.#resting.get(session_id);
      const isKnown = rests !== undefined && rests.untils.size > 0 && rests.version === version;
      if (!isKnown && !this.#running.has(session_id)) this.#look(session_id);
    }
    return rows;
  }

  // ---- One session

  /** Delivers what a session has for its targets, apart from those that rest. Returns whether there is more, or some rest. */
  async #pass(session_id: SessionId): Promise<"more" | "rest" | "done"> {
    if (this.#erasing.has(session_id)) return "done";
    const due = await findRecord(this.#inner, dueKind, session_id);
    const session = due === undefined ? undefined : await this.#inner.open({ session_id });
    if (due === undefined || session === undefined) return "done";
    // Before the positions are read, because a run that has outlasted its pass writes its position when it ends.
    const busy = new Set(this.#active.get(session_id));
    const [cursors, urls] = await Promise.all([this.#cursorsOf(session_id), this.#urlsOf(session)]);
    const targets = session.labels.includes(subagentLabel)
      ? []
      : this.#targets.filter((target) => takes(target, session) && (target.hosts === undefined || urls !== undefined));
    const deliveries = targets.flatMap((target) => (busy.has(target.name) ? [] : [new Delivery(target, session, urls, cursors.get(target.name))]));
    const outcomes = await this.#outcomes(session_id, deliveries);
    if (outcomes === undefined) return "more";
    const drained = outcomes.flatMap((outcome) => (outcome.is === "drained" ? [outcome] : []));
    if (drained.length === targets.length) {
      // Each cursor depends on its version, so that a process that was slower cannot remove the note of a later event.
      const note: RecordChange = { kind: dueKind, key: session_id, depends: { version: due.version }, data: null };
      const removed = await writeRecords(this.#context, note, ...drained.map(({ delivery, last }) => delivery.change(last)));
      if (removed.outcome === "committed") return "done";
    }
    // While another target rests, events that are not for this one are not read again and again.
    for (const outcome of drained) await this.#noteDrained(outcome);
    const rests = this.#resting.get(session_id);
    if (rests !== undefined) rests.version = due.version;
    const isHeld = outcomes.length < targets.length || outcomes.some(({ is }) => is === "rest");
    return outcomes.some(({ is }) => is === "more") || !isHeld ? "more" : "rest";
  }

  /**
   * Runs deliveries of a session. Returns undefined if new events came while some had ended and others had not: these go on alone, so that a slow target
   * does not hold the events of the others.
   */
  async #outcomes(session_id: SessionId, deliveries: readonly Delivery[]): Promise<readonly Outcome[] | undefined> {
    const active = this.#active.get(session_id) ?? new Set<string>();
    if (deliveries.length > 0) this.#active.set(session_id, active);
    const free = (target: string): void => {
      active.delete(target);
      if (active.size === 0) this.#active.delete(session_id);
    };
    const hurried = Promise.withResolvers<undefined>();
    const ended = new Map<Delivery, Outcome>();
    const check = (): void => {
      const isWaiting = ended.size < deliveries.length && [...ended.values()].some(({ is }) => is !== "rest");
      if (isWaiting && this.#again.has(session_id)) hurried.resolve(undefined);
    };
    const runs = deliveries.map(async (delivery): Promise<Outcome> => {
      active.add(delivery.target.name);
      const outcome = await this.#outcome(delivery);
      ended.set(delivery, outcome);
      check();
      return outcome;
    });
    this.#hurry.set(session_id, check);
    const outcomes = await Promise.race([Promise.all(runs), hurried.promise]);
    this.#hurry.delete(session_id);
    for (const [index, delivery] of deliveries.entries()) {
      const { name } = delivery.target;
      const outcome = ended.get(delivery);
      if (outcome === undefined) this.#outlast(session_id, runs[index], () => free(name));
      else {
        if (outcomes === undefined && outcome.is === "drained") await this.#noteDrained(outcome);
        free(name);
      }
    }
    return outcomes;
  }

  /** Ends a run whose pass does not wait for it. Its target is busy until its position is written, which a pass reads. */
  #outlast(session_id: SessionId, run: Promise<Outcome> | undefined, free: () => void): void {
    const noted = async (): Promise<void> => {
      const outcome = await run;
      if (outcome?.is === "drained") await this.#noteDrained(outcome).catch((error: unknown) => this.#interrupted(error));
    };
    const ending = noted().then(() => {
      free();
      this.#outlasting.delete(ending);
      this.#look(session_id);
      this.#fill();
    });
    this.#outlasting.add(ending);
  }

  /** Runs a delivery unless its target rests in the session. */
  async #outcome(delivery: Delivery): Promise<Outcome> {
    const { target, session } = delivery;
    const { session_id } = session;
    const { clock } = this.#context;
    const rest = this.#restOf(session_id, target.name);
    if (rest !== undefined) return { is: "rest", until: rest };
    const outcome = await this.#runs(delivery).catch((error: unknown): Outcome => {
      this.#interrupted(error);
      return { is: "rest", until: clock.now() + this.#options.pollMs };
    });
    // Noted now and not at the end of the pass, so that whoever ends the rest meanwhile has an effect.
    if (outcome.is === "rest") this.#rest(session_id, target.name, outcome.until);
    else this.#resting.get(session_id)?.untils.delete(target.name);
    return outcome;
  }

  /** Writes the position after a drained run, unless that would only save reading a few events again. */
  async #noteDrained({ delivery, last, leased }: Extract<Outcome, { readonly is: "drained" }>): Promise<void> {
    if (leased || last.next_offset - (delivery.data?.next_offset ?? 0) >= mostUnnoted) await this.#write(delivery, last);
  }

  #interrupted(error: unknown): void {
    if (!this.#closing.signal.aborted)
      this.#context.logger.warn("deliveries of a session were interrupted", { code: ThroughlineError.from(error).code }, error);
  }

  /** The addresses that the metadata of the session, or else of its customer, has named; undefined if there never was one. */
  async #urlsOf(session: SessionRow): Promise<Urls | undefined> {
    if (this.#targets.every(({ hosts }) => hosts === undefined)) return undefined;
    const { session_id, owner_id, customer_id } = session;
    const [own, owners] = await Promise.all([
      findRecord(this.#inner, urlKind, session_id),
      customer_id === undefined ? undefined : findRecord(this.#inner, urlKind, ownerUrlKey(owner_id)),
    ]);
    const url = urlIn(session.metadata);
    const bySession = historyIn(own?.data) ?? (url === undefined ? [] : [{ from: 0, url }]);
    const byOwner = historyIn(owners?.data) ?? [];
    return bySession.length + byOwner.length === 0 ? undefined : { bySession, byOwner };
  }

  async #cursorsOf(session_id: SessionId): Promise<ReadonlyMap<string, RecordRow>> {
    const cursors = new Map<string, RecordRow>();
    const prefix = `${session_id}/`;
    for await (const row of itemsOf(this.#inner, { of: "records", kind: cursorKind, prefix })) cursors.set(row.key.slice(prefix.length), row);
    return cursors;
  }

  /** Runs a delivery if its target and its address have a place. The session waits for one otherwise. */
  async #runs(delivery: Delivery): Promise<Outcome> {
    const { target, session } = delivery;
    const places = this.#placesOf(delivery).map(({ key, most }) => {
      const place = this.#busy.get(key) ?? { active: 0, waiting: new Set<SessionId>() };
      this.#busy.set(key, place);
      return { key, most, place };
    });
    const full = places.find(({ place, most }) => place.active >= most);
    if (full !== undefined) {
      full.place.waiting.add(session.session_id);
      return { is: "rest", until: this.#context.clock.now() + restMs };
    }
    for (const { place } of places) place.active += 1;
    try {
      return await this.#run(delivery);
    } finally {
      for (const { key, place } of places) {
        place.active -= 1;
        const [next] = place.waiting;
        if (next !== undefined) {
          place.waiting.delete(next);
          this.#resting.get(next)?.untils.delete(target.name);
          this.#look(next);
        } else if (place.active === 0) this.#busy.delete(key);
      }
    }
  }

  /** What a delivery takes a place of: of a target at most half, and of an address that many sessions may have named at most a quarter. */
  #placesOf({ target, urls }: Delivery): readonly { readonly key: string; readonly most: number }[] {
    const share = (part: number): number => Math.max(1, Math.floor(this.#options.concurrency / part));
    const url = urls?.bySession.at(-1)?.url ?? urls?.byOwner.at(-1)?.url;
    return [
      ...(this.#targets.length > 1 ? [{ key: target.name, most: share(2) }] : []),
      ...(target.hosts === undefined || typeof url !== "string" ? [] : [{ key: endpointOf(target, url), most: share(4) }]),
    ];
  }

  /** Delivers the events of a session to a target, in order, until there are none, one fails, or another process has taken over. */
  async #run(delivery: Delivery): Promise<Outcome> {
    const { clock } = this.#context;
    const { target, session } = delivery;
    const resting = (): Outcome => ({ is: "rest", until: clock.now() + restMs });
    if (target.hosts === undefined && this.#isPaused(target.name)) return resting();
    const now = clock.now();
    const held = delivery.data;
    if (held !== undefined && held.until > now && held.worker !== this.#worker) return { is: "rest", until: held.until };
    if (held?.next_at !== undefined && held.next_at > now) return { is: "rest", until: held.next_at };
    let next = Math.max(held?.next_offset ?? (await this.#firstOf(delivery)), session.first_offset);
    let leased = false;
    for (let sent = 0; ;) {
      const page = await this.#pageFrom(session, target, next);
      for (const event of page.events) {
        const url = delivery.urlOf(event);
        const text = url === undefined ? undefined : textOf({ agents: this.#agents }, this.#readerOf(session, target), event);
        const covering = url === undefined || target.hosts === undefined ? target : targetFor(this.#targets, url);
        if (url === undefined || text === undefined || covering !== target) continue;
        const endpoint = endpointOf(target, url);
        if (this.#isPaused(endpoint)) return this.#leave(delivery, leased, event.offset, resting());
        const lease = {
          next_offset: event.offset,
          attempts: delivery.attemptsOf(event.offset),
          worker: this.#worker,
          until: clock.now() + this.#options.leaseMs,
        };
        if (!leased && !(await this.#write(delivery, lease))) return resting();
        leased = true;
        const failure = await this.#send(target, session, { offset: event.offset, id: event.id, text }, url);
        if (failure?.changed === true) return this.#leave(delivery, leased, event.offset, { is: "more" });
        if (failure !== undefined) return this.#failed(delivery, event, { endpoint, url, ...failure });
        if ((this.#endpoints.get(endpoint)?.failures ?? 0) > 0) await this.#succeeded(endpoint);
        this.#counted("delivered");
        sent += 1;
        if (
          !(await this.#write(delivery, {
            next_offset: event.offset + 1,
            attempts: 0,
            worker: this.#worker,
            until: clock.now() + this.#options.leaseMs,
          }))
        )
          return resting();
        if (this.#closing.signal.aborted || sent >= mostEvents) return this.#leave(delivery, leased, event.offset + 1, { is: "more" });
      }
      next = page.next_offset;
      if (next > page.head) break;
    }
    return { is: "drained", delivery, leased, last: { next_offset: next, attempts: 0, worker: this.#worker, until: 0 } };
  }

  async #leave(delivery: Delivery, leased: boolean, next_offset: number, outcome: Outcome): Promise<Outcome> {
    if (leased) await this.#write(delivery, { next_offset, attempts: delivery.attemptsOf(next_offset), worker: this.#worker, until: 0 });
    return outcome;
  }

  /** Writes a cursor. Returns false if another process has written it, or the session is gone. */
  async #write(delivery: Delivery, data: CursorData, ...also: readonly RecordChange[]): Promise<boolean> {
    const result = await writeRecords(this.#context, delivery.change(data), ...also);
    if (result.outcome === "committed") {
      delivery.written(data);
      return true;
    }
    if (result.reason === "stale_record" || result.reason === "session_missing") return false;
    throw new ThroughlineError("store.failed", `The store rejected a position of a webhook: ${result.reason}.`);
  }

  /** Notes a failed attempt: another one follows later, or the event becomes a dead letter. */
  async #failed(delivery: Delivery, event: Event, failure: Failure & { readonly endpoint: string; readonly url: string }): Promise<Outcome> {
    const { clock, logger } = this.#context;
    const { target, session } = delivery;
    const { endpoint, url, text: error, aborted } = failure;
    const { session_id } = session;
    const { offset } = event;
    const attempts = delivery.attemptsOf(offset) + (aborted ? 0 : 1);
    const free = { next_offset: offset, worker: this.#worker, until: 0 };
    const retryMs = aborted ? 0 : this.#options.retryMs[attempts - 1];
    if (failure.gone) await this.#pauseFor(target, endpoint, url, "gone");
    if (retryMs !== undefined || failure.gone) {
      if (!aborted) this.#counted("failed");
      const next_at = clock.now() + (aborted ? this.#options.pollMs : Math.max(retryMs ?? 0, failure.retryAfterMs ?? 0));
      await this.#write(delivery, { ...free, attempts: failure.gone ? 0 : attempts, ...(aborted ? {} : { next_at, error }) });
      return { is: "rest", until: next_at };
    }
    const at = clock.now();
    const dead: DeadData = { target: target.name, endpoint, url, host: new URL(url).host, session_id, offset, attempts, error, at };
    const key = `${target.name}/${session_id}/${String(offset).padStart(12, "0")}`;
    const written = await this.#write(
      delivery,
      { ...free, next_offset: offset + 1, attempts: 0 },
      { kind: deadKind, key, session_id, data: { ...dead } },
    );
    if (!written) return { is: "rest", until: at + restMs };
    this.#counted("dead");
    logger.warn("an event became a dead letter", { webhook: target.name, session_id, offset, attempts, error });
    const failures = await this.#countFailure(target, endpoint, url);
    if (failures >= this.#options.pauseAfter) await this.#pauseFor(target, endpoint, url, "failures");
    return { is: "more" };
  }

  // ---- One event

  /** Sends an event. Returns why that failed. */
  async #send(target: WebhookTarget, session: SessionRow, { offset, id, text }: Sendable, url: string): Promise<Failure | undefined> {
    const { session_id, owner_id } = session;
    const { clock } = this.#context;
    let changed = false;
    const abort = new AbortController();
    const ended = Promise.withResolvers<void>();
    const flight: Flight = { session_id, owner_id, abort, ended: ended.promise };
    this.#flights.add(flight);
    try {
      const signed = { id: deliveryId(target.name, id), seconds: Math.floor(clock.now() / 1000), body: text };
      const secrets = await this.#secretsOf(target);
      const answer = await this.#outbound.post(url, {
        body: text,
        headers: {
          "content-type": "application/json",
          "user-agent": userAgent,
          "x-session-id": session_id,
          ...signedHeaders(secrets, signed),
        },
        signal: abort.signal,
        // An erasure that began during the look-up wins.
        beforeSend: async () => {
          if (this.#erasing.has(session_id) || this.#erasing.has(owner_id) || (await this.#inner.open({ session_id })) === undefined)
            throw new ThroughlineError("session.not_found");
          // What was redacted or withdrawn since it was read is not sent. Whoever sends it reads it again.
          const [current] = await this.#eventsFrom(session, target, offset, offset);
          changed = current?.text !== text;
          if (changed) throw new ThroughlineError("aborted", "The event has changed.");
        },
      });
      const { status } = answer;
      if (status >= 200 && status < 300) return undefined;
      return { text: String(status), aborted: false, gone: status === 410, ...present({ retryAfterMs: retryAfterOf(answer) }) };
    } catch (error) {
      const { code } = ThroughlineError.from(error);
      const aborted = abort.signal.aborted || code === "session.not_found" || !(code === "outbound.failed" || code === "outbound.refused");
      if (!aborted || code === "session.not_found")
        this.#context.logger.debug("a delivery failed", { webhook: target.name, session_id, offset, code });
      return { text: code, aborted, gone: false, changed };
    } finally {
      this.#flights.delete(flight);
      ended.resolve();
    }
  }

  async #secretsOf({ name, secrets = [] }: WebhookTarget): Promise<readonly string[]> {
    if (secrets.length > 0) return secrets;
    const row =
      (await findRecord(this.#inner, secretKind, name)) ??
      (await changeRecord(this.#context, { kind: secretKind, key: name }, (current) =>
        current === undefined ? { data: { secrets: [{ secret: newSecret() }] } } : undefined,
      ));
    const now = this.#context.clock.now();
    return ((row?.data as unknown as SecretData | undefined)?.secrets ?? [])
      .filter(({ until = Infinity }) => until > now)
      .map(({ secret }) => secret);
  }

  // ---- Reading

  #readerOf({ session_id, agent }: SessionRow, target: WebhookTarget) {
    const principal = principalOf(target);
    return { session_id, agent, principal, kinds: kindsFor(principal, target.kinds) };
  }

  async #pageFrom(
    session: SessionRow,
    target: WebhookTarget,
    minOffset: number,
  ): Promise<{ readonly events: readonly Event[]; readonly next_offset: number; readonly head: number }> {
    const { kinds, session_id } = this.#readerOf(session, target);
    for await (const page of followPages({ store: this.#inner }, session_id, { minOffset, kinds, follow: false })) return page;
    return { events: [], next_offset: minOffset, head: -1 };
  }

  async #eventsFrom(session: SessionRow, target: WebhookTarget, from: number, to: number): Promise<readonly Sendable[]> {
    const reader = this.#readerOf(session, target);
    const filter = { minOffset: Math.max(from, session.first_offset), maxOffset: to, kinds: reader.kinds, follow: false };
    const found: Sendable[] = [];
    for await (const { events } of followPages({ store: this.#inner }, session.session_id, filter))
      for (const event of events) {
        const text = textOf({ agents: this.#agents }, reader, event);
        if (text !== undefined) found.push({ offset: event.offset, id: event.id, text });
      }
    return found;
  }

  /** The first event for a target that has no position: not older than the target, the fork, or the address. */
  async #firstOf({ target, session, urls }: Delivery): Promise<number> {
    const own = session.origin === undefined ? 0 : session.origin.at + 1;
    const from = Math.max(own, session.first_offset);
    const named = target.hosts === undefined ? undefined : urls?.bySession[0]?.from;
    if (named !== undefined && named > 0) return Math.max(from, named);
    const since = await this.#sinceOf(target);
    if (session.created_at >= since) return from;
    // Times rise with offsets, so the first event that is not older is found by halving.
    let [low, high] = [from, session.head + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const page = await this.#inner.read({ session_id: session.session_id, min_offset: middle, limit: 1, withdrawn: true });
      const created_at = page?.events[0]?.created_at;
      if (created_at === undefined || created_at >= since) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Since when a target is known to this database. */
  async #sinceOf({ name, url }: WebhookTarget): Promise<number> {
    const known = this.#endpoints.get(name)?.since;
    if (known !== undefined) return known;
    const host = url === undefined ? "" : new URL(url).host;
    const now = this.#context.clock.now();
    const row = await changeRecord(this.#context, { kind: endpointKind, key: name }, (current) =>
      (current?.data as unknown as EndpointData | undefined)?.since === undefined
        ? { data: { target: name, host, failures: 0, ...current?.data, since: now } }
        : undefined,
    );
    return (row?.data as unknown as EndpointData | undefined)?.since ?? now;
  }

  // ---- Endpoints

  #isPaused(endpoint: string): boolean {
    return this.#endpoints.get(endpoint)?.paused !== undefined;
  }

  async #readEndpoints(): Promise<ReadonlyMap<string, EndpointData>> {
    for (const target of this.#targets) if (this.#endpoints.get(target.name)?.since === undefined) await this.#sinceOf(target);
    const endpoints = new Map<string, EndpointData>();
    for await (const { key, data } of itemsOf(this.#inner, { of: "records", kind: endpointKind }))
      endpoints.set(key, data as unknown as EndpointData);
    // Sessions that rest because of a pause are looked at again when it ends. Those that rest for another reason find that in their positions.
    if ([...this.#endpoints].some(([endpoint, { paused }]) => paused !== undefined && endpoints.get(endpoint)?.paused === undefined))
      this.#resting.clear();
    this.#endpoints = endpoints;
    return endpoints;
  }

  async #updateEndpoint(target: string, endpoint: string, host: string, change: (data: EndpointData) => EndpointData): Promise<EndpointData> {
    let data: EndpointData = { target, host, failures: 0 };
    await changeRecord(this.#context, { kind: endpointKind, key: endpoint }, (current) => {
      data = change((current?.data as unknown as EndpointData | undefined) ?? { target, host, failures: 0 });
      // Of an address that a session has named, nothing is kept but a pause and late failures.
      const isNamed = endpoint !== target && data.paused === undefined;
      if (isNamed && data.failures === 0) return current === undefined ? undefined : { data: null };
      return { data: jsonOf(data), ...(isNamed ? { keep_ms: failuresMs } : {}) };
    });
    this.#endpoints = new Map([...this.#endpoints, [endpoint, data]]);
    return data;
  }

  async #countFailure({ name }: WebhookTarget, endpoint: string, url: string): Promise<number> {
    return (await this.#updateEndpoint(name, endpoint, new URL(url).host, (data) => ({ ...data, failures: data.failures + 1 }))).failures;
  }

  async #succeeded(endpoint: string): Promise<void> {
    const [target = ""] = endpoint.split(":");
    await this.#updateEndpoint(target, endpoint, "", (data) => ({ ...data, failures: 0 }));
  }

  async #pauseFor({ name }: WebhookTarget, endpoint: string, url: string, reason: "failures" | "gone"): Promise<void> {
    const { host } = new URL(url);
    this.#context.logger.warn("a webhook was paused", { webhook: endpoint, host, reason });
    await this.#updateEndpoint(name, endpoint, host, (data) => ({ ...data, paused: data.paused ?? { at: this.#context.clock.now(), reason } }));
  }

  async #changeEndpoint(endpoint: string, change: (data: EndpointData) => EndpointData): Promise<WebhookStatus> {
    const known = (await this.list()).find((one) => one.endpoint === endpoint);
    if (known === undefined) throw new ThroughlineError("webhook.not_found", `There is no webhook ${seen(endpoint)}.`);
    const { name, host } = known;
    const { failures, paused } = await this.#updateEndpoint(name, endpoint, host, change);
    return { name, endpoint, host, failures, ...present({ paused }) };
  }

  // ---- Erasure

  /** Stops the deliveries of a session or an owner, and waits until none is under way. Returns what ends this. */
  async #hold(target: Parameters<Store["erase"]>[0]): Promise<() => void> {
    const id = "session_id" in target ? target.session_id : target.owner_id;
    this.#erasing.add(id);
    const flights = [...this.#flights].filter(({ session_id, owner_id }) => session_id === id || owner_id === id);
    for (const { abort } of flights) abort.abort(new ThroughlineError("session.not_found"));
    await Promise.all(flights.map(({ ended }) => ended));
    return () => this.#erasing.delete(id);
  }

  /** Aborts requests about sessions that another process has erased. */
  async #dropErased(): Promise<void> {
    for (const { session_id, abort } of this.#flights) {
      const session = await this.#inner.open({ session_id }).catch(() => "unknown" as const);
      if (session === undefined) abort.abort(new ThroughlineError("session.not_found"));
    }
  }
}

/** The addresses that a session and its customer have named. */
interface Urls {
  readonly bySession: readonly UrlSince[];
  readonly byOwner: readonly UrlSince[];
}

/** An event, as it is sent. */
interface Sendable {
  readonly offset: number;
  readonly id: string;
  readonly text: string;
}

/**
 * Why an attempt failed. `aborted`: it does not count, because the receiver has no part in it. `gone`: the receiver wants no more. `changed`: nothing
 * was sent, because the event is no longer what was read.
 */
interface Failure {
  readonly text: string;
  readonly aborted: boolean;
  readonly gone: boolean;
  readonly changed?: boolean;
  readonly retryAfterMs?: number;
}

/** What one run delivers, and its cursor. */
class Delivery {
  readonly target: WebhookTarget;
  readonly session: SessionRow;
  readonly urls: Urls | undefined;
  #version: number;
  #data: CursorData | undefined;

  constructor(target: WebhookTarget, session: SessionRow, urls: Urls | undefined, cursor: RecordRow | undefined) {
    this.target = target;
    this.session = session;
    this.urls = urls;
    this.#version = cursor?.version ?? 0;
    this.#data = cursor?.data as unknown as CursorData | undefined;
  }

  get data(): CursorData | undefined {
    return this.#data;
  }

  /** The failed attempts of the event at an offset. */
  attemptsOf(offset: number): number {
    return this.#data?.next_offset === offset ? this.#data.attempts : 0;
  }

  /** The address for an event. That of the session precedes that of its customer. */
  urlOf({ offset, created_at }: Event): string | undefined {
    if (this.target.url !== undefined) return this.target.url;
    if (this.urls === undefined) return undefined;
    return urlAt(this.urls.bySession, offset) ?? urlAt(this.urls.byOwner, created_at);
  }

  change(data: CursorData): RecordChange {
    const { session_id } = this.session;
    return { kind: cursorKind, key: `${session_id}/${this.target.name}`, session_id, depends: { version: this.#version }, data: { ...data } };
  }

  written(data: CursorData): void {
    this.#version += 1;
    this.#data = data;
  }
}

function toDeadLetter({ key, data }: RecordRow): DeadLetter {
  // Only `#failed` writes these records.
  const { endpoint: _endpoint, url: _url, ...letter } = data as unknown as DeadData;
  return { id: key, ...letter };
}
