/** What no model may see is planted in people's conversations and memories; after each thing that happens somebody says something, and the request is searched. */
import { expect, it } from "vitest";
import type { ModelRequest, Session } from "../../../packages/throughline/src/index.ts";
import { createChooser } from "../../../packages/throughline/src/testing/test-clock.ts";
import type { Secret } from "./canary/secrets.ts";
import { happen, newWorld, say, styles, tell, type World } from "./canary/world.ts";

/** `CANARY_STATES=20000 CANARY_SEED=7` for more, or others. */
const states = Number(process.env["CANARY_STATES"] ?? 1_000);
const seed = Number(process.env["CANARY_SEED"] ?? 20_260_001);
const statesInWorld = 50;

type Person = World["people"][number];

/** What of a request the person's memory, or anybody else's, must not have put there. */
function wrongIn({ secrets }: World, { sections, messages }: ModelRequest, person: Person, session: Session): readonly string[] {
  const incognito = person.incognito.has(session.id);
  const told = sections.flatMap(({ name, text }) =>
    secrets
      .in(text)
      .filter((one) => one.customer !== person.id || one.standing !== "open" || one.incognito || incognito)
      .map((one) => `in "${name}": ${text.split("\n").find((line) => line.includes(one.word))} ${nameOf(one)}`),
  );
  const heard = secrets
    .in(JSON.stringify(messages))
    .filter((one) => !one.sessions.has(session.id) || one.standing === "gone")
    .map((one) => `in the conversation: ${nameOf(one)}`);
  return [...told, ...heard];
}

const nameOf = ({ word, standing, customer, fact, said }: Secret): string => JSON.stringify({ word, standing, customer, fact, said });

/** Asks for something by its word. */
async function ask(
  world: World,
  person: Person,
  session: Session,
): Promise<{ readonly request: ModelRequest | undefined; readonly wanted?: Secret }> {
  const { secrets, dice } = world;
  const known = secrets.of(person.id);
  if (known.length === 0 || dice.chance(0.1)) return { request: await say(world, session, "Well, how are you today?", dice.one(styles)) };
  const style = dice.one(styles);
  const open = known.filter(({ standing, incognito, rule }) => standing === "open" && !incognito && rule === undefined);
  const others = secrets.all.filter(({ customer }) => customer !== undefined);
  const asked = dice.one(open.length > 0 && dice.chance(0.6) ? open : dice.one([known, others]));
  const request = await say(world, session, `What is my ${asked.topic} called?`, style);
  const isRemembered = asked.customer === person.id && asked.standing === "open" && !asked.incognito && asked.rule === undefined;
  return { request, ...(isRemembered && style !== "plain" && !person.incognito.has(session.id) ? { wanted: asked } : {}) };
}

it(`no request has metadata, what was replaced, withdrawn, kept back or forgotten, nor another's; and each has what was asked for: ${states} states`, async () => {
  const dice = createChooser(seed);
  let world = await newWorld(dice);
  let [searched, found] = [0, 0];
  const wrong: string[] = [];
  for (let state = 0; state < states; state++) {
    if (state % statesInWorld === 0) {
      await world.runtime.close({ drainMs: 0 });
      world = await newWorld(dice);
    }
    await happen(world);
    const person = dice.one(world.people);
    const session = dice.one(person.sessions);
    const { request, wanted } = dice.chance(0.5) ? { request: await tell(world, person, session) } : await ask(world, person, session);
    if (request === undefined) continue;
    searched += 1;
    wrong.push(...wrongIn(world, request, person, session).map((what) => `state ${state}, ${what}`));
    // What is kept of a request is that request.
    if ((await session.prompt())?.body !== JSON.stringify(request)) wrong.push(`state ${state}, kept otherwise than asked`);
    if (wanted === undefined) continue;
    if (!JSON.stringify(request).includes(wanted.word)) wrong.push(`state ${state}, asked for and not given: ${nameOf(wanted)}`);
    found += 1;
  }
  expect(wrong.slice(0, 10), `seed ${seed}, ${wrong.length} faults`).toEqual([]);
  expect(searched).toBeGreaterThan(states * 0.8);
  expect(found).toBeGreaterThan(states * 0.05);
}, 120_000);
