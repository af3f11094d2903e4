import type { Settings } from "../../config/settings.ts";
import type { ServerOptions } from "../../server/create-server.ts";
import type { Limits } from "../../server/service.ts";

const allowance = (given: Settings["server"]["limits"]["customer"]): Limits["customer"] => ({
  waiters: given.waiters,
  requestsPerMinute: given.requests_per_minute,
  eventReadsPerMinute: given.event_reads_per_minute,
});

/** What the settings say of the service. */
export function serverOptions({ server, auth }: Settings): Omit<ServerOptions, "runtime" | "store" | "agents"> {
  const { host, port, limits, base_url } = server;
  const { token_secret, former_token_secrets } = auth;
  const own = base_url === undefined ? [] : [new URL(base_url).hostname];
  return {
    host,
    port,
    hosts: [...server.hosts, ...own],
    origins: server.cors.origins,
    demo: server.demo,
    ...(token_secret === undefined ? {} : { tokenSecrets: [token_secret, ...former_token_secrets].map((one) => one.reveal()) }),
    tokenTtl: { customerMs: auth.token_ttl_seconds * 1000, streamMs: auth.stream_token_ttl_seconds * 1000 },
    limits: {
      bodyBytes: limits.body_bytes,
      eventBytes: limits.event_bytes,
      pageEvents: limits.page_events,
      ...allowance(limits),
      customer: allowance(limits.customer),
      slowReaderMs: limits.slow_reader_seconds * 1000,
      heartbeatMs: server.heartbeat_seconds * 1000,
      waitMs: limits.wait_seconds * 1000,
      headersMs: server.headers_seconds * 1000,
      requestMs: server.request_seconds * 1000,
    },
  };
}
