/** A collector: takes spans as OTLP over HTTP in JSON, and keeps them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { z } from "zod";

const attribute = z.object({
  key: z.string(),
  value: z.object({ stringValue: z.string(), intValue: z.union([z.string(), z.number()]), doubleValue: z.number() }).partial(),
});
const otlpSpan = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(attribute).default([]),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
});
const body = z.object({ resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(otlpSpan) })) })) });

/** A span as the collector got it. */
export type OtlpSpan = z.infer<typeof otlpSpan>;

export interface Collector {
  readonly url: string;
  readonly spans: readonly OtlpSpan[];
  /** All bodies as they came. */
  readonly raw: readonly string[];
  /** The `Authorization` of each request. */
  readonly authorizations: readonly (string | undefined)[];
  /** Resolves with the first span that fits, now or later. */
  readonly until: (fits: (span: OtlpSpan) => boolean) => Promise<OtlpSpan>;
}

/** Starts a collector, stopped when the test ends. */
export async function collector(): Promise<Collector> {
  const spans: OtlpSpan[] = [];
  const raw: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      raw.push(text);
      authorizations.push(request.headers.authorization);
      const { resourceSpans } = body.parse(JSON.parse(text));
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
      for (const look of [...waiting]) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    raw,
    authorizations,
    until: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = spans.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** The value of a span's attribute. */
export function valueOf(span: OtlpSpan, name: string): string | number | undefined {
  const value = span.attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue ?? value?.doubleValue;
}
