/** Requests as bytes, and what they are answered with. */
import { connect } from "node:net";

/** A request as it is written to the socket: text, one character a byte. */
export interface Bytes {
  readonly text: string;
  /** Sent after the text, piece by piece, without waiting for an answer. */
  readonly more?: readonly string[];
  readonly method: string;
  readonly target: string;
}

/** One answer. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Text as the bytes of its UTF-8, one character each. */
export const utf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** What a request is made of; headers are written as they are. */
export interface Parts {
  readonly method: string;
  readonly target: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** As bytes. A length is added unless headers say how long it is. */
  readonly body?: string;
}

/** A request of HTTP/1.1 whose connection ends with its answer. */
export function bytesOf({ method, target, headers = [], body }: Parts): Bytes {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [
    ...(names.has("host") ? [] : ["Host: localhost"]),
    "Connection: close",
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined || names.has("content-length") || names.has("transfer-encoding") ? [] : [`Content-Length: ${body.length}`]),
  ];
  return { method, target, text: `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body ?? ""}` };
}

/** A body in chunks. */
export const chunked = (pieces: readonly string[]): string =>
  `${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("")}0\r\n\r\n`;

function withoutChunks(text: string): string {
  let [rest, body] = [text, ""];
  for (;;) {
    const [line = ""] = rest.split("\r\n", 1);
    const size = Number.parseInt(line, 16);
    if (!(size > 0)) return body;
    body += rest.slice(line.length + 2, line.length + 2 + size);
    rest = rest.slice(line.length + 2 + size + 2);
  }
}

/** The answers in what a service has written. */
export function answersIn(text: string): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest.startsWith("HTTP/1.");) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = new Headers(
      lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as [string, string]),
    );
    const after = rest.slice(end + 4);
    const length = headers.get("content-length");
    const body = length === null ? after : after.slice(0, Number(length));
    const plain = headers.get("transfer-encoding") === "chunked" ? withoutChunks(body) : body;
    answers.push({ status: Number(first.slice(9, 12)), headers, body: Buffer.from(plain, "latin1").toString("utf8") });
    rest = length === null ? "" : after.slice(Number(length));
  }
  return answers;
}

/** Writes a request, and gives all that comes until the connection is over; empty if it is closed without a word. */
export function exchange(url: string, { text, more = [] }: Bytes, ms = 5_000): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answer = "";
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
    // A service may answer and close before it has read everything.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.write(text, "latin1");
    for (const piece of more) socket.write(piece, "latin1");
  });
}
