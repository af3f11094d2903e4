/** People, their conversations and their memories, and what can happen to them: each act keeps the books of who may still be shown what. */
import {
  defineAgent,
  defineState,
  input,
  loop,
  recentMessages,
  scripted,
  variables,
  type Agent,
  type ModelRequest,
  type Runtime,
  type Session,
  type SessionId,
  type Store,
} from "../../../../packages/throughline/src/index.ts";
import { z } from "zod";
import {
  memory,
  memoryControl,
  proceduralRules,
  recalledMemory,
  recallToggle,
  sessionMemory,
  type EmbeddingProvider,
} from "../../../../packages/throughline/src/memory.ts";
import { factGiven } from "../../../../packages/throughline/src/memory/control/change-entries.ts";
import {
  arcEntryId,
  profileId,
  vectorEntryId,
  type Arc,
  type Fact,
  type Profile,
  type Entry,
  bufferEntryId,
  emptyBuffer,
} from "../../../../packages/throughline/src/memory/entry.ts";
import { unitVector, vectorData } from "../../../../packages/throughline/src/memory/recall/dense.ts";
import { decodeEntry, encodeEntry } from "../../../../packages/throughline/src/memory/write/decode.ts";
import { factEntryId } from "../../../../packages/throughline/src/memory/write/key.ts";
import type { Extractor } from "../../../../packages/throughline/src/memory/write/check-candidate.ts";
import { type Chooser, fixedClock, type FixedClock } from "../../../../packages/throughline/src/testing/test-clock.ts";
import { started } from "../../harness.ts";
import { quote, Secrets, sentence, type Secret } from "./secrets.ts";

export const styles = ["warm", "brief", "plain"] as const;
const State = defineState({ message: input(z.string()), style: input(z.string(), { initial: "warm" }) });

/** Vectors of letters: what is written alike is near. */
export const letterVectors: EmbeddingProvider = {
  id: "test:letters@26",
  dimensions: 26,
  maxBatch: 100,
  embed: async (texts) => texts.map(vectorOf),
};

function vectorOf(text: string): Float32Array {
  const counts = Array.from({ length: 26 }, () => 0.01);
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) - 97;
    if (at >= 0 && at < 26) counts[at] = (counts[at] ?? 0) + 1;
  }
  return unitVector(counts, 26) ?? new Float32Array(26);
}

/** Finds in every message what it says, and tells it all in an arc. */
const eager: Extractor = {
  name: "eager@1",
  extract: async ({ turns }) => {
    const said = turns.flatMap(({ offset, text }) => {
      const [quoted = "", topic = "", word = ""] = /My (\S+) is called (\w+)/.exec(text) ?? [];
      return word === "" ? [] : [{ offset, quoted, topic, word }];
    });
    return {
      candidates: said.map(({ offset, quoted, word }) => ({
        ...{ type: "fact", category: "context", subject: { type: "User", id: "user" }, predicate: "LIKES", quote: quoted, offset },
        ...{ object: { type: "Thing", id: word }, confidence: "high", reason: "said" },
      })),
      arc:
        said.length === 0
          ? null
          : {
              summary: said.map(({ quoted }) => `${quoted}.`).join(" "),
              themes: said.map(({ topic }) => topic).slice(0, 3),
              open_loops: [],
              resolved: [],
            },
      reason: "all of it",
    };
  },
};

interface Person {
  readonly id: string;
  readonly sessions: Session[];
  readonly incognito: Set<SessionId>;
  /** Counts how often they were erased. */
  life: number;
}

export interface World {
  readonly runtime: Runtime & { readonly store: Store };
  readonly clock: FixedClock;
  readonly dice: Chooser;
  readonly secrets: Secrets;
  readonly people: readonly Person[];
  readonly requests: ModelRequest[];
}

function friend(requests: ModelRequest[], dense: boolean): Agent {
  return defineAgent({
    ...{ name: "friend", version: 1, state: State, keepRequests: true },
    memory: memory({ extractor: eager, tokens: 1_200, ...(dense ? { embedding: letterVectors } : {}) }),
    stages: [memoryControl({ state: State })],
    sections: [
      variables,
      proceduralRules({ audience: ["warm", "brief"] }),
      recallToggle(),
      sessionMemory({ audience: ["warm", "brief"] }),
      recalledMemory({ audience: ["warm", "brief"] }),
      recentMessages({ window: 4 }),
    ],
    prompt: { style: "style", styles },
    reply: loop({ model: scripted((request) => (requests.push(request), "I see.")) }),
  });
}

/** Three people who have said nothing yet. */
export async function newWorld(dice: Chooser): Promise<World> {
  // In the future, so that no request that is kept has expired for the store, which has a clock of its own.
  const clock = fixedClock(Date.UTC(2100, 0, 1));
  const requests: ModelRequest[] = [];
  const runtime = await started({ agents: [friend(requests, dice.chance(0.5))], clock, pollMs: 3_600_000, leaseMs: 600_000, heartbeatMs: 1_000 });
  const people = ["ada", "bob", "eve"].map((id): Person => ({ id, sessions: [], incognito: new Set(), life: 0 }));
  const world = { runtime, clock, dice, secrets: new Secrets(), people, requests };
  for (const person of people) await begin(world, person);
  return world;
}

/** A person with conversations: two that are remembered, one that is not. */
async function begin({ runtime, secrets }: World, person: Person): Promise<void> {
  const hidden = (): string => secrets.plant(undefined, { standing: "gone" }).word;
  await runtime.customers.create({ id: person.id, metadata: { note: hidden() } });
  for (const key of ["1", "2", "incognito"]) {
    const incognito = key === "incognito";
    const session = await runtime.sessions.open({
      ...{ agent: "friend", customer: person.id, key: `${key}-${person.life}`, metadata: { note: hidden() } },
      ...(incognito ? { incognito } : {}),
    });
    person.sessions.push(session);
    if (incognito) person.incognito.add(session.id);
  }
}

/** Says something in a conversation; the request that the model was sent, if it was asked. */
export async function say(world: World, session: Session, text: string, style = "warm"): Promise<ModelRequest | undefined> {
  const before = world.requests.length;
  const note = world.secrets.plant(undefined, { standing: "gone" }).word;
  await session.send(text, { input: { style }, metadata: { note } });
  world.clock.advance(60_000);
  return world.requests.length === before ? undefined : world.requests.at(-1);
}

/** Tells something new. */
export async function tell(world: World, person: Person, session: Session): Promise<ModelRequest | undefined> {
  const secret = world.secrets.plant(person.id, { incognito: person.incognito.has(session.id) });
  secret.sessions.add(session.id);
  const at = world.clock.now();
  const request = await say(world, session, sentence(secret));
  const said = (await session.messages({ last: 8 })).findLast(({ role, text }) => role === "user" && text.includes(secret.word));
  if (said !== undefined) secret.said = { session_id: session.id, offset: said.offset, at };
  return request;
}

type Act = (world: World, person: Person) => Promise<void>;

const ownerOf = async ({ runtime }: World, { id }: Person) => (await runtime.customers.get(id)).owner_id;

async function write(world: World, person: Person, entries: readonly (readonly [string, Entry | null, string?])[]): Promise<void> {
  const writes = entries.map(([entry_id, entry, kind = ""]) => (entry === null ? { entry_id, kind, data: null } : encodeEntry(entry_id, entry)));
  const committed = await world.runtime.store.commit({
    ...{ commit_id: `plant-${world.secrets.all.length}-${world.clock.now()}`, at: world.clock.now() },
    owner: { owner_id: await ownerOf(world, person), entries: writes },
  });
  if (committed.outcome !== "committed") throw new Error(`Not planted: ${committed.reason}.`);
  world.clock.advance(1);
}

/** Those of a person that a condition holds for, of which some act takes one. */
function pick({ secrets, dice }: World, person: Person, condition: (secret: Secret) => boolean): Secret | undefined {
  const found = secrets.of(person.id).filter((secret) => !secret.incognito && condition(secret));
  return found.length === 0 ? undefined : dice.one(found);
}

const isTold = ({ standing, said }: Secret): boolean => standing === "open" && said !== undefined;

function factOf(secret: Secret, more: Partial<Fact> = {}): Fact {
  const { said } = secret;
  if (said === undefined) throw new Error("Nothing was said.");
  const given = { quote: quote(secret), object: { type: "Thing", id: secret.word }, predicate: "LIKES" };
  return { ...factGiven(given, { now: said.at, source: said }), authority: "extraction", ...more };
}

async function vectorFor(world: World, person: Person, of: string, text: string): Promise<void> {
  const data = vectorData(vectorOf(text));
  await write(world, person, [[vectorEntryId(of), { type: "vector", of, provider: letterVectors.id, dimensions: 26, data, digest: "any" }]]);
}

/** A fact as an extraction leaves it: in force, withdrawn, or kept from recall. */
const extract: Act = async (world, person) => {
  const { dice } = world;
  const secret = pick(world, person, (one) => isTold(one) && one.fact === undefined);
  if (secret?.said === undefined) return;
  const way = dice.one(["in force", "in force", "in force", "retracted", "never recall"] as const);
  const standing =
    way === "in force"
      ? dice.maybe(0.3, () => ({ pinned: true as const }))
      : way === "retracted"
        ? { retracted_at: 5 }
        : { never_recall: true as const };
  secret.fact = factEntryId(factOf(secret));
  await write(world, person, [[secret.fact, factOf(secret, { ...standing, sensitivity: dice.one(["ordinary", "personal", "sensitive"]) })]]);
  if (dice.chance(0.5)) await vectorFor(world, person, secret.fact, quote(secret));
  if (way !== "in force") secret.standing = "hidden";
};

/** An arc of a session that quotes what was said in it, in every place that an arc has. */
const tellArc: Act = async (world, person) => {
  const { dice, clock } = world;
  const secret = pick(world, person, isTold);
  if (secret?.said === undefined) return;
  const { session_id } = secret.said;
  const told = world.secrets.of(person.id).filter((one) => isTold(one) && one.said?.session_id === session_id);
  const offsets = told.flatMap(({ said }) => said?.offset ?? []);
  const words = (): string => quote(dice.one(told));
  const episode = dice.integer(50, 99);
  const arc: Arc = {
    ...{ type: "arc", session_id, episode, started_at: secret.said.at, ended_at: clock.now(), turn_count: told.length },
    ...{ from: Math.min(...offsets), upto: Math.max(...offsets), recorded_at: clock.now(), policy: "test", sensitivity: "ordinary" },
    summary: [...told.slice(0, 3).map((one) => `${quote(one)}.`), "They spoke of the weather."].join(" "),
    themes: ["weather", dice.one(told).topic, dice.chance(0.5) ? dice.one(told).word : words()],
    open_loops: [words()],
    resolved: [],
    mood: { opened: words(), closed: "calm" },
    goal: words(),
    approach: "listening",
    approach_context: { action_step: words() },
  };
  await write(world, person, [[arcEntryId(session_id, episode), arc]]);
};

/** Candidates wait in a buffer, which nobody is shown. */
const holdBack: Act = async (world, person) => {
  const secret = world.secrets.plant(person.id, { standing: "hidden" });
  const [session] = person.sessions;
  if (session === undefined) return;
  const held = [
    {
      ...({ type: "fact", category: "context", subject: { type: "User", id: "user" }, predicate: "LIKES", confidence: "high" } as const),
      ...{ object: { type: "Thing", id: secret.word }, quote: quote(secret), offset: 0, reason: "held" },
    },
  ];
  await write(world, person, [[bufferEntryId(session.id, 40), { ...emptyBuffer(session.id, 40), held }]]);
};

/** Rules that are out of force. */
const archive: Act = async (world, person) => {
  const secret = world.secrets.plant(person.id, { standing: "hidden" });
  const [row] = await world.runtime.store.entries({ owner_id: await ownerOf(world, person), entry_id: profileId, newest: true, limit: 1 });
  const known = row === undefined ? undefined : decodeEntry(row)?.entry;
  const profile: Profile = known?.type === "profile" ? known : { type: "profile", recall_enabled: true, rules: [], archived: [] };
  const rule = { ...{ id: secret.word, text: `You say ${secret.word}.`, evidence: [quote(secret)], sources: [], added_at: 1, archived_at: 2 } };
  const archived = { ...rule, confidence: "high", authority: "extraction", superseded_by: "eviction" } as const;
  await write(world, person, [[profileId, { ...profile, archived: [...profile.archived, archived] }]]);
};

const prefer: Act = async ({ runtime, secrets }, person) => {
  const secret = secrets.plant(person.id);
  secret.rule = (await runtime.customers.memory(person.id).savePreference(`Say ${secret.word} to me.`)).id;
};

const unprefer: Act = async (world, person) => {
  const secret = pick(world, person, ({ rule, standing }) => rule !== undefined && standing === "open");
  if (secret?.rule === undefined) return;
  await world.runtime.customers.memory(person.id).forget([`profile/${secret.rule}`]);
  secret.standing = "gone";
};

const correct: Act = async (world, person) => {
  const secret = pick(world, person, (one) => isTold(one) && one.fact !== undefined);
  if (secret?.fact === undefined) return;
  const next = world.secrets.plant(person.id);
  const { entry_id } = await world.runtime.customers.memory(person.id).correct(secret.fact, { object: next.word, quote: quote(next) });
  next.fact = entry_id;
  secret.standing = "hidden";
};

const neverRecall: Act = async (world, person) => {
  const mine = world.runtime.customers.memory(person.id);
  const secret = pick(world, person, (one) => isTold(one) && (one.fact !== undefined || world.dice.chance(0.3)));
  if (secret?.said === undefined) return;
  await mine.neverRecall(secret.fact ?? `turn:${secret.said.session_id}:${secret.said.offset}`);
  secret.standing = "hidden";
};

const pin: Act = async (world, person) => {
  const secret = pick(world, person, (one) => one.standing === "open" && one.fact !== undefined);
  if (secret?.fact !== undefined) await world.runtime.customers.memory(person.id).pin(secret.fact, world.dice.chance(0.7));
};

const forget: Act = async (world, person) => {
  const secret = pick(world, person, (one) => one.standing === "open" && (one.fact !== undefined || one.said !== undefined));
  if (secret === undefined) return;
  const id = secret.fact ?? `turn:${secret.said?.session_id}:${secret.said?.offset}`;
  await world.runtime.customers.memory(person.id).forget([id], { messages: world.dice.chance(0.5) });
  secret.standing = "gone";
};

const clear: Act = async (world, person) => {
  await world.runtime.customers.memory(person.id).clear({ messages: world.dice.chance(0.3) });
  // What was taken back before is not known to the memory any more, and cannot be looked for.
  for (const secret of world.secrets.of(person.id)) if (secret.said !== undefined && !secret.incognito) secret.standing = "gone";
  for (const secret of world.secrets.of(person.id)) if (secret.fact !== undefined || secret.rule !== undefined) secret.standing = "gone";
};

/** Takes back the end of a conversation. */
const withdraw: Act = async (world, person) => {
  const secret = pick(world, person, ({ said }) => said !== undefined);
  const session = person.sessions.find(({ id }) => id === secret?.said?.session_id);
  const from = secret?.said?.offset;
  if (session === undefined || from === undefined) return;
  await session.withdraw({ from });
  for (const one of world.secrets.of(person.id)) {
    if (one.said?.session_id !== session.id || one.said.offset < from || one.standing === "gone") continue;
    // A listing in another conversation still stands there.
    one.standing = "hidden";
    one.sessions.delete(session.id);
    delete one.said;
    delete one.fact;
  }
};

const erase: Act = async (world, person) => {
  await world.runtime.customers.delete(person.id);
  for (const secret of world.secrets.of(person.id)) secret.standing = "gone";
  person.sessions.length = 0;
  person.incognito.clear();
  person.life += 1;
  await begin(world, person);
};

const endEpisode: Act = async ({ clock, runtime, secrets, people }) => {
  clock.advance(21 * 60_000);
  await runtime.closeEpisodes();
  for (const { id } of people) {
    const { facts } = await runtime.customers.memory(id).export({ format: "json" });
    for (const secret of secrets.of(id)) secret.fact ??= facts.find(({ entry }) => entry.object.id === secret.word)?.entry_id;
  }
};

const list: Act = async (world, person) => {
  const session = world.dice.one(person.sessions);
  await say(world, session, "What do you remember about me?");
  if (person.incognito.has(session.id)) return;
  // What was listed stands in the conversation from now on.
  for (const secret of world.secrets.of(person.id)) if (!secret.incognito && secret.standing !== "gone") secret.sessions.add(session.id);
};

const toggle: Act = async ({ runtime, dice }, { id }) => void (await runtime.customers.memory(id).setRecall(dice.chance(0.5)));

/** Acts by how often they come. */
const acts: readonly Act[] = [
  ...[extract, extract, extract, extract, tellArc, tellArc, correct, correct, neverRecall, neverRecall, forget, forget, withdraw],
  ...[holdBack, archive, prefer, unprefer, pin, endEpisode, list, toggle],
];

/** One thing happens to somebody's memory. */
export async function happen(world: World): Promise<void> {
  const { dice, people } = world;
  const act = dice.chance(0.02) ? dice.one([clear, erase]) : dice.one(acts);
  await act(world, dice.one(people));
}
