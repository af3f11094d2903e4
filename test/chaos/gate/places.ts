import { openStore } from "../../../packages/throughline/src/index.ts";
import type { Clock } from "../../../packages/throughline/src/kernel/clock.ts";
import { openMemoryStore } from "../../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import type { Store } from "../../../packages/throughline/src/store/port.ts";
import { postgresPlace, sqlitePlace } from "../place.ts";

export interface GatePlace {
  readonly open: (clock: Clock) => Promise<Store>;
  remove(): Promise<void>;
}

/** A place for an empty store: in memory, in a file, or in a database of its own on a server. */
export async function openPlace(kind: "memory" | "sqlite" | "postgres", url: string | undefined): Promise<GatePlace> {
  if (kind === "memory") return { open: (clock) => Promise.resolve(openMemoryStore({ clock })), remove: () => Promise.resolve() };
  const place = kind === "sqlite" ? await sqlitePlace() : await postgresPlace({ ...(url === undefined ? {} : { url }), crashes: 0 });
  return { open: (clock) => openStore(place.location, { clock }), remove: () => place.remove() };
}
