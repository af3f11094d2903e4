/** A door to the service: an address that stays while the processes behind it come and go, and whose connections break. */
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";

/** What has been done to connections. */
export interface Harm {
  /** Cut before a byte of the answer came back: the request has arrived, and nobody knows. */
  lost: number;
  /** Cut in the middle of a request, or of an answer. */
  cut: number;
  passed: number;
  /** Nobody was behind the door. */
  shut: number;
}

export interface Door {
  readonly url: string;
  readonly harm: Harm;
  /** From now on every connection is passed on as it is. */
  calm(): void;
  close(): void;
}

type Fate = Readonly<{ up: number; down: number; name: "lost" | "cut" | "passed" }>;
const whole = Number.POSITIVE_INFINITY;

/** Bytes that pass on the way to the service, and on the way back. */
function fateOf(dice: Chooser): Fate {
  if (dice.chance(0.08)) return { up: whole, down: 0, name: "lost" };
  if (dice.chance(0.08)) return { up: whole, down: dice.integer(1, 6_000), name: "cut" };
  return dice.chance(0.04) ? { up: dice.integer(1, 250), down: whole, name: "cut" } : { up: whole, down: whole, name: "passed" };
}

/** Opens a door to whatever `port` names at the time. */
export async function openDoor(port: () => number | undefined, dice: Chooser): Promise<Door> {
  const harm: Harm = { lost: 0, cut: 0, passed: 0, shut: 0 };
  const sockets = new Set<Socket>();
  let calm = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    const behind = port();
    const fate: Fate = calm ? { up: whole, down: whole, name: "passed" } : fateOf(dice);
    harm[behind === undefined ? "shut" : fate.name]++;
    if (behind === undefined) return void client.destroy();
    const service = keep(connect(behind, "127.0.0.1"));
    const end = (): void => {
      client.destroy();
      service.destroy();
    };
    const pass = (from: Socket, to: Socket, bytes: number): void => {
      let left = bytes;
      from.on("data", (chunk: Buffer) => {
        const part = chunk.subarray(0, left);
        left -= part.length;
        // What was let through arrives, also before a cut.
        if (left > 0) to.write(part);
        else to.write(part, end);
      });
      from.on("close", () => to.end());
    };
    pass(client, service, fate.up);
    pass(service, client, fate.down);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    harm,
    calm: () => void (calm = true),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
