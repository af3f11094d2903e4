/** A `fetch` that answers as it is told, and remembers what it was asked. */
import type { Fetch } from "../../packages/client/src/client.ts";

/** One request, as it was sent. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** An answer, an error to throw, or something that never ends. */
export type Step = Response | Error | "hang" | "hung body" | "cut body" | ((sent: Sent) => Response);

/** A problem, as the service answers it. */
export const problem = (status: number, code: string, more: object = {}, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(
    JSON.stringify({ type: `/errors/${code}`, title: "T", status, detail: "What was seen.", code, hint: "What to do.", request_id: "r1", ...more }),
    {
      status,
      headers: { "content-type": "application/problem+json", ...headers },
    },
  );

export const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json", ...headers } });

const bodyThat = (end: (controller: ReadableStreamDefaultController<Uint8Array>) => void): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{"half":'));
        end(controller);
      },
    }),
    { status: 200 },
  );

/** Answers one step after the other; the last one again and again. */
export function scriptedFetch(...steps: readonly Step[]): { readonly fetch: Fetch; readonly sent: readonly Sent[] } {
  const sent: Sent[] = [];
  const fetch: Fetch = (url, { method = "GET", headers, body, signal }) => {
    const one = { method, url, headers: new Headers(headers), body: typeof body === "string" ? body : undefined };
    const step = steps[Math.min(sent.length, steps.length - 1)];
    sent.push(one);
    if (step === undefined || step === "hang")
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));
    // A body that listens to nobody.
    if (step === "hung body") return Promise.resolve(bodyThat(() => {}));
    if (step === "cut body") return Promise.resolve(bodyThat((controller) => controller.error(new TypeError("terminated"))));
    if (step instanceof Error) return Promise.reject(step);
    return Promise.resolve(typeof step === "function" ? step(one) : step.clone());
  };
  return { fetch, sent };
}
