/** One request over a connection of its own: answered as a whole, or lost. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

/** An answer that came as a whole. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request, as it is sent, perhaps more than once. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds within which a request is answered, or its connection ends. */
const patience = 20_000;

/** Nothing was heard for too long, though nobody has cut the connection. */
export class Silent extends Error {}

/** Opens a request; undefined if the connection ends before the headers of its answer. `Silent` if nothing comes. */
export function open(url: string, { method, path, body, headers }: Request): Promise<IncomingMessage | undefined> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const given = {
    ...(text === undefined ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers: given, agent: false });
    const silent = setTimeout(() => {
      reject(new Silent(`${method} ${path} was not answered within ${patience} ms.`));
      sent.destroy();
    }, patience);
    const end = (response: IncomingMessage | undefined): void => {
      clearTimeout(silent);
      resolve(response);
    };
    sent.on("response", end);
    sent.on("error", () => end(undefined));
    sent.end(text);
  });
}

/** Sends a request and reads its answer; undefined if either was lost. */
export async function exchange(url: string, given: Request): Promise<Answer | undefined> {
  const response = await open(url, given);
  if (response === undefined) return undefined;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  if (!response.complete) return undefined;
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString("utf8") };
}

/** What an answer holds, as whoever asked expects it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- said once, where it is asked for
export function bodyOf<Body>({ text }: Pick<Answer, "text">): Body {
  return JSON.parse(text) as Body;
}

/** The code of an error; undefined for what is none. */
export const codeOf = ({ status, text }: Pick<Answer, "status" | "text">): string | undefined =>
  status < 400 ? undefined : bodyOf<{ readonly code: string }>({ text }).code;
