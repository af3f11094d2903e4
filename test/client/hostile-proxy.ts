/** Stands between a client and a service, and does to their connections what networks do. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";

/** What has been done, by name. */
export type Harm = Readonly<Record<"cut" | "lost" | "silent" | "refused" | "doubled" | "passed", number>>;

export interface HostileProxy {
  readonly url: string;
  readonly harm: Harm;
  /** Cuts every connection there is, and does something else to those that come. */
  become(fates: readonly (keyof Harm)[]): void;
  close(): void;
}

const unavailable =
  "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\nretry-after: 0\r\ncontent-length: 4\r\nconnection: close\r\n\r\nbusy";

const allFates: readonly (keyof Harm)[] = ["cut", "cut", "cut", "lost", "silent", "refused", "doubled", "passed"];

/**
 * Each connection is, by chance: passed on; cut after some bytes of an answer, be it in the middle of a body or a frame; cut once the service has the request and
 * before anything comes back; left open without a byte more; refused with a 503; or its requests are sent to the service twice.
 */
export async function hostileProxy(
  target: string,
  choose: Chooser,
  { fates = allFates, leastBytes = 1 }: { readonly fates?: readonly (keyof Harm)[]; readonly leastBytes?: number } = {},
): Promise<HostileProxy> {
  const { hostname, port } = new URL(target);
  const harm: Record<keyof Harm, number> = { cut: 0, lost: 0, silent: 0, refused: 0, doubled: 0, passed: 0 };
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  // Every round has each of them, in any order.
  let round: (keyof Harm)[] = [];
  let rounds = fates;
  const next = (): keyof Harm => {
    if (round.length === 0) round = [...rounds];
    return round.splice(choose.integer(0, round.length - 1), 1)[0]!;
  };
  const upstream = (): Socket => keep(connect(Number(port), hostname));
  const server = createServer((client) => {
    keep(client);
    const fate = next();
    harm[fate]++;
    if (fate === "refused") return void client.once("data", () => client.end(unavailable));
    const service = upstream();
    const second = fate === "doubled" ? upstream().resume() : undefined;
    let left =
      fate === "lost"
        ? 0
        : fate === "cut"
          ? choose.integer(leastBytes, leastBytes + 3_000)
          : fate === "silent"
            ? choose.integer(0, 600)
            : Number.POSITIVE_INFINITY;
    client.on("data", (bytes) => {
      service.write(bytes);
      second?.write(bytes);
    });
    service.on("data", (bytes: Buffer) => {
      const part = bytes.subarray(0, left);
      left -= part.length;
      if (part.length > 0) client.write(part);
      if (left > 0 || fate === "silent") return;
      client.destroy();
      service.destroy();
    });
    service.on("close", () => fate !== "silent" && client.destroy());
    client.on("close", () => {
      service.destroy();
      second?.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cutAll = (): void => sockets.forEach((socket) => void socket.destroy());
  const become = (next: readonly (keyof Harm)[]): void => {
    [rounds, round] = [next, []];
    cutAll();
  };
  const close = (): void => {
    cutAll();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, harm, become, close };
}
