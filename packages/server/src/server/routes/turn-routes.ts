/** A session's state, its turns, and the handover between the agent and operators. */
import type { Session } from "throughline";
import { pageAt, present } from "throughline/internal";
import { ThroughlineError } from "throughline/kernel";
import type { handoverOperations, stateOperations, turnOperations } from "../../protocol/operations/turn-operations.ts";
import type { SessionTurn } from "throughline/session";
import { type Handlers, inSession, sessionOf, ok } from "../request-call.ts";
import { jsonOf, toWireOutcome, writable } from "../to-wire.ts";

/** Converts a turn to the wire. */
const toWireTurn = ({ answers, retries, outcome, ...turn }: SessionTurn) => ({
  ...turn,
  ...present({ answers: answers && [...answers], retries: retries && [...retries], outcome: outcome && toWireOutcome(outcome) }),
});

/** Handlers for the state of a session. */
export const stateRoutes: Handlers<keyof typeof stateOperations> = {
  getState: inSession(async ({ session }, { query: { at, view = "public" } }) => {
    const place = present({ at });
    const { offset, state_offset, definition, document } = await session.state({ view, ...place }).catch((error: unknown) => {
      // Without the agent nothing is known about the fields, so only readers of all of them get the document.
      if (view !== "internal" || !ThroughlineError.is(error, "agent.not_found")) throw error;
      return session.state(place);
    });
    return ok({ offset, state_offset, definition, state: document });
  }),
  listStateWriters: inSession(async ({ session }, { query }) => {
    return ok(writable(await session.stateWriters(query)));
  }),
  previewState: inSession(async ({ session }, { body }) => {
    const { state_offset, patch, problems } = await session.previewEdit(body.delta);
    return ok({ state_offset, patch: patch.map((operation) => jsonOf(operation)), problems: writable(problems) });
  }),
  editState: inSession(async ({ session }, { body, once }) => {
    const { delta, expected_offset, operator } = body;
    const { offset } = await session.edit(delta, { ...once, ...present({ expectedOffset: expected_offset, operator }) });
    return ok({ offset });
  }),
};

/** Handlers for turns and pending tool calls. */
export const turnRoutes: Handlers<keyof typeof turnOperations> = {
  listTurns: inSession(async ({ session }, { query }) => {
    const page = await session.turns(query);
    return ok({ ...page, items: page.items.map(toWireTurn) });
  }),
  getTurn: inSession(async ({ session }, { path }) => {
    return ok(toWireTurn(await session.turn(path.turn_id)));
  }),
  getTurnMemory: inSession(async ({ session }, { path }) => {
    const { turn_id } = path;
    const why = await session.why({ turn: turn_id });
    return ok(why === undefined ? { turn_id, diagnostics: null, items: [] } : { ...why, items: why.items.map((item) => writable(item)) });
  }),
  async getPrompt(service, { path, query, principal }) {
    if (query.step !== undefined && query.turn === undefined)
      throw new ThroughlineError("request.invalid", "A step needs a turn, but the request names none.", {
        details: { errors: [{ pointer: "query/turn", message: "needed with a step" }] },
      });
    const { session } = await sessionOf(service, principal, path.session_id);
    const kept = await session.prompt(query);
    if (kept === undefined) throw new ThroughlineError("prompt.not_kept", undefined, { details: { session_id: session.id } });
    const { turn_id, step, body, record, kept_at, expires_at } = kept;
    return ok({ turn_id, step, body, record: jsonOf(record), kept_at, expires_at });
  },
  startTurn: inSession(async ({ session }, { body, once }) => {
    const { turn_id } = await session.startTurn({ ...body, ...once });
    return { status: 202, body: { turn_id }, location: `/v1/sessions/${session.id}/turns/${turn_id}` };
  }),
  stopTurn: inSession(async ({ session }, { path, body, once }) => {
    await session.stop(body.message, { turn: path.turn_id, ...once });
    return ok(toWireTurn(await session.turn(path.turn_id)));
  }),
  retryTurn: inSession(async ({ session }, { path, once }) => {
    const { turn_id } = await session.retry(path.turn_id, once);
    return { status: 202, body: { turn_id }, location: `/v1/sessions/${session.id}/turns/${turn_id}` };
  }),
  listEffects: inSession(async ({ session }, { query }) => {
    const { items, next_after } = await session.effects(query);
    return ok({
      items: items.map(({ result, turn_id, ...call }) => ({ ...call, ...present({ turn_id, result: result && jsonOf(result) }) })),
      next_after,
    });
  }),
  listPending: inSession(async ({ session }, { query }) => {
    const page = pageAt((await session.pending()).calls, query);
    return ok({ ...page, items: [...page.items] });
  }),
  decideCall: inSession(async ({ session }, { path, body }) => {
    await session.turn(path.turn_id);
    const { offset, turn_id } = await session.decide(body);
    return { status: 201, body: { offset, turn_id } };
  }),
};

/** The session's mode and handover after a change. */
async function standingOf(session: Session) {
  const { id, mode, handover } = await session.info();
  return { status: 200, body: { session_id: id, mode, ...present({ handover }) } } as const;
}

/** Handlers for handover to operators and back. */
export const handoverRoutes: Handlers<keyof typeof handoverOperations> = {
  handOver: inSession(async ({ session }, { body, once }) => {
    await session.handOver({ ...body, ...once });
    return standingOf(session);
  }),
  assignSession: inSession(async ({ session }, { body, once }) => {
    await session.assign({ ...body, ...once });
    return standingOf(session);
  }),
  unassignSession: inSession(async ({ session }, { once }) => {
    await session.unassign(once);
    return standingOf(session);
  }),
  handBack: inSession(async ({ session }, { body, once }) => {
    await session.handBack({ ...body, ...once });
    return standingOf(session);
  }),
  async listHandovers({ runtime }, { query }) {
    const { queue, operator, customer_id, ...page } = query;
    if (queue === "mine" && operator === undefined)
      throw new ThroughlineError("handover.invalid", "The queue `mine` needs an operator.", { details: { path: "operator" } });
    const listed = await runtime.handovers.list({
      queue: queue === "mine" ? "assigned" : queue,
      ...page,
      ...present({ operator, customer: customer_id }),
    });
    const items = listed.items.map(({ id, agent, customer_id, title, handover, updated_at }) => ({
      session_id: id,
      agent,
      ...present({ customer_id }),
      title,
      handover,
      updated_at,
    }));
    return ok({ ...listed, items });
  },
};
