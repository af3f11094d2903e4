import { ThroughlineError } from "../kernel/error.ts";
import type { SessionInfo } from "../runtime/reading/session-info.ts";
import type { Session } from "../create-runtime.ts";
import { subagentLabel } from "../runtime/subagent/lineage.ts";
import { customerOf, type Principal } from "./principal.ts";
import type { Service } from "./service.ts";

/** A session that the principal may reach, as it stands. What is not theirs is not there: nobody learns whether it exists. */
export async function sessionOf(
  { runtime }: Pick<Service, "runtime">,
  principal: Principal,
  session_id: string,
): Promise<{ readonly session: Session; readonly info: SessionInfo }> {
  const missing = (): ThroughlineError =>
    new ThroughlineError("session.not_found", `There is no session ${session_id.slice(0, 100)}.`, {
      details: { session_id: session_id.slice(0, 100) },
    });
  if (!reaches(principal, session_id)) throw missing();
  const { session, info } = await runtime.sessions.getWithInfo(session_id);
  const customer = customerOf(principal);
  // What child agents say to each other is work, also where it is a customer's.
  if (customer !== undefined && (info.customer_id !== customer || info.labels.includes(subagentLabel))) throw missing();
  return { session, info };
}

/** Whether a token is for this session, among others. */
function reaches(principal: Principal, session_id: string): boolean {
  if (principal.type === "stream") return principal.sessions.some((id) => id === session_id) && reaches(principal.behalf, session_id);
  return principal.type !== "customer" || principal.session === undefined || principal.session === session_id;
}
