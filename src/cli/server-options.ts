import type { Settings } from "../config/settings.ts";
import type { ServerOptions } from "../server/create-server.ts";

/** What the settings say of the service. */
export function serverOptions({ server }: Settings): Omit<ServerOptions, "runtime" | "store" | "agents"> {
  const { host, port, limits, heartbeat_seconds } = server;
  return {
    host,
    port,
    limits: {
      bodyBytes: limits.body_bytes,
      eventBytes: limits.event_bytes,
      pageEvents: limits.page_events,
      waiters: limits.waiters,
      requestsPerMinute: limits.requests_per_minute,
      eventReadsPerMinute: limits.event_reads_per_minute,
      slowReaderMs: limits.slow_reader_seconds * 1000,
      heartbeatMs: heartbeat_seconds * 1000,
      waitMs: limits.wait_seconds * 1000,
    },
  };
}
