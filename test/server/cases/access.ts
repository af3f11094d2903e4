/** M: who is let in. */
import { expect } from "vitest";
import { operations } from "../../../packages/server/src/protocol/operations.ts";
import { send } from "../../setup/server.ts";
import { at, problem, say, type Case } from "./world.ts";

const anywhere = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => (name === "session_id" ? `ses_${"0".repeat(26)}` : "x"));

export const access: readonly Case[] = [
  {
    id: "access-4",
    what: "without a key, and with one that is none, no operation answers but those that are open to all",
    run: async ({ one, two }) => {
      for (const [id, { method, path, scope }] of Object.entries(operations)) {
        if ((scope as string) === "open") continue;
        const without = await send(one.url, method, anywhere(path));
        expect(without, id).toMatchObject(problem(401, "auth.required"));
        expect(without.headers.get("www-authenticate")).toBe(`Bearer realm="throughline"`);
      }
      for (const authorization of ["Bearer x", "Bearer tl_live_0000000000000000_x", "Basic eDp5", "x"])
        expect((await send(two.url, "GET", "/v1/sessions", undefined, { authorization })).status, authorization).toBe(401);
    },
  },
  {
    id: "M5",
    what: "whether a service lives is told to anybody, and is not held up by its database",
    run: async ({ one, two }) => {
      for (const { url } of [one, two])
        for (const path of ["/health", "/livez", "/readyz", "/version", "/openapi.json"])
          expect((await send(url, "GET", path)).status, path).toBe(200);
      expect((await send(one.url, "GET", "/health")).body).toEqual({ status: "ok" });
    },
  },
  {
    id: "access-9",
    what: "with a customer's token somebody else's session is not there, by any path",
    run: async (world) => {
      const [ada, bob] = [await world.make(), await world.make()];
      const event = await say(world, bob, "private");
      const { token } = (await world.one.ask("POST", "/v1/tokens", { customer_id: ada.customer_id })).body;
      const asAda = (method: string, path: string, body?: unknown) => world.two.ask(method, path, body, { authorization: `Bearer ${token}` });
      expect((await asAda("GET", at(ada))).status).toBe(200);
      const refused = [
        ...[await asAda("GET", at(bob)), await asAda("GET", at(bob, "/events")), await asAda("GET", at(bob, `/events/${event.id}`))],
        ...[await asAda("GET", at(bob, "/events?format=sse")), await asAda("GET", `/v1/stream?sessions=${ada.id},${bob.id}`)],
        ...[await asAda("GET", at(bob, "/state")), await asAda("POST", at(bob, "/events"), { kind: "message", text: "hi" })],
        await asAda("POST", "/v1/stream-tokens", { sessions: [bob.id] }),
      ];
      for (const answer of refused) expect(answer).toMatchObject(problem(404, "session.not_found"));
      expect(await asAda("GET", at(ada, `/events/${event.id}`))).toMatchObject(problem(404, "event.not_found"));
    },
  },
  {
    id: "M10",
    what: "above a limit of requests, of all processes together, it is 429 with when to come again, for each caller; events have a limit of their own",
    run: async (world) => {
      const session = await world.make();
      const { token } = (await world.one.ask("POST", "/v1/tokens", { customer_id: session.customer_id })).body;
      const ask = (path: string, service = world.two) => service.ask("GET", path, undefined, { authorization: `Bearer ${token}` });
      const began = performance.now();
      const answers = await Promise.all(Array.from({ length: 150 }, (_, index) => ask(at(session), index % 3 === 0 ? world.one : world.two)));
      const over = answers.filter(({ status }) => status === 429);
      const admitted = answers.filter(({ status }) => status === 200).length;
      const seconds = (performance.now() - began) / 1_000;
      expect(admitted).toBeGreaterThanOrEqual(100);
      expect(admitted).toBeLessThanOrEqual(120 + Math.ceil(2 * (seconds + 5)));
      expect(over.length).toBeGreaterThan(0);
      for (const answer of over) {
        expect(answer).toMatchObject(problem(429, "limit.rate"));
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      expect((await ask(at(session, "/events"))).status).toBe(200);
      expect((await world.two.ask("GET", at(session))).status).toBe(200);
    },
  },
];
