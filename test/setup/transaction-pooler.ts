/** A pooler in transaction mode, as PgBouncer is: real protocol on both sides, real PostgreSQL behind it, a server connection for each transaction. */
import { createServer, type AddressInfo, type Socket } from "node:net";
import { Client } from "pg";
import { onTestFinished } from "vitest";

/** Parameters that a pooler takes at the start of a connection. It refuses all others. */
const known = new Set(["user", "database", "application_name", "client_encoding", "datestyle", "timezone", "standard_conforming_strings"]);

interface Server {
  readonly client: Client;
  readonly stream: Socket;
  readonly pid: number;
  /** Who gets what it answers. */
  linked: ((message: Buffer) => void) | undefined;
}

export interface TransactionPooler {
  /** The URL of the database through the pooler. */
  readonly url: string;
  /** The names under which clients prepared statements, without repetition. */
  readonly names: ReadonlySet<string>;
  /** Makes all servers refuse writes, as a standby does, or accept them again. */
  setReadOnly(on: boolean): Promise<void>;
}

interface PoolerOptions {
  /** Server connections, used in turn. Defaults to 3. */
  readonly servers?: number;
  /** Announces a real server process, which the client's first transaction gets, so that nobody finds out that there is a pooler. */
  readonly hidden?: boolean;
  readonly readOnly?: boolean;
}

const letter = (message: Buffer): string => String.fromCharCode(message[0] ?? 0);

function packet(kind: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(5);
  head.write(kind, 0, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

const refusal = (code: string, message: string): Buffer => packet("E", `SFATAL\0C${code}\0M${message}\0\0`);
const ready = packet("Z", "I");

/** Cuts a stream into messages. The first one of a client has no letter. */
function messages(onMessage: (message: Buffer) => void, { first = false }: { readonly first?: boolean } = {}): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  let begins = first;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const from = begins ? 0 : 1;
      if (rest.length < from + 4) return;
      const length = from + rest.readInt32BE(from);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      // The request for TLS is answered in the clear, and the start follows.
      if (begins && message.readInt32BE(4) !== 80_877_103) begins = false;
      onMessage(message);
    }
  };
}

/** Starts a pooler in front of the database at `target`; it ends with the test. */
export async function transactionPooler(
  target: string,
  { servers: count = 3, hidden = false, readOnly = false }: PoolerOptions = {},
): Promise<TransactionPooler> {
  const servers: Server[] = [];
  const waiting: { readonly wanted: Server | undefined; readonly resolve: (server: Server) => void }[] = [];
  const idle: Server[] = [];
  const sockets = new Set<Socket>();
  const names = new Set<string>();
  let clients = 0;

  const release = (server: Server): void => {
    server.linked = undefined;
    const next = waiting.findIndex(({ wanted }) => wanted === undefined || wanted === server);
    if (next < 0) idle.push(server);
    else waiting.splice(next, 1)[0]?.resolve(server);
  };
  /** Takes the server that has been idle for the longest time, so that two transactions in a row seldom have the same one. */
  const acquire = (wanted?: Server): Promise<Server> => {
    const at = wanted === undefined ? 0 : idle.indexOf(wanted);
    const [server] = at < 0 ? [] : idle.splice(at, 1);
    return server === undefined ? new Promise((resolve) => waiting.push({ wanted, resolve })) : Promise.resolve(server);
  };

  for (let made = 0; made < count; made++) {
    const client = new Client({ connectionString: target });
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    if (readOnly) await client.query("SET default_transaction_read_only = on");
    const stream = client.connection.stream as Socket;
    const server: Server = { client, stream, pid: rows[0]?.pid ?? 0, linked: undefined };
    stream.removeAllListeners("data");
    // Whatever a server says while nobody is linked, such as a notification, reaches nobody.
    stream.on(
      "data",
      messages((message) => server.linked?.(message)),
    );
    servers.push(server);
    idle.push(server);
  }

  const serve = (socket: Socket): void => {
    let first: Server | undefined;
    let server: Server | undefined;
    let unit: Buffer[] = [];
    let running: Promise<void> = Promise.resolve();

    const start = (message: Buffer): void => {
      const words = message.subarray(8).toString().split("\0");
      const unknown = words.filter((_, at) => at % 2 === 0).find((name) => name !== "" && !known.has(name.toLowerCase()));
      if (unknown !== undefined) return void socket.end(refusal("08P01", `unsupported startup parameter: ${unknown}`));
      first = hidden ? servers[(clients += 1) % count] : undefined;
      socket.write(Buffer.concat([packet("R", int32(0)), packet("K", int32(first?.pid ?? 4_711), int32(1)), ready]));
    };
    const run = async (bytes: Buffer): Promise<void> => {
      server ??= await acquire(first);
      first = undefined;
      const own = server;
      await new Promise<void>((resolve) => {
        own.linked = (message) => {
          socket.write(message);
          if (letter(message) !== "Z") return;
          if (message.toString("latin1", 5) === "I") {
            server = undefined;
            release(own);
          }
          resolve();
        };
        own.stream.write(bytes);
      });
    };
    const onMessage = (message: Buffer): void => {
      if (message.length >= 8 && message[0] === 0) {
        if (message.readInt32BE(4) === 80_877_103) return void socket.write("N");
        return start(message);
      }
      const kind = letter(message);
      if (kind === "X") return void socket.end();
      if (kind === "P") {
        const name = message.toString("utf8", 5, message.indexOf(0, 5));
        if (name !== "") names.add(name);
      }
      unit.push(message);
      if (kind !== "S" && kind !== "Q") return;
      const bytes = Buffer.concat(unit);
      unit = [];
      running = running.then(() => run(bytes));
    };
    sockets.add(socket);
    socket.on("data", messages(onMessage, { first: true })).on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      // A transaction that its client left is undone.
      void running.then(() => {
        const left = server;
        if (left === undefined) return;
        left.linked = (message) => void (letter(message) === "Z" && release(left));
        left.stream.write(packet("Q", "ROLLBACK\0"));
      });
    });
  };

  const listener = createServer({ noDelay: true }, serve);
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    for (const { stream } of servers) stream.destroy();
    await new Promise((resolve) => listener.close(resolve));
  });
  const url = new URL(target);
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    names,
    async setReadOnly(on) {
      for (const wanted of servers) {
        const server = await acquire(wanted);
        await new Promise<void>((resolve) => {
          server.linked = (message) => void (letter(message) === "Z" && resolve());
          server.stream.write(packet("Q", `SET default_transaction_read_only = ${on ? "on" : "off"}\0`));
        });
        release(server);
      }
    },
  };
}
