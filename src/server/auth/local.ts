/** Who may come without a key: programs of this machine, and pages that the service itself has served. */
import { ThroughlineError } from "../../kernel/error.ts";

/** Headers that a proxy adds: what comes through one may be from anywhere. */
const forwarded = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/**
 * Refuses a request without a key that is not of this machine's own: one that a proxy has passed on, or one that a page of somebody else makes the
 * browser send, which needs no leave to be sent, only to be read.
 */
export function checkLocal(request: Request, origins: ReadonlySet<string>): void {
  const passedOn = forwarded.find((name) => request.headers.has(name));
  if (passedOn !== undefined)
    throw new ThroughlineError("auth.required", `The request came through a proxy (${passedOn}), and this service has no keys.`, {
      hint: "Make a key with `throughline keys create`, and send it as `Authorization: Bearer`.",
    });
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const own = origin === null ? site === null || site === "same-origin" || site === "none" : isOwn(origin, request) || origins.has(origin);
  if (!own)
    throw new ThroughlineError("auth.forbidden", "A page of another origin sends nothing here without a key.", {
      hint: "Serve the page from this service, name its origin in `server.cors.origins`, or use a key.",
    });
}

const isOwn = (origin: string, request: Request): boolean =>
  URL.canParse(origin) && new URL(origin).host === (request.headers.get("host") ?? new URL(request.url).host);
