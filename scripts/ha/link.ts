/** A connection between two machines that can be cut: nothing arrives, and nothing is closed. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export interface Link {
  /** The port of this end. */
  readonly port: number;
  /** Cuts the link, or heals it for new connections. Those that were cut stay silent. */
  cut(on: boolean): void;
  close(): void;
}

/** Opens a link to a port of this machine. */
export async function openLink(target: number): Promise<Link> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const silence = ([left, right]: readonly [Socket, Socket]): void => {
    left.unpipe(right);
    right.unpipe(left);
  };
  const server: Server = createServer({ noDelay: true }, (client) => {
    const other = connect({ port: target, host: "127.0.0.1", noDelay: true });
    const pair = [client, other] as const;
    pairs.add(pair);
    const end = (): void => {
      // Across a link that is cut, nobody hears that the other end has closed.
      if (isCut) return;
      client.destroy();
      other.destroy();
      pairs.delete(pair);
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    if (isCut) return;
    client.pipe(other);
    other.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut(on) {
      isCut = on;
      if (on) for (const pair of pairs) silence(pair);
    },
    close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
    },
  };
}
