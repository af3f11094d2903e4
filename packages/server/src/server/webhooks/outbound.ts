/**
 * Requests to servers that a caller or a customer has named: webhooks and callbacks. They reach public addresses only, and connect to the address
 * that was checked, so that a DNS answer that changes meanwhile has no effect.
 */
import { lookup as lookUp } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { type Clock, seen, systemClock, ThroughlineError } from "throughline/kernel";
import { isHost } from "throughline/internal";
import { bareHost, isPublicAddress, parseTarget, refusedRequest } from "./public-address.ts";

/** Options of {@link createOutbound}. */
export interface OutboundOptions {
  /**
   * Hosts whose addresses are not checked, for receivers in the own network and for development: `hooks.internal`, `127.0.0.1`, `::1`. With a port,
   * as in `localhost:8080` and `[::1]:8080`, only that one. None by default.
   */
  readonly allowHosts?: readonly string[];
  /** Resolves a host name to IP addresses; the system's resolver by default. */
  readonly lookup?: (host: string) => Promise<readonly string[]>;
  /** Milliseconds for one request in all, from the look-up to the end of the answer; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Maximum number of bytes of an answer that are read; 16,384 by default. The rest is not received. */
  readonly answerBytes?: number;
  readonly clock?: Clock;
}

/** What to send. */
export interface OutboundRequest {
  readonly body: string;
  /** Further headers. `authorization`, `cookie` and those of the connection are refused. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Called when the address is known and nothing was sent. If it throws, nothing is sent. */
  readonly beforeSend?: () => Promise<void> | void;
}

/** The answer of a server. Redirects are answers like all others: nothing follows them. */
export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body, as UTF-8. */
  readonly body: string;
  /** Whether the body is longer than what was read, or did not end in time. */
  readonly cut: boolean;
}

/** Sends requests to foreign servers. */
export interface Outbound {
  /** Checks an address as far as that is possible without a look-up. Throws `outbound.refused`. */
  check(url: string): URL;
  /**
   * Posts to an address. Throws `outbound.refused` if it leads to no public server, `outbound.failed` if the server cannot be reached or does not
   * answer in time, and the signal's reason if that aborts.
   */
  post(url: string, request: OutboundRequest): Promise<OutboundAnswer>;
  /** Closes the idle connections. */
  close(): void;
}

/** Headers that would hand on our credentials, or that the connection decides. */
const forbidden: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "host",
  "proxy-authorization",
  "transfer-encoding",
  "upgrade",
]);

const resolved = async (host: string): Promise<readonly string[]> => (await lookUp(host, { all: true })).map(({ address }) => address);

/** Milliseconds for which an idle connection is kept, for the next request to the same address. */
const idleMs = 4_000;

const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { readonly version: string };

/** How the service names itself to other servers. */
export const userAgent = `throughline/${version}`;

/** Most milliseconds that a receiver can ask to wait with `Retry-After`. */
const mostRetryAfterMs = 3_600_000;

/** Milliseconds that an answer asks to wait for. */
export function retryAfterOf({ headers }: Pick<OutboundAnswer, "headers">): number | undefined {
  const seconds = Number(headers["retry-after"]);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, mostRetryAfterMs) : undefined;
}

/** Creates a sender of requests. */
export function createOutbound(options: OutboundOptions = {}): Outbound {
  const { lookup = resolved, timeoutMs = 10_000, answerBytes = 16_384, clock = systemClock } = options;
  for (const host of options.allowHosts ?? [])
    if (!isHost(host))
      throw new ThroughlineError("input.invalid", `An allowed host is a name or an IP address, with or without a port, got ${seen(host)}.`, {
        details: { path: "allowHosts" },
      });
  const allowed = new Set((options.allowHosts ?? []).map((host) => host.toLowerCase().replace(/^\[([^\]]*)\]$/, "$1")));
  const isAllowed = (url: URL): boolean => {
    const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
    return allowed.has(bareHost(url)) || allowed.has(`${url.hostname}:${port}`);
  };
  // The name of a pooled connection contains its address and the name that its certificate was checked for.
  const pooled = { keepAlive: true, timeout: idleMs, maxFreeSockets: 64 };
  const agents = { http: new HttpAgent(pooled), https: new HttpsAgent(pooled) };

  const check = (text: string): URL => {
    const url = parseTarget(text);
    const host = bareHost(url);
    if (isIP(host) !== 0 && !isPublicAddress(host) && !isAllowed(url)) throw refusedRequest(`${host} is not the address of a public server.`);
    return url;
  };

  /** The addresses of a host. One private address among them is enough to refuse all: public servers have none. */
  const addressesOf = async (url: URL): Promise<readonly string[]> => {
    const host = bareHost(url);
    const addresses = isIP(host) === 0 ? await lookup(host) : [host];
    if (addresses.length === 0) throw new ThroughlineError("outbound.failed", `${host} has no address.`);
    if (!isAllowed(url)) {
      const inside = addresses.find((address) => !isPublicAddress(address));
      if (inside !== undefined) throw refusedRequest(`${host} has the address ${inside}, which is not that of a public server.`);
    }
    return addresses;
  };

  const post = async (text: string, { body, headers = {}, signal, beforeSend }: OutboundRequest): Promise<OutboundAnswer> => {
    const url = check(text);
    for (const name of Object.keys(headers))
      if (forbidden.has(name.toLowerCase())) throw refusedRequest(`The header ${name} is not sent to other servers.`);
    signal?.throwIfAborted();
    const over = new AbortController();
    const done = new AbortController();
    const late = clock.sleep(timeoutMs, done.signal).then(
      () => over.abort(new ThroughlineError("outbound.failed", `${url.host} did not answer within ${timeoutMs} ms.`)),
      () => {},
    );
    const leave = (): void => over.abort(signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      const addresses = await orAborted(addressesOf(url), over.signal);
      await orAborted(Promise.resolve(beforeSend?.()), over.signal);
      const sent = { url, body: Buffer.from(body), headers, signal: over.signal, agents, answerBytes };
      return await sendToFirst(addresses, sent);
    } catch (error) {
      if (over.signal.aborted) throw over.signal.reason;
      if (ThroughlineError.is(error)) throw error;
      throw new ThroughlineError("outbound.failed", `${url.host} could not be reached${codeOf(error)}.`, { cause: error });
    } finally {
      signal?.removeEventListener("abort", leave);
      done.abort();
      await late;
    }
  };
  return {
    check,
    post,
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";

/** Waits for a result or for the signal. A look-up cannot be stopped, so its late result is dropped. */
function orAborted<Value>(result: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

interface Sent {
  readonly url: URL;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  readonly answerBytes: number;
}

/** Errors of a connection that was never made, so the next address may be tried. */
const unconnected: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "ENETDOWN", "EHOSTDOWN"]);

/** Sends to the first address that accepts a connection. */
async function sendToFirst(addresses: readonly string[], sent: Sent): Promise<OutboundAnswer> {
  for (const [index, address] of addresses.entries()) {
    try {
      return await sendTo(address, sent);
    } catch (error) {
      const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
      if (!unconnected.has(code) || index === addresses.length - 1) throw error;
    }
  }
  throw new ThroughlineError("outbound.failed", `${sent.url.host} has no address.`);
}

/** A pooled connection that the server closed before it received anything of the request. The request is sent again over a new one. */
const isStale = (request: ClientRequest, error: Error): boolean => request.reusedSocket && "code" in error && error.code === "ECONNRESET";

function sendTo(address: string, sent: Sent, fresh = false): Promise<OutboundAnswer> {
  const { url, body, headers, signal, agents, answerBytes } = sent;
  const isSecure = url.protocol === "https:";
  const name = bareHost(url);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const options = {
      // The address that was checked. Without a name to look up, nothing is looked up again.
      host: address,
      port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
      path: `${url.pathname}${url.search}`,
      method: "POST",
      setHost: false,
      // Also without pooling, the certificate is checked for the name and not for the address.
      ...(isSecure && isIP(name) === 0 ? { servername: name } : {}),
      headers: { ...headers, host: url.host, "content-length": String(body.byteLength), ...(fresh ? { connection: "close" } : {}) },
      signal,
    };
    const request = isSecure
      ? requestHttps({ ...options, agent: fresh ? false : agents.https })
      : requestHttp({ ...options, agent: fresh ? false : agents.http });
    let isAnswered = false;
    request.on("error", (error) => {
      // What was read of the answer counts.
      if (isAnswered) return;
      if (isStale(request, error) && !fresh && !signal.aborted) resolve(sendTo(address, sent, true));
      else reject(error);
    });
    request.on("response", (response) => {
      isAnswered = true;
      void readAnswer(response, answerBytes).then(resolve, reject);
    });
    // A server may answer early; what it says about the upgrade of the connection is an answer too.
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: {}, body: "", cut: false });
    });
    request.end(body);
  });
}

/**
 * Reads the beginning of an answer. A longer answer is cut off together with its connection. The status is known by then, so a body that does not end, or
 * breaks off, makes no failure of it.
 */
async function readAnswer(response: IncomingMessage, most: number): Promise<OutboundAnswer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let isWhole = false;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.byteLength;
      if (bytes > most) break;
    }
    isWhole = bytes <= most;
  } catch {
    // Cut off.
  }
  const headers = Object.fromEntries(
    Object.entries(response.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
  return { status: response.statusCode ?? 0, headers, body: Buffer.concat(pieces).toString("utf8", 0, Math.min(bytes, most)), cut: !isWhole };
}
