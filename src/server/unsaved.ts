/** What a gate says to who wrote a message that the service did not take. */
import { ThroughlineError } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import type { OperationId } from "../protocol/operations.ts";
import { customerOf, type Principal } from "./principal.ts";
import { readBody } from "./read-request.ts";
import type { Service } from "./service.ts";
import { sessionOf } from "./session-of.ts";

/** Who sends a request, and the session that it names. */
interface Sent {
  readonly principal: Principal;
  readonly path: Readonly<Record<string, string>>;
}

/**
 * The error of a request, with what a gate says where it was a customer's message and the database failed, wherever on its way that was, or where somebody
 * in danger wrote it and it was refused. Any other error is as it was. `body`: as it came.
 */
export async function withReply(
  { runtime }: Pick<Service, "runtime">,
  { principal, path, body }: Sent & { readonly body: string },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  const text = id === "postEvent" ? customerText(body) : undefined;
  const { session_id = "" } = path;
  // What is refused before its handler was called has been asked of a session that may be somebody else's.
  if (text === undefined || (isRefusal(error) && !(await isTheirs({ runtime }, principal, session_id)))) return error;
  return runtime.sessions.unsaved({ session_id, text, customer: customerOf(principal) }, error);
}

const isRefusal = (error: unknown): boolean => ThroughlineError.is(error, "limit.rate", "request.invalid", "request.too_large");

async function isTheirs(service: Pick<Service, "runtime">, principal: Principal, session_id: string): Promise<boolean> {
  try {
    await sessionOf(service, principal, session_id);
    return true;
  } catch (error) {
    // A database that is away cannot tell.
    return !ThroughlineError.is(error, "session.not_found");
  }
}

/** The same for a request that is over the limit, whose body was not read: as often again as the limit allows it is read for that. */
export async function limitedReply(
  service: Pick<Service, "runtime" | "limits">,
  { request, ...sent }: Sent & { readonly request: Request },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  if (id !== "postEvent") return error;
  const body = await readBody(request, service.limits.bodyBytes).catch(() => undefined);
  return body === undefined ? error : withReply(service, { ...sent, body }, id, error);
}

/** The text of a customer's message, whatever else is wrong with the body. */
function customerText(body: string): string | undefined {
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isPlainObject(given)) return undefined;
  const { kind, source = "customer", text } = given;
  return kind === "message" && source === "customer" && typeof text === "string" ? text : undefined;
}
