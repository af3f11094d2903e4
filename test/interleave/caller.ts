/** Somebody who asks the service for things: sends them again when nobody answers, when asked to, and now and then when nobody asked. */
import { setTimeout as delay } from "node:timers/promises";
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { type Answer, type Request, bodyOf, codeOf, exchange } from "./exchange.ts";
import type { Deed, DeedType, Told } from "./world.ts";

/** What all callers of a round share. */
export interface Round {
  readonly dice: Chooser;
  readonly doors: readonly string[];
  readonly deeds: Deed[];
  /** A mark that nothing else has. */
  mark(): string;
  readonly count: { lost: number; resent: number; replayed: number };
}

/** What is to be done. */
export interface Wish {
  readonly type: DeedType;
  readonly mark: string;
  readonly on: string;
  readonly request: Request;
  readonly at?: number;
  /** It names itself, so that it is asked for until it is done; by chance if left out. */
  readonly keyed?: true;
}

/** Tries until something is answered: more than any harm takes. */
const mostTries = 400;

/** Whether an answer says to come again. A conflict is the end of a deed that rests on what it has seen. */
function passes(answer: Answer, { type }: Pick<Wish, "type">): boolean {
  const code = codeOf(answer);
  if (code === "session.conflict") return type !== "edit_list";
  return answer.status === 503 || answer.status === 429 || code === "request.in_progress";
}

const toldBy = (answer: Answer): Told => {
  const code = codeOf(answer);
  return { status: answer.status, text: answer.text, ...(code === undefined ? {} : { code }) };
};

/** Sends a request through one of the doors, or through both at once; the answers that are final. */
async function send(round: Round, wish: Wish, given: { readonly key: string | undefined; readonly body?: unknown }): Promise<readonly Told[]> {
  const { dice, doors, count } = round;
  const { key, body = wish.request.body } = given;
  const headers = { ...wish.request.headers, ...(key === undefined ? {} : { "idempotency-key": key }) };
  const request = { ...wish.request, ...(body === undefined ? {} : { body }), headers };
  const ways = key !== undefined && dice.chance(0.12) ? doors : [dice.one(doors)];
  if (ways.length > 1) count.resent += 1;
  const answers = await Promise.all(ways.map((door) => exchange(door, request)));
  const there = answers.filter((answer) => answer !== undefined);
  count.lost += answers.length - there.length;
  count.replayed += there.filter((answer) => answer.headers["idempotent-replayed"] === "true").length;
  return there.filter((answer) => !passes(answer, wish)).map(toldBy);
}

/** Asks for something, and notes what came of it. Without a key it is asked for once. */
export async function perform(round: Round, wish: Wish): Promise<Deed> {
  const { dice, count, deeds } = round;
  const key = wish.keyed === true || dice.chance(0.85) ? wish.mark : undefined;
  const told: Told[] = [];
  const misused: Told[] = [];
  for (let tries = 0; told.length === 0 && tries < (key === undefined ? 1 : mostTries); tries++) {
    if (tries > 0) {
      count.resent += 1;
      await delay(dice.integer(5, 40));
    }
    told.push(...(await send(round, wish, { key })));
  }
  const { type, mark, on, at } = wish;
  const deed: Deed = { type, mark, on, keyed: key !== undefined, ...(at === undefined ? {} : { at }), told, misused };
  deeds.push(deed);
  if (key === undefined) return deed;
  if (dice.chance(0.3)) {
    await delay(dice.integer(0, 60));
    count.resent += 1;
    told.push(...(await send(round, wish, { key })));
  }
  const { body } = wish.request;
  if (told.some(({ status }) => status < 300) && typeof body === "object" && dice.chance(0.05))
    misused.push(...(await send(round, wish, { key, body: otherBody(wish) })));
  return deed;
}

/** A body of the same shape that asks for something else. */
const otherBody = ({ request: { body }, mark }: Wish): unknown => JSON.parse(JSON.stringify(body).replaceAll(mark, `${mark}x`));

/** Reads something; asks until it is answered. Undefined for what is not there. */
export async function look<Body>({ dice, doors }: Pick<Round, "dice" | "doors">, path: string): Promise<Body | undefined> {
  for (let tries = 0; tries < mostTries; tries++) {
    const answer = await exchange(dice.one(doors), { method: "GET", path });
    if (answer?.status === 404) return undefined;
    if (answer?.status === 200) return bodyOf<Body>(answer);
    if (answer !== undefined && answer.status !== 503) throw new Error(`GET ${path} was answered with ${answer.status}: ${answer.text}`);
    await delay(dice.integer(5, 40));
  }
  throw new Error(`GET ${path} is not answered.`);
}
