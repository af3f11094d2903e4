import { isPlainObject } from "../kernel/json.ts";
import type { OperationId } from "../protocol/operations.ts";
import type { Service } from "./service.ts";

/**
 * The error of a request, with what a gate says where it was a customer's message and the database failed, wherever on its way that was. Any other error is as it was.
 */
export async function withReply(
  { runtime }: Service,
  { path, body }: { readonly path: Readonly<Record<string, string>>; readonly body: unknown },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  if (id !== "postEvent" || !isPlainObject(body)) return error;
  const { kind, source, text } = body;
  if (kind !== "message" || source !== "customer" || typeof text !== "string") return error;
  return runtime.sessions.unsaved({ session_id: path["session_id"] ?? "", text }, error);
}
