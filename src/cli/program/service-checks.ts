/** What `doctor` says of the service. */
import { connect } from "node:net";
import { fileOf } from "../../config/places.ts";
import type { Settings } from "../../config/settings.ts";
import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { isLoopback } from "../../kernel/loopback.ts";
import { isActive, listKeys } from "../../server/auth/api-keys.ts";
import type { Store } from "../../store/port.ts";
import type { ServiceContext } from "../context.ts";
import type { Run } from "./program.ts";

/** Takes a line of the report. */
export type Note = (name: string, ok: boolean, detail: string) => void;

/** An error in one line. */
export const told = (error: unknown): string => {
  const known = ThroughlineError.from(error);
  return `${known.message} ${known.hint} (${known.code})`;
};

/** Reads the configuration; undefined, and told, if it cannot be used. */
export async function configCheck(run: Pick<Run, "plain" | "service">, note: Note): Promise<ServiceContext | undefined> {
  try {
    const context = await run.service([]);
    note("config", true, fileOf(run.plain().places) ?? "no file; settings are defaults or from the environment");
    return context;
  } catch (error) {
    const faults = ThroughlineError.is(error, "config.invalid") ? error.details["violations"] : undefined;
    note("config", false, Array.isArray(faults) ? `${faults.length} violations: \`throughline config check\` names them` : told(error));
    return undefined;
  }
}

/** Whether there are API keys, where others can reach the service. */
export async function keysCheck(store: Store, { server }: Settings, clock: Clock, note: Note): Promise<void> {
  const keys = await listKeys(store);
  const now = clock.now();
  const active = keys.filter((key) => isActive(key, now)).length;
  const open = active === 0 && !isLoopback(server.host);
  const detail = active === 0 ? `none are active; whoever is on this machine may do everything` : `${active} of ${keys.length} are active`;
  note("API keys", !open, open ? `none are active, and ${server.host} can be reached by others: \`throughline keys create\` makes one` : detail);
}

const patienceMs = 2_000;

/** Whether anybody listens where the service would. */
export async function portCheck({ server: { host, port } }: Settings, note: Note): Promise<void> {
  const place = `${host}:${port}`;
  if (port === 0) return note("service", true, "takes a free port when it starts");
  const taken = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: host === "0.0.0.0" || host === "::" ? "localhost" : host, port, timeout: patienceMs });
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
    socket.once("timeout", () => done(false));
  });
  note("service", true, taken ? `something listens at ${place}; if it is not this service, name another port` : `nothing listens at ${place}`);
}
