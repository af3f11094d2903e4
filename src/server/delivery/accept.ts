import { ThroughlineError, seen } from "../../kernel/error.ts";

/** A media type of an `Accept` header, and how much it is wanted. */
interface Wanted {
  readonly type: string;
  readonly quality: number;
}

function wantedTypes(accept: string): readonly Wanted[] {
  const wanted = accept.split(",").map((part): Wanted => {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
  });
  return wanted.filter(({ quality }) => quality > 0).toSorted((left, right) => right.quality - left.quality);
}

const streamType = "text/event-stream";
const pageTypes: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"]);

/** Whether a request asks for a stream rather than a page: by the parameter `format`, else by `Accept`, where a stream must be named. */
export function wantsStream(format: "json" | "sse" | undefined, headers: Headers): boolean {
  if (format !== undefined) return format === "sse";
  const accept = headers.get("accept");
  if (accept === null || accept.trim() === "") return false;
  const first = wantedTypes(accept).find(({ type }) => type === streamType || pageTypes.has(type));
  if (first !== undefined) return first.type === streamType;
  throw new ThroughlineError("request.not_acceptable", `Events are \`application/json\` or \`${streamType}\`, not ${seen(accept)}.`);
}

/** The seconds of `Prefer: wait=20` (RFC 7240); what else a request prefers is not heard. */
export function preferredWait(headers: Headers): number | undefined {
  const match = /(?:^|,)\s*wait\s*=\s*"?(\d{1,5})"?\s*(?:[;,]|$)/i.exec(headers.get("prefer") ?? "");
  return match === null ? undefined : Number(match[1]);
}
