/** Voice for a companion: calls over the OpenAI Realtime protocol, on the same sessions, gate, memory and tools as text. */
import {
  type Clock,
  hook,
  type Hook,
  type JsonObject,
  type Logger,
  type Model,
  type ModelPart,
  type ModelRequest,
  type Session,
  systemClock,
  ThroughlineError,
  type Tool,
} from "throughline";
import { defaultLogger } from "throughline/kernel";
import { createScreen, type SafetyAudit, type Screen } from "throughline/safety";
import { packs } from "../companion-gate.ts";
import { openNodeSocket, type OpenSocket } from "./realtime-link.ts";
import { checkBudget, voiceBootstrap, type VoiceBootstrapOptions } from "./voice-bootstrap.ts";
import { VoiceCall, type VoicePart } from "./voice-call.ts";

/** Options of {@link createVoice}. */
export interface VoiceOptions {
  /** Key for the Realtime server; sent as a bearer token. */
  readonly apiKey: string;
  /** Address of the server; default `wss://api.openai.com/v1/realtime`. */
  readonly url?: string;
  /** Model that speaks; default `gpt-realtime`. */
  readonly model?: string;
  /** Its voice; default `marin`. */
  readonly voice?: string;
  /** Model that transcribes what the person says; default `gpt-4o-mini-transcribe`. */
  readonly transcription?: string;
  /** Language of the person as an ISO 639-1 code, if it is known. It helps the transcription. */
  readonly language?: string;
  /** Options of the instructions. */
  readonly bootstrap?: VoiceBootstrapOptions;
  /** Attempts in a row without a connection, after which a call ends; default 10. */
  readonly tries?: number;
  /** Opens a WebSocket; default Node's own. */
  readonly openSocket?: OpenSocket;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Options of a call. */
export interface CallOptions {
  /** Receives what the player and the screen of the call need. */
  readonly onPart: (part: VoicePart) => void;
  /** Input fields of the turns, in addition to the channel. */
  readonly input?: JsonObject;
  /** The audit of the runtime, `runtime.safety`: misses of the gate that a call notices become reviews there. */
  readonly audit?: Pick<SafetyAudit, "review">;
}

/** The parts of an agent's reply that speak in a call, and otherwise write. */
interface Speaking {
  readonly model: Model;
  readonly hook: Hook;
}

/** Voice calls of one companion. Give it to `createCompanion({ voice })`, then open calls on sessions of that companion. */
export interface Voice {
  /** Makes an agent's reply speak in turns of a call. `tools`: those of the agent. The companion calls it; other agents can too. */
  speaking(given: { readonly model: Model; readonly tools: readonly Tool[] }): Speaking;
  /**
   * Opens a call on a session. A session has one call at a time: throws `session.conflict` for a second one.
   * @example const call = voice.open(session, { onPart: (part) => player.take(part) });
   */
  open(session: Session, options: CallOptions): VoiceCall;
}

/** Section that tells the model which call a turn belongs to. It never reaches a server. */
const callSection = "voice_call";
const reviewer = "voice";

/**
 * Creates the voice of a companion. It speaks the OpenAI Realtime protocol over WebSocket. Throws `agent.invalid` for invalid options.
 * @example const voice = createVoice({ apiKey }); const agent = createCompanion({ models, voice });
 */
export function createVoice(options: VoiceOptions): Voice {
  const { apiKey, url = "wss://api.openai.com/v1/realtime", model = "gpt-realtime", voice = "marin" } = options;
  const {
    transcription = "gpt-4o-mini-transcribe",
    tries = 10,
    openSocket = openNodeSocket,
    clock = systemClock,
    logger = defaultLogger(),
  } = options;
  if (typeof apiKey !== "string" || apiKey.trim() === "")
    throw new ThroughlineError("agent.invalid", "A voice needs an apiKey for the Realtime server.");
  if (!URL.canParse(url) || !/^wss?:$/u.test(new URL(url).protocol))
    throw new ThroughlineError("agent.invalid", "The voice's url is a WebSocket address, such as wss://api.openai.com/v1/realtime.");
  checkBudget(options.bootstrap);
  const calls = new Map<string, VoiceCall>();
  let tools: readonly JsonObject[] = [];
  let screen: Screen | undefined;
  let opened = 0;
  const address = new URL(url);
  address.searchParams.set("model", model);

  const open = (session: Session, { onPart, input = {}, audit }: CallOptions): VoiceCall => {
    const { id } = session;
    if (calls.get(id)?.isOpen === true)
      throw new ThroughlineError("session.conflict", "The session has a call already.", { hint: "Close that call first." });
    const call = new VoiceCall(session, `voice ${clock.now()} ${(opened += 1)}`, {
      ...{ url: address.href, headers: { authorization: `Bearer ${apiKey}` }, openSocket, clock, logger, tries, voice, transcription },
      language: options.language,
      tools: () => tools,
      bootstrap: () => voiceBootstrap(session, options.bootstrap),
      namesDanger: (text) => dangerIn((screen ??= createScreen([...packs])), text),
      missed: async (turn_id) => {
        logger.warn("voice_missed_crisis", { session_id: id, turn_id });
        await session.postCustom({ type: "voice_missed_crisis", turn_id });
        for await (const event of session.events({ kinds: ["assessment"], follow: false }))
          if (event.kind === "assessment" && event.turn_id === turn_id) await audit?.review(event.data.audit_id, { reviewer, level: 2 });
      },
      input: { ...input, channel: "voice" },
      onPart: (part) => {
        if (part.type === "status" && part.status === "closed" && calls.get(id) === call) calls.delete(id);
        try {
          onPart(part);
        } catch (error) {
          logger.error("the player of a voice call failed", { session_id: id, part: part.type, code: ThroughlineError.from(error).code }, error);
        }
      },
    });
    calls.set(id, call);
    return call;
  };

  return Object.freeze({
    speaking: ({ model: text, tools: given }) => {
      tools = given.map(({ model: { name, description, parameters } }) => ({ type: "function", name, description, parameters }));
      return { model: spokenBy(text, calls), hook: callHook(calls) };
    },
    open,
  } satisfies Voice);
}

/** Tells whether an ordinary reply shows that the model heard a danger: it asks about it, or names it. */
const dangerIn = (screen: Screen, text: string): boolean =>
  screen.contextOf([{ role: "assistant", text }]).asked !== undefined || screen(text).level >= 2;

/** Tells the model of a turn in a call whose words it answers. */
const callHook = (calls: ReadonlyMap<string, VoiceCall>): Hook =>
  hook("voice_call", {
    priority: -1_000,
    beforeModel: async ({ request, context: { session_id, turn_id, messages } }) => {
      const offsets = messages.map(({ offset }) => offset);
      if ((await calls.get(session_id)?.answers(offsets)) !== true) return undefined;
      const text = JSON.stringify({ session_id, turn_id, offsets });
      return { request: { sections: [...request.sections, { name: callSection, text }] } };
    },
  });

/** A model that speaks in turns of a call, and writes with another model everywhere else, also if the server does not reply. */
const spokenBy = (model: Model, calls: ReadonlyMap<string, VoiceCall>): Model => ({
  ...model,
  async *stream(request, { signal }): AsyncIterable<ModelPart> {
    const told = request.sections.find(({ name }) => name === callSection);
    const rest: ModelRequest = { ...request, sections: request.sections.filter(({ name }) => name !== callSection) };
    if (told !== undefined) {
      const { session_id, turn_id, offsets } = JSON.parse(told.text) as { session_id: string; turn_id: string; offsets: readonly number[] };
      let isAnswered = false;
      for await (const part of calls.get(session_id)?.reply(rest, { turn_id, offsets, signal }) ?? []) {
        isAnswered = true;
        yield part;
      }
      if (isAnswered) return;
    }
    yield* model.stream(rest, { signal });
  },
});
