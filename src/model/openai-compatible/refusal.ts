import type { Clock } from "../../kernel/clock.ts";
import { failed, hintOf, isTemporary, type Failure } from "../call/failure.ts";
import { retryAfterOf } from "../call/retry.ts";
import { objectOf } from "./chunk.ts";

/** A provider's filter refused the request: an answer of its own kind, not a failure. */
export interface Filtered {
  readonly type: "filtered";
}

/** Maximum bytes of a refusal to read; its text is never shown. */
const longestBody = 64 * 1024;

/** What a response that is no answer means. */
export async function refusalOf(response: Response, { host, clock }: { readonly host: string; readonly clock: Clock }): Promise<Failure | Filtered> {
  const { status, headers } = response;
  const redirects = response.type === "opaqueredirect" || (status >= 300 && status < 400);
  const retry_after_ms = retryAfterOf((name) => headers.get(name), clock.now());
  const { code, type } = errorFields(await bodyOf(response));
  if (status === 400 && isFilter(code, type)) return { type: "filtered" };
  // An account without money answers like one that is too fast; waiting does not help.
  const again = isTemporary(status) && code !== "insufficient_quota";
  const hint = hintOf(redirects ? 307 : status);
  return failed(redirects ? `${host} redirects to another address.` : `${host} answered ${status}${named(code ?? type)}.`, {
    again,
    ...(status === 0 ? {} : { status }),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** What an error in the middle of a stream means. */
export function interruptionOf(error: unknown, host: string): Failure | Filtered {
  const { code, type, status } = errorFields({ error });
  if (isFilter(code, type)) return { type: "filtered" };
  const temporary = status === undefined ? type !== "invalid_request_error" : isTemporary(status);
  return failed(`${host} broke off its answer with an error${named(code ?? type)}.`, {
    again: temporary,
    ...(status === undefined ? {} : { status }),
  });
}

const isFilter = (...words: readonly (string | undefined)[]): boolean =>
  words.some((word) => word === "content_filter" || word === "content_policy_violation" || word === "ResponsibleAIPolicyViolation");

const named = (word: string | undefined): string => (word === undefined ? "" : ` (${word})`);

/** The names of an error. Its message is left out, since providers quote the request in it, and the key. */
function errorFields(body: unknown): { readonly code?: string; readonly type?: string; readonly status?: number } {
  const { error } = objectOf(body);
  const { code, type } = objectOf(error);
  const status = typeof code === "number" ? code : typeof code === "string" && /^[1-5]\d\d$/.test(code) ? Number(code) : undefined;
  return {
    ...(isName(code) ? { code } : {}),
    ...(isName(type) ? { type } : {}),
    ...(status === undefined || !Number.isInteger(status) || status < 100 || status > 599 ? {} : { status }),
  };
}

/** A short name in small letters, as error codes are; a key or a sentence is none. */
const isName = (word: unknown): word is string =>
  typeof word === "string" && (/^[a-z]+(_[a-z]+){0,7}$/.test(word) ? word.length <= 50 : word === "ResponsibleAIPolicyViolation");

async function bodyOf(response: Response): Promise<unknown> {
  let text = "";
  try {
    const decoder = new TextDecoder();
    const pieces: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
    if (pieces === undefined) return undefined;
    for await (const piece of pieces) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > longestBody) return undefined;
    }
    return JSON.parse(text) as unknown;
  } catch {
    // The status says enough.
    return undefined;
  }
}
