import type { BodyFor, Caller, RequestOptions } from "./operation-call.ts";
import { sessionHandover, type SessionHandover } from "./session-handover.ts";
import { sessionLog, type SessionLog } from "./session-log.ts";
import { sessionSettings, type SessionSettings } from "./session-settings.ts";
import { sessionTurns, type SessionTurns } from "./session-turns.ts";
import type { Wire } from "./transport.ts";

/** One conversation. It holds nothing but the session's id: every call asks the service. */
export interface ClientSession extends SessionLog, SessionSettings, SessionTurns, SessionHandover {
  readonly id: string;
  /** Goes on from an offset in another session; from the head if none is named. */
  fork(options?: RequestOptions & BodyFor<"forkSession">): Promise<ClientSession>;
}

/** The session of an id, of which nothing is asked yet. */
export function clientSession(wire: Wire, call: Caller, id: string): ClientSession {
  return Object.freeze<ClientSession>({
    id,
    ...sessionLog(wire, call, id),
    ...sessionSettings(call, id),
    ...sessionTurns(call, id),
    ...sessionHandover(call, id),
    fork: async ({ at, title, ...options } = {}) => {
      const body = { ...(at === undefined ? {} : { at }), ...(title === undefined ? {} : { title }) };
      return clientSession(wire, call, (await call("forkSession", { ...options, path: { session_id: id }, body })).id);
    },
  });
}
