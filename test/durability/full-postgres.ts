/** A PostgreSQL whose disk can be full: a proxy that passes everything on and, while it is full, answers commits with SQLSTATE 53100. */
import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";

export interface FullPostgres {
  /** URL of the same database, through the proxy. */
  readonly url: string;
  full: boolean;
  /** Commits that were refused so far. */
  readonly refused: () => number;
  close(): Promise<void>;
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** What the server says when its disk is full: an error, and that it is ready for the next query, outside of any transaction. */
const noSpace = Buffer.concat([
  message("E", Buffer.from("SERROR\0VERROR\0C53100\0Mcould not extend file: No space left on device\0\0", "latin1")),
  message("Z", Buffer.from("I", "latin1")),
]);

/** Splits what a client sends into messages. The first one has no type. */
function createSplitter(): (chunk: Buffer) => readonly Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  let first = true;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Buffer[] = [];
    for (;;) {
      const typed = first ? 0 : 1;
      if (rest.length < typed + 4) return messages;
      const length = typed + rest.readInt32BE(typed);
      if (rest.length < length) return messages;
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
      first = false;
    }
  };
}

const typeOf = (message: Buffer): string => String.fromCharCode(message[0] ?? 0);

function relay(client: Socket, server: Socket, isFull: () => boolean, refuse: () => void): void {
  const split = createSplitter();
  const commits = new Set<string>();
  let swallowing = false;
  let started = false;

  /** Whether this message begins a commit: it parses its statement, or binds one that was parsed before. */
  const beginsCommit = (message: Buffer): boolean => {
    const type = typeOf(message);
    const [first = "", second = ""] = message.toString("latin1", 5).split("\0");
    if (type === "P" && second.includes("throughline_commit")) {
      if (!isFull()) commits.add(first);
      return true;
    }
    return type === "B" && commits.has(second);
  };

  client.on("data", (chunk) => {
    for (const message of split(chunk)) {
      if (started && !swallowing && isFull() && beginsCommit(message)) swallowing = true;
      else if (started && !swallowing) beginsCommit(message);
      started = true;
      if (!swallowing) server.write(message);
      else if (typeOf(message) === "S") {
        swallowing = false;
        refuse();
        client.write(noSpace);
      }
    }
  });
  server.on("data", (chunk) => client.write(chunk));
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on("close", () => other.destroy());
    one.on("error", () => other.destroy());
  }
}

/** Starts a proxy to the database at `url`. */
export async function startFullPostgres(url: string): Promise<FullPostgres> {
  const target = new URL(url);
  let refused = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port || 5432) });
    for (const socket of [client, server]) sockets.add(socket);
    relay(
      client,
      server,
      () => handle.full,
      () => void (refused += 1),
    );
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String((proxy.address() as AddressInfo).port);
  const handle: FullPostgres = {
    url: through.href,
    full: false,
    refused: () => refused,
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, "close");
    },
  };
  return handle;
}
