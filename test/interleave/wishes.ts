/** What callers want of a session, by chance. */
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "../../packages/throughline/src/index.ts";
import type { WireSession } from "../../packages/server/src/protocol/wire-session.ts";
import { type Round, type Wish, look } from "./caller.ts";
import type { Request } from "./exchange.ts";
import type { DeedType } from "./world.ts";

/** A session that callers talk in. */
export interface Place {
  readonly session: string;
  readonly customer: string;
}

type Asked = { readonly request: Request; readonly on?: string; readonly at?: number } | undefined;
type Maker = (round: Round, place: Place, mark: string) => Asked | Promise<Asked>;

interface WireTurn {
  readonly turn_id: string;
  readonly status: string;
  readonly answers?: readonly number[];
  readonly retries?: readonly number[];
  readonly started_offset?: number;
}

const at = ({ session }: Place): string => `/v1/sessions/${session}`;
const person = (dice: Round["dice"]): string => dice.one(["mo", "bo"]);
const post = (path: string, body?: unknown): Asked => ({ request: { method: "POST", path, ...(body === undefined ? {} : { body }) } });
const patch = (path: string, body: unknown, headers?: Readonly<Record<string, string>>): Asked => ({
  request: { method: "PATCH", path, body, ...(headers === undefined ? {} : { headers }) },
});
const message = (place: Place, body: JsonObject): Asked => post(`${at(place)}/events`, { kind: "message", ...body });
const listIn = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as readonly string[]) : []);
const ifMatch = (version: number): Readonly<Record<string, string>> => ({ "if-match": `"${version}"` });

async function lastTurn(round: Round, place: Place, query: string): Promise<WireTurn | undefined> {
  return (await look<{ readonly items: readonly WireTurn[] }>(round, `${at(place)}/turns?limit=1&order=desc${query}`))?.items[0];
}

/** Each of the deeds, from what is there at the time; undefined where there is nothing to do. */
const makers: Readonly<Record<DeedType, Maker>> = {
  say: (_round, place, text) => message(place, { source: "customer", text }),
  speak: ({ dice }, place, text) => message(place, { source: "human_agent", text, participant: { display_name: person(dice) } }),
  behalf: (_round, place, text) => message(place, { source: "human_agent_on_behalf_of_ai_agent", text }),
  note: (_round, place, mark) => post(`${at(place)}/events`, { kind: "custom", data: { mark } }),
  edit: (_round, place, mark) => patch(`${at(place)}/state`, { delta: { edits: [mark] } }),
  async edit_list(round, place, mark) {
    const seen = await look<{ readonly state_offset: number; readonly state: JsonObject }>(round, `${at(place)}/state?view=internal`);
    if (seen === undefined) return undefined;
    const delta = { list: [...listIn(seen.state["list"]), mark] };
    return { ...patch(`${at(place)}/state`, { delta, expected_offset: seen.state_offset })!, at: seen.state_offset };
  },
  title: (_round, place, title) => patch(at(place), { title }),
  flip: ({ dice }, place, title) => patch(at(place), { title, mode: dice.one(["manual", "auto"]) }),
  label: (_round, place, mark) => patch(at(place), { labels: { add: [mark] } }),
  bookmark: ({ dice }, place, mark) => patch(at(place), { consumers: { [mark]: dice.integer(0, 9) } }),
  async metadata(round, place, mark) {
    const session = await look<WireSession>(round, at(place));
    if (session === undefined) return undefined;
    return patch(at(place), { metadata: { list: [...listIn(session.metadata?.["list"]), mark] } }, ifMatch(session.version));
  },
  async variables(round, { customer }, mark) {
    const path = `/v1/customers/${customer}/variables`;
    const seen = await look<{ readonly values: JsonObject; readonly version: number }>(round, path);
    if (seen === undefined) return undefined;
    return { ...patch(path, { list: [...listIn(seen.values["list"]), mark] }, ifMatch(seen.version))!, on: customer };
  },
  async customer(round, { customer }, mark) {
    const path = `/v1/customers/${customer}`;
    const seen = await look<{ readonly metadata: JsonObject; readonly version: number }>(round, path);
    if (seen === undefined) return undefined;
    return { ...patch(path, { metadata: { list: [...listIn(seen.metadata["list"]), mark] } }, ifMatch(seen.version))!, on: customer };
  },
  own_variable: (_round, place, mark) => ({ request: { method: "PUT", path: `${at(place)}/variables/${mark}`, body: { value: mark } } }),
  hand_over: (_round, place, reason) => post(`${at(place)}/handover`, { reason }),
  assign: (_round, place, operator) => post(`${at(place)}/handover/assign`, { operator }),
  hand_back: ({ dice }, place, summary) => post(`${at(place)}/handover/back`, { summary, resume: dice.chance(0.5) }),
  start: (_round, place) => post(`${at(place)}/turns`),
  async stop(round, place, text) {
    const turn = await lastTurn(round, place, "");
    return turn === undefined || turn.status === "ended" ? undefined : post(`${at(place)}/turns/${turn.turn_id}/stop`, { message: text });
  },
  async retry(round, place) {
    const turn = await lastTurn(round, place, "&status=ended");
    return turn === undefined ? undefined : post(`${at(place)}/turns/${turn.turn_id}/retry`);
  },
  async withdraw(round, place) {
    const turn = await lastTurn(round, place, "");
    const own = turn?.answers?.filter((offset) => turn.retries?.includes(offset) !== true) ?? [];
    if (turn?.started_offset === undefined) return undefined;
    const from = Math.min(turn.started_offset, ...own);
    return { request: { method: "DELETE", path: `${at(place)}/events?min_offset=${from}` }, at: from };
  },
  async fork(round, place, title) {
    if (round.dice.chance(0.5)) return post(`${at(place)}/fork`, { title });
    const session = await look<WireSession>(round, at(place));
    return session === undefined ? undefined : post(`${at(place)}/fork`, { title, at: round.dice.integer(0, session.head) });
  },
  delete: (_round, place) => ({ request: { method: "DELETE", path: at(place) } }),
};

/** How often each is wished for. A session is deleted only by whoever has forked it. */
const weights: Readonly<Record<DeedType, number>> = {
  ...{
    say: 16,
    speak: 2,
    behalf: 1,
    note: 3,
    edit: 4,
    edit_list: 4,
    title: 1,
    flip: 2,
    label: 2,
    bookmark: 1,
    metadata: 3,
    variables: 3,
    customer: 2,
  },
  ...{ own_variable: 2, hand_over: 2, assign: 2, hand_back: 5, start: 2, stop: 6, retry: 5, withdraw: 3, fork: 2, delete: 0 },
};
const drawn = (Object.entries(weights) as [DeedType, number][]).flatMap(([type, weight]) => Array.from({ length: weight }, () => type));

/** What rests on what was there. */
const considered: ReadonlySet<DeedType> = new Set(["edit_list", "metadata", "variables", "customer", "withdraw", "stop", "fork"]);

/** Something that somebody wants of a session; undefined where there is nothing to want. */
export async function wishFor(round: Round, place: Place, type: DeedType = round.dice.one(drawn)): Promise<Wish | undefined> {
  const mark = round.mark();
  const asked = await makers[type](round, place, mark);
  // Whoever has looked thinks for a while, and others do not wait.
  if (considered.has(type)) await delay(round.dice.integer(0, 60));
  return asked === undefined ? undefined : { type, mark, on: place.session, ...asked };
}
