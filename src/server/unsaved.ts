/** What a gate says to who wrote a message that the service did not take. */
import { isPlainObject } from "../kernel/json.ts";
import type { OperationId } from "../protocol/operations.ts";
import { readBody } from "./read-request.ts";
import type { Service } from "./service.ts";

/**
 * The error of a request, with what a gate says where it was a customer's message and the database failed, wherever on its way that was, or where somebody
 * in danger wrote it and it was refused. Any other error is as it was. `body`: as it came.
 */
export async function withReply(
  { runtime }: Pick<Service, "runtime">,
  { path, body }: { readonly path: Readonly<Record<string, string>>; readonly body: string },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  const text = id === "postEvent" ? customerText(body) : undefined;
  return text === undefined ? error : runtime.sessions.unsaved({ session_id: path["session_id"] ?? "", text }, error);
}

/** The same for a request that is over the limit, whose body was not read: as often again as the limit allows it is read for that. */
export async function limitedReply(
  service: Pick<Service, "runtime" | "limits">,
  { path, request }: { readonly path: Readonly<Record<string, string>>; readonly request: Request },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  if (id !== "postEvent") return error;
  const body = await readBody(request, service.limits.bodyBytes).catch(() => undefined);
  return body === undefined ? error : withReply(service, { path, body }, id, error);
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
