/** Traces of turns for OpenTelemetry, as an extension: it observes turns through the port and changes nothing in them. */
import type { Attributes, Context, Link, Span, SpanContext, TracerProvider } from "@opentelemetry/api";
import { addUsage, noUsage } from "../execution/ledger.ts";
import { itemsOf } from "../extension/lists.ts";
import {
  type AcceptBeside,
  type Accepting,
  defineExtension,
  type Extension,
  type ExtensionContext,
  type ExtensionTurn,
  type FinishBeside,
  type ObservedWork,
  type WorkEnd,
} from "../extension/port.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type JsonObject, present } from "../kernel/json.ts";
import { setRecent } from "../kernel/recent.ts";
import type { Usage } from "../model/model-port.ts";
import type { Claim, RecordChange } from "../store/port.ts";
import { loadOtelApi, type OtelApi } from "./otel-api.ts";
import { endOf, errorTypeOf, groupOf, nameOf, type Recorded, sessionKeyOf, startOf, usageOf } from "./span-names.ts";

/** Options of `telemetry`. */
export interface TelemetryOptions {
  /** Creates the spans. Default: the provider that an SDK has registered. */
  readonly tracerProvider?: { getTracer(name: string, version?: string): object };
  /** Names of session metadata whose values are recorded as `throughline.metadata.…`. Default: none. `session_key` always names the traces. */
  readonly metadata?: readonly string[];
  /** Whether spans hold what people and models wrote: messages, arguments, results, values of variables. Default: false. */
  readonly content?: boolean;
}

/** Kind of the records that connect the spans of a turn across processes. They hold span ids and the session's key, and are removed when the turn ends. */
const recordKind = "telemetry";
/** Milliseconds that a record stays if its turn does not end here. */
const recordMs = 7 * 24 * 60 * 60 * 1000;
/** Maximum number of spans that a process remembers to continue. */
const mostKept = 10_000;

/** A span of an earlier point of a turn, in this or another process. */
interface Origin {
  /** Key of its record. */
  readonly place: string;
  readonly span: SpanContext;
  readonly key: string | undefined;
}

/** A running turn. */
interface Traced {
  readonly span: Span;
  /** The context with the innermost span of the turn that all its work belongs to. */
  context: Context;
  /** The contexts of the visits that go on, that of the lowest routine first. */
  readonly visits: Set<Context>;
  key: string | undefined;
  /** Keys of the records to remove. */
  readonly records: Set<string>;
  /** Whether a record names the first span of the turn. */
  readonly resumed: boolean;
  usage: Usage | undefined;
}

/**
 * Creates the extension that records turns as OpenTelemetry spans: turn, agent, stages, model calls, tools, retrieval and guardrails. Throws
 * `package.missing` without the package `@opentelemetry/api`, and `input.invalid` for an invalid option.
 * @example createRuntime({ agents: [agent], extensions: [await telemetry({ metadata: ["tenant"] })] })
 */
export async function telemetry(options: TelemetryOptions = {}): Promise<Extension> {
  const recorded = checked(options);
  const { tracerProvider } = options;
  return createTelemetry(await loadOtelApi(), recorded, isProvider(tracerProvider) ? tracerProvider : undefined);
}

const isProvider = (given: unknown): given is TracerProvider =>
  typeof given === "object" && given !== null && "getTracer" in given && typeof given.getTracer === "function";

const optionNames = Object.keys({ tracerProvider: true, metadata: true, content: true } satisfies Record<keyof TelemetryOptions, true>);

function checked(options: TelemetryOptions): Recorded {
  const wrong = (message: string): ThroughlineError => new ThroughlineError("input.invalid", message);
  if (!isPlainObject(options)) throw wrong(`telemetry takes one object of options, got ${seen(options)}.`);
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) throw wrong(`telemetry has no option "${unknown}"; it has ${optionNames.join(", ")}.`);
  const { metadata = [], content = false, tracerProvider } = options;
  if (!Array.isArray(metadata) || !metadata.every((name) => typeof name === "string"))
    throw wrong(`telemetry's metadata is a list of names, got ${seen(metadata)}.`);
  if (typeof content !== "boolean") throw wrong(`telemetry's content is true or false, got ${seen(content)}.`);
  if (tracerProvider !== undefined && !isProvider(tracerProvider))
    throw wrong(`telemetry's tracerProvider is a TracerProvider of OpenTelemetry, got ${seen(tracerProvider)}.`);
  return { metadata: [...metadata], content };
}

/** Creates the extension on an OpenTelemetry API. */
function createTelemetry(otel: OtelApi, recorded: Recorded, provider: TracerProvider | undefined): Extension {
  const { context: contexts, trace, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, isSpanContextValid } = otel;
  // The global provider is asked at each span, since an SDK may be started after the runtime.
  const tracer = () => (provider ?? trace.getTracerProvider()).getTracer("throughline");
  const keyInContext = otel.createContextKey("throughline.session_key");
  /** Spans that accepted the messages of a turn, oldest first, and the first span of a turn, by the place of the turn. */
  const origins = new WeakMap<ExtensionContext, Map<string, readonly Origin[]>>();
  const running = new WeakMap<Claim, Traced>();

  const originsOf = (runtime: ExtensionContext): Map<string, readonly Origin[]> => {
    const known = origins.get(runtime) ?? new Map<string, readonly Origin[]>();
    origins.set(runtime, known);
    return known;
  };

  /** Records which span a message belongs to, so that the turn that answers it continues the trace in any process. */
  function acceptedBeside(accepting: Accepting, spans: { made?: SpanContext }): AcceptBeside | undefined {
    if (!accepting.answered) return undefined;
    const { context: runtime, loaded, session_id, trace_id, traceparent } = accepting;
    const key = sessionKeyOf(loaded.session.metadata);
    const active = trace.getSpanContext(contexts.active());
    const span = isValid(active) ? active : (remoteOf(traceparent) ?? (spans.made ??= acceptSpan(loaded.session.agent, session_id, key)));
    if (!isSpanContextValid(span)) return undefined;
    // A message that joins a queued turn gets the trace id of that turn.
    const of = placeOf(session_id, loaded.turns.find(({ status }) => status === "queued")?.trace_id ?? trace_id);
    const origin = { place: `${of}/${trace_id}`, span, key };
    const others = (originsOf(runtime).get(of) ?? []).filter(({ place }) => place !== origin.place);
    setRecent(originsOf(runtime), of, [...others, origin], mostKept);
    return { records: [recordOf(session_id, origin)] };
  }

  const isValid = (span: SpanContext | undefined): span is SpanContext => span !== undefined && isSpanContextValid(span);

  /** Starts the trace of a message that no other span brought. */
  function acceptSpan(agent: string, session_id: string, key: string | undefined): SpanContext {
    const attributes = { ...groupOf(session_id, key), "gen_ai.agent.name": agent };
    const span = tracer().startSpan(key ?? `accept ${agent}`, { kind: SpanKind.PRODUCER, attributes }, ROOT_CONTEXT);
    span.end();
    return span.spanContext();
  }

  /** Returns the spans that a turn continues: those of its messages, and that of its first attempt. Reads the store only if another process may have them. */
  async function continued({
    context: runtime,
    claim,
  }: Extract<ObservedWork, { kind: "turn" }>): Promise<{ readonly messages: readonly Origin[]; readonly first?: Origin | undefined }> {
    const { session_id, turn } = claim;
    const known = originsOf(runtime);
    const { accepted, begun: began } = placesOf(claim);
    const here = { messages: known.get(accepted) ?? [], first: known.get(began)?.[0] };
    const isResumed = turn.attempts > 1 || turn.started_offset !== undefined;
    const isKnown = isResumed ? here.first !== undefined : here.messages.length > 0 || turn.cause !== "message";
    if (isKnown) return here;
    try {
      const stored: Origin[] = [];
      for await (const { key, data } of itemsOf(runtime.store, { of: "records", kind: recordKind, session_id }, () => {})) {
        const origin = originOf(key, data);
        if (origin !== undefined) stored.push(origin);
      }
      const messages = here.messages.length > 0 ? here.messages : stored.filter(({ place }) => place.startsWith(`${accepted}/`));
      return { messages, first: here.first ?? stored.find(({ place }) => place === began) };
    } catch (error) {
      runtime.logger.warn("the trace of a turn was not read", { session_id, turn_id: turn.turn_id, code: ThroughlineError.from(error).code }, error);
      return here;
    }
  }

  function originOf(place: string, { traceparent, key }: JsonObject): Origin | undefined {
    const span = typeof traceparent === "string" ? remoteOf(traceparent) : undefined;
    return span === undefined ? undefined : { place, span, key: typeof key === "string" ? key : undefined };
  }

  async function observeTurn(work: Extract<ObservedWork, { kind: "turn" }>, next: () => Promise<WorkEnd>): Promise<void> {
    const { claim, context: runtime, awaited } = work;
    const { session_id, turn } = claim;
    const { messages, first } = await continued(work);
    // It continues the trace of the message that queued it, and links to those of the others.
    const by = messages.find(({ place }) => place.endsWith(`/${turn.trace_id}`)) ?? messages[0];
    // The turn of a child agent runs within the call of its parent. No other turn belongs to what is active where it happens to run.
    const active = contexts.active();
    const inherited = awaited && isValid(trace.getSpanContext(active)) ? active : undefined;
    const parent = inherited ?? (by === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, by.span));
    const isResumed = first !== undefined || turn.attempts > 1 || turn.started_offset !== undefined;
    const before = isResumed ? (first ?? by) : undefined;
    const linkTo = (origin: Origin, why: string): Link => ({ context: origin.span, attributes: { "throughline.link": why } });
    const links = [
      ...(before === undefined ? [] : [linkTo(before, "resumed")]),
      ...messages.filter((one) => one !== by).map((one) => linkTo(one, "answers")),
    ];
    const outer = inherited?.getValue(keyInContext);
    const key = by?.key ?? (typeof outer === "string" ? outer : undefined);
    const attributes = { ...startOf(work, recorded), ...groupOf(session_id, key) };
    const span = tracer().startSpan(key ?? nameOf(work), { kind: SpanKind.INTERNAL, attributes, links }, parent);
    const within = trace.setSpan(key === undefined ? parent : parent.setValue(keyInContext, key), span);
    const places = placesOf(claim);
    const records = new Set(messages.map(({ place }) => place));
    const traced: Traced = { span, context: within, visits: new Set(), key, records, resumed: first !== undefined, usage: undefined };
    running.set(claim, traced);
    if (first === undefined && isSpanContextValid(span.spanContext()))
      setRecent(originsOf(runtime), places.begun, [{ place: places.begun, span: span.spanContext(), key }], mostKept);
    try {
      const end = await contexts.with(within, next);
      close(span, work, end, traced.usage);
      if (end.outcome !== undefined && end.outcome.status !== "paused" && end.outcome.status !== "waiting") {
        originsOf(runtime).delete(places.accepted);
        originsOf(runtime).delete(places.begun);
      }
    } finally {
      span.end();
    }
  }

  /** Names the trace once the session is known, and records the first span of the turn with its first commit. */
  function begun(turn: ExtensionTurn, traced: Traced): void {
    const { session_id } = turn.claim;
    const place = placesOf(turn.claim).begun;
    traced.key = sessionKeyOf(turn.loaded.session.metadata) ?? traced.key;
    traced.span.updateName(traced.key ?? `turn ${turn.agent.name}`);
    traced.span.setAttributes({ ...groupOf(session_id, traced.key), "gen_ai.agent.name": turn.agent.name });
    if (traced.key !== undefined) traced.context = traced.context.setValue(keyInContext, traced.key);
    if (!isSpanContextValid(traced.span.spanContext())) return;
    if (!traced.resumed) turn.journal.keep(recordOf(session_id, { place, span: traced.span.spanContext(), key: traced.key }));
    traced.records.add(place);
  }

  async function observeWork(work: Exclude<ObservedWork, { kind: "turn" }>, next: () => Promise<WorkEnd>): Promise<void> {
    const claim = "turn" in work ? work.turn.claim : work.claim;
    const traced = running.get(claim);
    if (work.kind === "answer" && traced !== undefined) begun(work.turn, traced);
    // Without an asynchronous context, the turn's own span is the parent.
    const active = contexts.active();
    const direct = isValid(trace.getSpanContext(active)) && work.kind !== "answer" ? active : (traced?.context ?? active);
    const parent = traced === undefined ? direct : (visitAround(work, traced, direct) ?? direct);
    const attributes = { ...startOf(work, recorded), ...groupOf(claim.session_id, traced?.key) };
    const span = tracer().startSpan(nameOf(work), { kind: work.kind === "model" ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes }, parent);
    const within = trace.setSpan(parent, span);
    if (work.kind === "answer" && traced !== undefined) traced.context = within;
    if (work.kind === "node") traced?.visits.add(within);
    if (work.kind === "model" || work.kind === "tool") propagation.inject(within, work.headers);
    try {
      const end = await contexts.with(within, next);
      if (end.usage !== undefined && traced !== undefined) traced.usage = addUsage(traced.usage ?? noUsage, end.usage);
      close(span, work, end, work.kind === "answer" ? traced?.usage : undefined);
    } finally {
      traced?.visits.delete(within);
      span.end();
    }
  }

  /** Returns the context of the visit in which the reply calls a model or a tool. A visit runs beside the reply, so the reply does not inherit it. */
  function visitAround({ kind }: ObservedWork, { context: answer, visits }: Traced, direct: Context): Context | undefined {
    const isCall = kind === "model" || kind === "tool";
    return isCall && trace.getSpan(direct) === trace.getSpan(answer) ? [...visits].at(-1) : undefined;
  }

  function close(span: Span, work: ObservedWork, end: WorkEnd, usage: Usage | undefined): void {
    const attributes: Attributes = { ...endOf(work, end, recorded), ...(usage === undefined ? {} : usageOf(usage)) };
    span.setAttributes(attributes);
    // Without the message, which may quote a user.
    if (errorTypeOf(end) !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  }

  return defineExtension({
    name: "telemetry",
    accept: ({ kind }) => {
      if (kind !== "message") return undefined;
      const spans = {};
      return { urgent: false, answerMs: 0, beside: (accepting) => Promise.resolve(acceptedBeside(accepting, spans)) };
    },
    observe: (work, next) => (work.kind === "turn" ? observeTurn(work, next) : observeWork(work, next)),
    finish: (turn) => Promise.resolve(withoutRecords(turn, running.get(turn.claim))),
  });
}

/** Key of a record: what it is about, within a session. A child agent's turn has the trace id of its parent's. */
const placeOf = (session_id: string, id: string): string => `${session_id}/${id}`;

const placesOf = ({ session_id, turn }: Claim): { readonly accepted: string; readonly begun: string } => ({
  accepted: placeOf(session_id, turn.trace_id),
  begun: placeOf(session_id, turn.turn_id),
});

const recordOf = (session_id: Claim["session_id"], { place, span, key: name }: Origin): RecordChange => ({
  kind: recordKind,
  key: place,
  session_id,
  data: { traceparent: traceparentOf(span), ...present({ key: name }) },
  keep_ms: recordMs,
});

/** Removes the records of a turn with its last commit. */
const withoutRecords = ({ claim: { session_id } }: ExtensionTurn, traced: Traced | undefined): FinishBeside | undefined =>
  traced === undefined || traced.records.size === 0
    ? undefined
    : { records: [...traced.records].map((key) => ({ kind: recordKind, key, session_id, data: null })) };

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, "0")}`;

/** Returns the span of a `traceparent`, as one of another process. */
function remoteOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
