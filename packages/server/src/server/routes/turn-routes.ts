/** A session's state, its turns, and the handover between the agent and operators. */
import type { Session } from "throughline";
import { pageAt, present } from "throughline/internal";
import { ThroughlineError } from "throughline/kernel";
import type { handoverOperations, stateOperations, turnOperations } from "../../protocol/operations/turn-operations.ts";
import type { SessionTurn } from "throughline/session";
import { type Handlers, sessionOf } from "../request-call.ts";
import { jsonOf, toWireOutcome, writable } from "../to-wire.ts";

/** Converts a turn to the wire. */
function toWireTurn({ answers, retries, outcome, ...turn }: SessionTurn) {
  return {
    ...turn,
    ...(answers === undefined ? {} : { answers: [...answers] }),
    ...(retries === undefined ? {} : { retries: [...retries] }),
    ...(outcome === undefined ? {} : { outcome: toWireOutcome(outcome) }),
  };
}

/** Handlers for the state of a session. */
export const stateRoutes: Handlers<keyof typeof stateOperations> = {
  async getState(service, { path, query, principal }) {
    const { at, view = "public" } = query;
    const { session } = await sessionOf(service, principal, path.session_id);
    const { offset, state_offset, definition, document } = await session.state({ view, ...present({ at }) });
    return { status: 200, body: { offset, state_offset, definition, state: document } };
  },
  async editState(service, { path, body, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    const { delta, expected_offset, operator } = body;
    const expected = present({ expectedOffset: expected_offset });
    const { offset } = await session.edit(delta, {
      ...expected,
      ...once,
      ...present({ operator }),
    });
    return { status: 200, body: { offset } };
  },
};

/** Handlers for turns and pending tool calls. */
export const turnRoutes: Handlers<keyof typeof turnOperations> = {
  async listTurns(service, { path, query, principal }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    const page = await session.turns(query);
    return { status: 200, body: { ...page, items: page.items.map(toWireTurn) } };
  },
  async getTurn(service, { path, principal }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    return { status: 200, body: toWireTurn(await session.turn(path.turn_id)) };
  },
  async getTurnMemory(service, { path, principal }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    const { turn_id } = path;
    const why = await session.why({ turn: turn_id });
    if (why === undefined) return { status: 200, body: { turn_id, diagnostics: null, items: [] } };
    return { status: 200, body: { ...why, diagnostics: why.diagnostics, items: why.items.map((item) => writable(item)) } };
  },
  async getPrompt(service, { path, query, principal }) {
    if (query.step !== undefined && query.turn === undefined)
      throw new ThroughlineError("request.invalid", "A step needs a turn, but the request names none.", {
        details: { errors: [{ pointer: "query/turn", message: "needed with a step" }] },
      });
    const { session } = await sessionOf(service, principal, path.session_id);
    const kept = await session.prompt(query);
    if (kept === undefined) throw new ThroughlineError("prompt.not_kept", undefined, { details: { session_id: session.id } });
    const { turn_id, step, body, record, kept_at, expires_at } = kept;
    return { status: 200, body: { turn_id, step, body, record: jsonOf(record), kept_at, expires_at } };
  },
  async startTurn(service, { path, body, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    const { turn_id } = await session.startTurn({ ...body, ...once });
    return { status: 202, body: { turn_id }, location: `/v1/sessions/${session.id}/turns/${turn_id}` };
  },
  async stopTurn(service, { path, body, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.stop(body.message, { turn: path.turn_id, ...once });
    return { status: 200, body: toWireTurn(await session.turn(path.turn_id)) };
  },
  async retryTurn(service, { path, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    const { turn_id } = await session.retry(path.turn_id, once);
    return { status: 202, body: { turn_id }, location: `/v1/sessions/${session.id}/turns/${turn_id}` };
  },
  async listPending(service, { path, query, principal }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    const page = pageAt((await session.pending()).calls, query);
    return { status: 200, body: { ...page, items: [...page.items] } };
  },
  async decideCall(service, { path, body, principal }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.turn(path.turn_id);
    const { offset, turn_id } = await session.decide(body);
    return { status: 201, body: { offset, turn_id } };
  },
};

/** The session's mode and handover after a change. */
async function standingOf(session: Session) {
  const { id, mode, handover } = await session.info();
  return { status: 200, body: { session_id: id, mode, ...present({ handover }) } } as const;
}

/** Handlers for handover to operators and back. */
export const handoverRoutes: Handlers<keyof typeof handoverOperations> = {
  async handOver(service, { path, body, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.handOver({ ...body, ...once });
    return standingOf(session);
  },
  async assignSession(service, { path, body, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.assign({ ...body, ...once });
    return standingOf(session);
  },
  async unassignSession(service, { path, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.unassign(once);
    return standingOf(session);
  },
  async handBack(service, { path, body, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.handBack({ ...body, ...once });
    return standingOf(session);
  },
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
    return { status: 200, body: { ...listed, items } };
  },
};
