/** The routes of a chat: sending, regenerating, deciding, resuming, stopping and the history, as one handler from `Request` to `Response`. */
import { createHash } from "node:crypto";
import { type Event, type EventOf, type SendOptions, type Session, systemClock, ThroughlineError } from "throughline";
import type { ErrorKind } from "throughline/kernel";
import { approvalOf, type ChatTools, isDecidable, replyIdOf } from "./chat-chunks.ts";
import { loadUIMessages, messageIdOf, metadataOf, startOf } from "./chat-history.ts";
import { replyResponse, toUIMessageStreamResponse, usualText } from "./chat-stream.ts";

/** The session of a chat, and who is there. */
export interface OpenedChat {
  readonly session: Pick<
    Session,
    "stream" | "follow" | "events" | "event" | "turns" | "pending" | "info" | "state" | "stop" | "decide" | "withdraw" | "post"
  >;
  /** Values that go with a sent message, such as `input`. */
  readonly send?: Pick<SendOptions, "input" | "start" | "traceId">;
  /** Who decides about calls, for the log. At most 200 characters. */
  readonly by?: string;
}

/** Options of the handler. */
export interface ChatHandlerOptions extends ChatTools {
  /**
   * Authenticates the request and returns the session of a chat id, which is the browser's word. Undefined: there is none for this user. Open the session
   * under the user that you have authenticated (`customer`, with the chat id as `key`), so that one user's id never opens another's session.
   */
  readonly open: (request: Request, id: string) => Promise<OpenedChat | undefined>;
  /** Receives an error and returns the text for the customer. Default: reports the error to stderr as the runtime does, and returns a general sentence. */
  readonly onError?: (error: unknown) => string;
  /** How many of the last turns the history has: 1 to 100, 50 by default. */
  readonly turns?: number;
}

/** Milliseconds after its end in which a turn is streamed to a page that asks what is running, because the page may have missed the end. */
const recentMs = 60_000;

/**
 * Returns the handler of these routes, below any path:
 *
 * - `POST …` what `useChat` sends: a message, an edited message, a regeneration, or decisions about calls. Answers with a UI message stream.
 * - `GET …/{id}/stream` what `useChat` resumes: the stream of the running turn, or 204. With `?after=<turn_id>`, the last turn that the page has whole,
 *   also of a turn that has ended since.
 * - `GET …/{id}/messages` the history: `{ messages, state: { offset, document } }`, with the public fields of the state.
 * - `POST …/{id}/stop` stops the turn.
 *
 * Of the browser's messages only the last one is read. Everything else comes from the log.
 */
export function chatHandler(options: ChatHandlerOptions): (request: Request) => Promise<Response> {
  const { onError = usualText } = options;
  return async (request) => {
    try {
      return await route({ ...options, onError }, request);
    } catch (error) {
      const known = ThroughlineError.is(error) ? error : undefined;
      // A gate answers a person in danger although it refuses the message.
      if (typeof known?.details["reply"] === "string") return replyResponse(known.details["reply"]);
      return new Response(onError(error), { status: statuses[known?.kind ?? "internal"], headers: { "content-type": "text/plain; charset=utf-8" } });
    }
  };
}

const statuses: Readonly<Record<ErrorKind, number>> = { invalid: 400, not_found: 404, conflict: 409, unavailable: 503, corrupt: 500, internal: 500 };

type Options = ChatHandlerOptions & Required<Pick<ChatHandlerOptions, "onError">>;

async function route(options: Options, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const [, encoded, what] = /\/([^/]+)\/(stream|stop|messages)\/?$/.exec(pathname) ?? [];
  if (encoded === undefined || request.method === "POST") {
    if (what === "stop" && encoded !== undefined) return stop(await opened(options, request, decoded(encoded)));
    return request.method === "POST" ? post(options, request) : new Response(null, { status: 405, headers: { allow: "POST" } });
  }
  if (request.method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
  const { session } = await opened(options, request, decoded(encoded));
  if (what === "stream") return resume(options, request, session, searchParams.get("after") ?? undefined);
  const { offset, document } = await session.state({ view: "public" });
  return Response.json({ messages: await loadUIMessages(session, options), state: { offset, document } });
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw invalid("The chat's id is not encoded.");
  }
}

const invalid = (message: string): ThroughlineError => new ThroughlineError("input.invalid", message);
const conflict = (message: string): ThroughlineError => new ThroughlineError("session.conflict", message);

async function opened({ open }: Options, request: Request, id: string): Promise<OpenedChat> {
  if (id === "" || id.length > 200) throw invalid("A chat's id has 1 to 200 characters.");
  const chat = await open(request, id);
  if (chat === undefined) throw new ThroughlineError("session.not_found");
  return chat;
}

async function stop({ session }: OpenedChat): Promise<Response> {
  await session.stop();
  return new Response(null, { status: 204 });
}

/** Streams the turn that a page has not seen whole. */
async function resume(options: Options, request: Request, session: OpenedChat["session"], after: string | undefined): Promise<Response> {
  const { signal } = request;
  const follow = (of: number | string): Response => toUIMessageStreamResponse(session.follow(of, { signal }), options);
  const { items } = await session.turns({ limit: 2 });
  // A queued turn has no text yet. The one before it may have.
  const turn = items.find(({ status, started_offset }) => status === "running" && started_offset !== undefined) ?? items[0];
  if (turn === undefined) return new Response(null, { status: 204 });
  const { turn_id, ended_offset, answers } = turn;
  const { turns, waiting, calls } = await session.pending();
  const isOpen = turns.some((one) => one.turn_id === turn_id);
  const isPaused = calls.some((call) => call.turn_id === turn_id);
  if (after === undefined ? isPaused || (!isOpen && !(await isRecent(session, ended_offset))) : after === turn_id && (!isOpen || isPaused))
    return new Response(null, { status: 204 });
  const message = answers?.at(-1) ?? waiting.at(-1);
  if (message !== undefined) return follow(message);
  return turn.started_offset === undefined ? new Response(null, { status: 204 }) : follow(turn_id);
}

async function isRecent(session: OpenedChat["session"], ended_offset: number | undefined): Promise<boolean> {
  if (ended_offset === undefined) return false;
  const event = await session.event(ended_offset).catch((error: unknown) => {
    if (ThroughlineError.is(error, "event.not_found")) return undefined;
    throw error;
  });
  return event !== undefined && systemClock.now() - event.created_at < recentMs;
}

interface Sent {
  readonly id: string;
  readonly trigger: "submit-message" | "regenerate-message";
  readonly messageId: string | undefined;
  /** The last message of the browser. */
  readonly last: { readonly id: string; readonly role: unknown; readonly parts: readonly Readonly<Record<string, unknown>>[] } | undefined;
}

async function post(options: Options, request: Request): Promise<Response> {
  const sent = await sentIn(request);
  const chat = await opened(options, request, sent.id);
  const { signal } = request;
  const { session, send = {} } = chat;
  if (sent.last?.role === "assistant" && sent.trigger === "submit-message") return decide(options, request, chat, sent.last);
  if (sent.trigger === "regenerate-message" || sent.messageId !== undefined) {
    const again = await rewind(session, sent);
    if (again !== undefined) {
      const { text, restore, ...about } = again;
      return stream(options, session.stream(text, { ...send, ...about, signal }), restore);
    }
  }
  if (sent.last === undefined) throw invalid("A request has the message that is sent.");
  const { id } = sent.last;
  // The same message of the page, sent again, is the same message of the log.
  const about = /^[^\s]{1,200}$/.test(id) ? { metadata: metadataOf(id), idempotencyKey: `ui ${id}` } : {};
  return stream(options, session.stream(textIn(sent.last), { ...send, ...about, signal }));
}

/** Answers with the stream once the message is accepted, so that a refusal has a status of its own. */
async function stream(options: Options, turn: ReturnType<Session["stream"]>, refused?: (error: unknown) => Promise<void>): Promise<Response> {
  // A gate replies although the store failed: the result has the reply.
  await turn.accepted.catch((error: unknown) =>
    turn.result.catch(async () => {
      await refused?.(error);
      throw error;
    }),
  );
  return toUIMessageStreamResponse(turn, options);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null && !Array.isArray(value);

async function sentIn(request: Request): Promise<Sent> {
  if (!/^application\/json\b/.test(request.headers.get("content-type") ?? "")) throw invalid("A chat request is JSON.");
  const body: unknown = await request.json().catch(() => undefined);
  if (!isRecord(body) || typeof body["id"] !== "string") throw invalid("A chat request has the id of its chat.");
  const { id, trigger = "submit-message", messageId, messages } = body;
  if (trigger !== "submit-message" && trigger !== "regenerate-message") throw invalid("A chat request submits a message or regenerates one.");
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return { id, trigger, messageId: typeof messageId === "string" ? messageId : undefined, last: last === undefined ? undefined : messageIn(last) };
}

function messageIn(value: unknown): NonNullable<Sent["last"]> {
  if (!isRecord(value) || typeof value["id"] !== "string" || !Array.isArray(value["parts"])) throw invalid("A message has an id and parts.");
  return { id: value["id"], role: value["role"], parts: value["parts"].filter(isRecord) };
}

function textIn({ role, parts }: NonNullable<Sent["last"]>): string {
  if (role !== "user") throw invalid("A browser sends messages of its user.");
  const texts = parts.map(({ type, text }) => (type === "text" && typeof text === "string" ? text : undefined));
  if (texts.includes(undefined)) throw invalid("A message of a browser has text only.");
  return texts.join("\n");
}

/** Records the decisions of the browser's user and continues the message from there. */
async function decide(options: Options, request: Request, { session, by }: OpenedChat, { parts }: NonNullable<Sent["last"]>): Promise<Response> {
  const { calls } = await session.pending();
  let decided: { readonly offset: number; readonly turn_id: string } | undefined;
  for (const part of parts) {
    const { approval } = part;
    if (part["state"] !== "approval-responded" || !isRecord(approval) || typeof approval["id"] !== "string") continue;
    const reviewed = approvalOf(approval["id"]);
    if (reviewed === undefined) throw invalid("The id of an approval comes from the stream.");
    const call = calls.find(({ call_id, index }) => call_id === reviewed.call_id && index === reviewed.index);
    if (call === undefined) continue;
    if (!isDecidable(options, call.name))
      throw new ThroughlineError("approval.not_pending", "The browser's user does not decide calls of this tool.");
    const reason = typeof approval["reason"] === "string" ? approval["reason"] : undefined;
    decided = await session.decide({
      ...reviewed,
      ...decisionOf(call.kind, approval["approved"] === true, reason),
      ...(by === undefined ? {} : { by }),
    });
  }
  if (decided === undefined) throw new ThroughlineError("approval.not_pending", "No call of the message waits for a decision.");
  const { offset, turn_id } = decided;
  const { items } = await session.turns({ limit: 20 });
  const message = items.find((turn) => turn.turn_id === turn_id)?.answers?.at(-1);
  return toUIMessageStreamResponse(session.follow(message ?? turn_id, { signal: request.signal }), { ...options, after: offset });
}

/** A question is answered with the text that the user gave, or with yes. */
function decisionOf(
  kind: string,
  approved: boolean,
  reason: string | undefined,
): Pick<Parameters<Session["decide"]>[0], "decision" | "answer" | "feedback"> {
  if (!approved) return { decision: "reject", ...(reason === undefined ? {} : { feedback: reason }) };
  return kind === "question" ? { decision: "answer", answer: reason ?? true } : { decision: "approve" };
}

/** What is sent in place of a withdrawn message. */
interface Again extends Pick<SendOptions, "metadata" | "idempotencyKey"> {
  readonly text: string;
  /** Posts the withdrawn message again, because the one in its place was refused. */
  readonly restore: (error: unknown) => Promise<void>;
}

/**
 * Withdraws a message with everything after it, and returns what to send in its place. Undefined if the page's message never arrived, so that there is
 * nothing to withdraw. Everything that can be refused is refused before the withdrawal.
 */
async function rewind(session: OpenedChat["session"], sent: Sent): Promise<Again | undefined> {
  let plan = await replacement(session, sent);
  if (plan === undefined) return undefined;
  // A running turn could call a tool between the check and the withdrawal. A turn that was stopped calls none, so the check after it holds.
  if (await stopOpen(session)) plan = await replacement(session, sent);
  if (plan === undefined) return undefined;
  const { message, first, together, text } = plan;
  // The same replacement, asked for twice, withdraws once and is sent once.
  const key = `ui again ${message.offset} ${createHash("sha256").update(text).digest("base64url")}`;
  const restore = async (error: unknown): Promise<void> => {
    // The replacement may be in the log.
    if (ThroughlineError.is(error) && (error.code === "session.idempotency_mismatch" || error.details["outcome"] === "unknown")) return;
    try {
      await session.post(textOfEvent(message), { ...valuesIn(message), idempotencyKey: `${key} restored` });
    } catch {
      // The caller throws the first error, which says why.
    }
  };
  await session.withdraw({ from: first, idempotencyKey: `${key} withdrawn` });
  try {
    // Messages that were answered together with it keep their place.
    for (const one of together) await session.post(textOfEvent(one), { ...valuesIn(one), idempotencyKey: `${key} with ${one.offset}` });
  } catch (error) {
    await restore(error);
    throw error;
  }
  return { text, ...metadataIn(message), idempotencyKey: key, restore };
}

interface Replacement {
  readonly message: EventOf<"message">;
  /** Where the withdrawal starts. */
  readonly first: number;
  /** Earlier messages that the same turn answered. */
  readonly together: readonly EventOf<"message">[];
  readonly text: string;
}

/** Returns what a request replaces. Throws if it is not the browser's to withdraw, or if what takes its place is refused. */
async function replacement(session: OpenedChat["session"], sent: Sent): Promise<Replacement | undefined> {
  const messages: EventOf<"message">[] = [];
  const minOffset = await startOf(session, 100);
  const from = minOffset === undefined ? {} : { minOffset };
  for await (const event of session.events({ ...from, kinds: ["message"], source: "customer", follow: false }))
    if (event.kind === "message") messages.push(event);
  const isAgain = sent.trigger === "regenerate-message";
  const id = isAgain && sent.last?.role === "user" ? sent.last.id : sent.messageId;
  const message = id === undefined ? messages.at(-1) : messages.find((one) => messageIdOf(one) === id || replyIdOf(one.offset) === id);
  if (message === undefined && isAgain && sent.last !== undefined) return undefined;
  if (message === undefined) throw conflict("The message is not among the last ones of the session.");
  const text = isAgain || sent.last === undefined ? textOfEvent(message) : textIn(sent.last);
  if (text.trim() === "" || text.length > textLimit) throw invalid(`A message has 1 to ${textLimit} characters and is not blank.`);
  if ((await session.info()).mode === "manual") throw conflict("An operator handles the session. Its messages are not withdrawn.");
  const { offset } = message;
  const turns = (await session.turns({ limit: 100 })).items;
  const answered = turns.flatMap(({ answers = [] }) => (answers.includes(offset) ? answers : []));
  const first = Math.min(offset, ...answered);
  for await (const event of session.events({ minOffset: first, kinds: ["tool", "message", "custom"], follow: false })) checkOwn(event);
  return { message, first, together: messages.filter((one) => one.offset >= first && one.offset < offset), text };
}

/** Throws for an event that the browser does not withdraw: a call with effects, and what others than the customer and the agent wrote. */
function checkOwn({ kind, data, source, turn_id }: Event): void {
  if (kind === "tool" && "effects" in data && data.effects !== "none")
    throw conflict("A call with effects was made since the message. Withdrawing does not undo it.");
  if (kind === "tool") return;
  const isOthers = source === "human_agent" || source === "human_agent_on_behalf_of_ai_agent" || (source === "system" && turn_id === undefined);
  if (isOthers) throw conflict("An operator or the application has written since the message. The browser does not withdraw it.");
}

/** Stops the open turns. Once a stop is in the log, the turn commits nothing more, so it starts no call. Returns whether there were any. */
async function stopOpen(session: OpenedChat["session"]): Promise<boolean> {
  // A turn that waited behind a stopped one starts after it.
  for (let tries = 0; tries < 10; tries += 1) {
    const { turns } = await session.pending();
    if (turns.length === 0) return tries > 0;
    for (const { turn_id } of turns) await session.stop(undefined, { turn: turn_id });
  }
  throw conflict("Turns of the session keep starting.");
}

/** Maximum characters of a message. */
const textLimit = 100_000;

const metadataIn = (event: EventOf<"message">): Pick<SendOptions, "metadata"> => (event.metadata === undefined ? {} : { metadata: event.metadata });

/** What was sent with a message. */
const valuesIn = (event: EventOf<"message">): Pick<SendOptions, "metadata" | "input" | "start"> => ({
  ...metadataIn(event),
  ...(event.data.input === undefined ? {} : { input: event.data.input }),
  ...(event.data.start === undefined ? {} : { start: event.data.start }),
});

const textOfEvent = ({ data }: EventOf<"message">): string => data.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
