/** Plays conversations to the companion as it comes: offline, by rules, in a store that forgets. */
import { createRuntime, openStore, type Runtime, type Session, scripted, systemClock } from "../../packages/throughline/src/index.ts";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { phrases } from "../../packages/companion/src/companion-gate.ts";
import { offlineModel } from "../../packages/companion/src/offline/offline-model.ts";
import { isPlainObject } from "../../packages/throughline/src/kernel/json.ts";
import type { AssessmentRecord } from "../../packages/throughline/src/safety/assessment.ts";
import type { PlanStep } from "../../packages/throughline/src/safety/crisis-plan.ts";
import type { SafetyPhrases } from "../../packages/throughline/src/safety/reply/safety-phrases.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import type { Trajectory, Turn } from "./trajectories.ts";

/** One thing that a turn had to come to. */
export interface Checked {
  readonly trajectory: string;
  /** From 1. */
  readonly turn: number;
  /** The place in the output, or `reply`, `never`, `status`. */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
  readonly ok: boolean;
}

interface Came {
  readonly status: string;
  readonly reply: string;
  readonly output: unknown;
  readonly record: AssessmentRecord | undefined;
  /** The reply before, and its question. */
  readonly before: { readonly reply: string; readonly asks: readonly string[] };
}

/** The value at a path with dots; undefined where there is none. */
const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, name) => (isPlainObject(inner) ? inner[name] : undefined), value);

type Seen = Omit<Checked, "trajectory" | "turn">;

/** The sentences of each question of the plan. */
const sentences: Readonly<Record<NonNullable<PlanStep["ask"]>, (one: SafetyPhrases) => readonly string[]>> = {
  safe: ({ ask_safe }) => ask_safe,
  last_time: ({ last_time, last_time_other }) => [...last_time, ...last_time_other],
  suicide: ({ ask_directly, ask_directly_other }) => [...ask_directly, ...ask_directly_other],
  plan: ({ ask_plan }) => ask_plan,
  means: ({ ask_means }) => ask_means,
  time: ({ ask_time }) => ask_time,
  someone: ({ ask_someone }) => ask_someone,
  willing: ({ ask_willing }) => ask_willing,
  barriers: ({ ask_barriers }) => ask_barriers,
  location: ({ ask_location }) => [ask_location],
  check_in: ({ ask_check_in }) => ask_check_in,
  reached: ({ ask_reached }) => ask_reached,
};

/** The questions of the plan in a reply of prepared sentences. */
const questionsIn = (reply: string): readonly string[] =>
  Object.entries(sentences)
    .filter(([, of]) => phrases.some((one) => of(one).some((sentence) => reply.includes(sentence))))
    .map(([question]) => question);

const marks = (text: string): number => text.match(/[?？؟]/gu)?.length ?? 0;

/** Whether a reply names services, directories or an emergency number. No other number is in prepared sentences. */
const namesHelp = (reply: string): boolean => /https?:\/\/|\d{3}/u.test(reply);

const shown = (value: unknown): unknown => (Array.isArray(value) ? value.join(" ") : value);

/** What a turn of a crisis must come to whatever is said: one question at most, not that of the reply before, and never the same reply twice. */
function alwaysOf({ reply, before, record }: Came): readonly Seen[] {
  if (record === undefined || record.level === 0 || record.action === "none") return [];
  const asks = questionsIn(reply);
  const again = asks.filter((question) => before.asks.includes(question) && question !== "safe");
  return [
    { what: "questions", expected: "at most 1", got: reply, ok: marks(reply) <= 1 && asks.length <= 1 },
    { what: "question of the reply before", expected: "another one", got: again.join(" "), ok: again.length === 0 },
    { what: "reply", expected: "other words than before", got: reply, ok: reply !== before.reply },
    { what: "grounds of the level", expected: "at least one", got: shown(record.grounds) as string, ok: (record.grounds ?? []).length > 0 },
  ];
}

function checksOf({ expect, asks, helps, record, reply, never }: Turn, came: Came): readonly Seen[] {
  const compared = (prefix: string, wanted: Turn["expect"], from: unknown): readonly Seen[] =>
    Object.entries(wanted).map(([what, expected]) => {
      const got = shown(at(from, what));
      const ok = Array.isArray(expected) ? expected.some((one) => one === got) : expected === got;
      return { what: prefix + what, expected: JSON.stringify(expected), got: JSON.stringify(got) ?? "nothing", ok };
    });
  const patterns = (what: string, sources: readonly string[], wanted: boolean): readonly Seen[] =>
    sources.map((source) => ({ what, expected: source, got: came.reply, ok: new RegExp(source, "iu").test(came.reply) === wanted }));
  const asked = questionsIn(came.reply);
  return [
    { what: "status", expected: "completed", got: came.status, ok: came.status === "completed" && came.reply.trim() !== "" },
    ...compared("", expect, came.output),
    ...compared("record.", record, came.record),
    ...(asks === undefined
      ? []
      : [
          {
            what: "asks",
            expected: asks ?? "nothing",
            got: came.reply,
            ok: asks === null ? asked.length === 0 : asked.join(" ") === asks && marks(came.reply) === 1,
          },
        ]),
    ...(helps === undefined ? [] : [{ what: "help", expected: String(helps), got: came.reply, ok: namesHelp(came.reply) === helps }]),
    ...alwaysOf(came),
    ...patterns("reply", reply, true),
    ...patterns("never", never, false),
  ];
}

const dayMs = 24 * 60 * 60 * 1_000;

/** The store, the clock and the process of a conversation. */
class Stage {
  readonly #store: Store;
  readonly #trajectory: Trajectory;
  readonly #opened: Runtime[] = [];
  #passed = 0;
  #runtime: Runtime | undefined;
  #session: Session | undefined;

  constructor(store: Store, trajectory: Trajectory) {
    this.#store = store;
    this.#trajectory = trajectory;
  }

  async #start(): Promise<Runtime> {
    const { writes } = this.#trajectory;
    const left = [...(writes ?? [])];
    const models = writes === undefined ? {} : { models: { control: offlineModel(), response: scripted(() => left.shift() ?? "") } };
    const clock = { ...systemClock, now: () => systemClock.now() + this.#passed };
    const runtime = await createRuntime({ store: this.#store, agents: [createCompanion(models)], clock });
    this.#opened.push(runtime);
    return runtime;
  }

  /** The session of a turn, after what happens before it. */
  async sessionOf({ after, thread, crash }: Turn): Promise<{ readonly session: Session; readonly runtime: Runtime }> {
    const { incognito } = this.#trajectory;
    if (after !== undefined) {
      await this.#session?.endEpisode();
      this.#passed += after * dayMs;
    }
    if (crash === true) this.#runtime = undefined;
    this.#runtime ??= await this.#start();
    const id = this.#session?.id;
    if (crash === true && id !== undefined) this.#session = await this.#runtime.sessions.get(id);
    if (thread === "new") this.#session = await this.#runtime.sessions.create({ agent: "companion", customer: "ada", incognito });
    this.#session ??= await this.#runtime.sessions.open({ agent: "companion", customer: "ada", incognito });
    return { session: this.#session, runtime: this.#runtime };
  }

  async close(): Promise<void> {
    for (const runtime of this.#opened) await runtime.close();
    await this.#store.close();
  }
}

/** The assessment of the last turn. */
async function lastRecord({ safety }: Runtime): Promise<AssessmentRecord | undefined> {
  const { items } = await safety.assessments({ limit: 100 });
  return items.toSorted((one, other) => one.at - other.at).at(-1);
}

/** Everything that the turns of a conversation had to come to, and whether they did. */
export async function play(trajectory: Trajectory): Promise<readonly Checked[]> {
  const { name, turns } = trajectory;
  const stage = new Stage(await openStore(":memory:"), trajectory);
  try {
    const checked: Checked[] = [];
    let before: Came["before"] = { reply: "", asks: [] };
    for (const [place, turn] of turns.entries()) {
      const { session, runtime } = await stage.sessionOf(turn);
      const { status, output, reply = "" } = await session.send(turn.say);
      const came = { status, reply, output, record: await lastRecord(runtime), before };
      checked.push(...checksOf(turn, came).map((seen) => ({ trajectory: name, turn: place + 1, ...seen })));
      before = { reply, asks: questionsIn(reply) };
    }
    return checked;
  } finally {
    await stage.close();
  }
}
