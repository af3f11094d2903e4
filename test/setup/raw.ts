/** Requests as bytes: what no client would send. */
import { connect } from "node:net";

/** Writes to a service what it is given, each part after the one before was answered, and reads what comes until the connection closes, or for `ms`. */
export function raw(url: string, text: string | readonly string[], { ms = 3_000 }: { readonly ms?: number } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const parts = typeof text === "string" ? [text] : [...text];
    const write = (): void => void socket.write(parts.shift() ?? "", "latin1");
    let answer = "";
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      if (parts.length > 0) write();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" || error.code === "EPIPE" ? undefined : reject(error)));
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(answer);
    });
    write();
  });
}
