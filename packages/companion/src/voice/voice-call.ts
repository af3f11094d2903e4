/**
 * One call: a person's microphone and loudspeaker on one side, a Realtime server on the other, and a session between them. What the person says becomes a message
 * of the session, and its turn decides what is said: the gate reads every message first, the server's own response is heard only if the turn uses it, and any other
 * reply of the turn is spoken word for word.
 */
import { type Json, type JsonObject, type ModelPart, type ModelRequest, type Session, ThroughlineError } from "throughline";
import { bytesPerMs, type FunctionCallItem, functionCallsOf, type ResponseFields, type ServerError, type ServerEvent } from "./realtime-events.ts";
import { type LinkSettings, RealtimeLink } from "./realtime-link.ts";
import { SpokenReply } from "./spoken-reply.ts";
import type { VoiceBootstrap } from "./voice-bootstrap.ts";
import { againIn, sameWords } from "./voice-words.ts";

/** What the player of a call gets. */
export type VoicePart =
  /** Sound to play, after what was given before: 16-bit PCM, one channel, 24,000 samples a second. */
  | { readonly type: "audio"; readonly audio: Uint8Array }
  /** The person speaks, or a reply was taken back: drop all sound that was not played yet. */
  | { readonly type: "stop_audio" }
  /** What the person said, as it is in the log. */
  | { readonly type: "heard"; readonly text: string }
  /** A reply, as it is in the log. Show it: numbers are easier to read than to hear. */
  | { readonly type: "reply"; readonly text: string }
  /** A reply that the server would not say word for word, or not at all. Show it, or say it with another voice. */
  | { readonly type: "unspoken"; readonly text: string }
  | { readonly type: "status"; readonly status: "connecting" | "open" | "closed" }
  /** The call is over. */
  | { readonly type: "error"; readonly error: ThroughlineError };

/** Settings of a call, from the voice that opens it. */
export interface CallSettings extends LinkSettings {
  readonly voice: string;
  readonly transcription: string;
  readonly language: string | undefined;
  readonly tools: () => readonly JsonObject[];
  readonly bootstrap: () => Promise<VoiceBootstrap>;
  /** Tells whether words that an ordinary reply said show that the model heard a danger. */
  readonly namesDanger: (text: string) => boolean;
  /** Puts a miss of the gate in the audit. */
  readonly missed: (turn_id: string) => Promise<void>;
  readonly input: JsonObject;
  readonly onPart: (part: VoicePart) => void;
}

/** Something that the person said. */
interface Utterance {
  readonly number: number;
  /** Its sound. It is sent again if the connection is cut before its words are known. */
  readonly audio: readonly Uint8Array[];
  /** The server's response to it, which nobody hears before the turn asks for it. */
  response: SpokenReply | undefined;
}

/** A response that the server was asked for, or will be. */
interface Wanted {
  readonly reply: SpokenReply;
  /** Number of the request. The server sends it back with the response, and with an error. */
  readonly number: string;
  readonly fields: JsonObject;
}

const lookMs = 200;
const quietLookMs = 20;
/** Milliseconds that a message waits for the end of the turn that it interrupts. */
const endingMs = 1_000;
/** Milliseconds in which a response must begin, and the words of an utterance must be known. */
const responseMs = 20_000;
const transcriptMs = 20_000;
/** Most sound that waits for a connection, in bytes: one minute. */
const mostWaiting = 60_000 * bytesPerMs;
/** Earlier messages that a new connection is told. */
const toldMessages = 12;
/** Attempts to have a reply said word for word. */
const sayTries = 2;
/** Silence after sound that is sent again, so that the server hears its end, in milliseconds. */
const silenceMs = 800;

const sayThis = (text: string): string =>
  `Say exactly the following text, word for word, in the language that it is written in, calmly and kindly. Add nothing, leave nothing out:\n\n${text}`;

/** An open voice call. Create it with `voice.open`. */
export class VoiceCall {
  readonly #session: Session;
  readonly #settings: CallSettings;
  readonly #link: RealtimeLink;
  readonly #closed = new AbortController();
  readonly #utterances = new Map<string, Utterance>();
  readonly #byOffset = new Map<number, Utterance>();
  readonly #responses = new Map<string, Wanted>();
  /** Responses that wait until the server has ended the one before: it makes one at a time. */
  readonly #wanted: Wanted[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #posting = new Set<Promise<unknown>>();
  /** What was heard of the replies that turns took from the server, by turn. */
  readonly #spoken = new Map<string, string>();
  readonly #finished = new Set<string>();
  readonly #name: string;
  #asked: Wanted | undefined;
  #counted = 0;
  /** Sound since the last utterance. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Bytes that the connection was sent before what waits. */
  #passedBytes = 0;
  /** Bytes of the connection's sound at which the last utterance ended, as the server says; 0 if it does not. */
  #endBytes = 0;
  #isConfigured = false;
  /** Number of connections so far. */
  #connections = 0;
  /** Somebody has begun to speak, and the server has not heard the end of it. */
  #isSpeaking = false;
  /** Utterances whose words are not in the log yet. */
  readonly #unposted = new Set<Utterance>();
  /** The turn of the last utterance. */
  #lastOutcome: Promise<unknown> = Promise.resolve();
  /** The turn whose reply the person interrupts, until it has ended. */
  #interrupted: Promise<unknown> | undefined;
  /** Number of utterances with words so far. */
  #wordsHeard = 0;
  /** Parts of an interrupted reply with numbers that nobody heard. */
  #owed: { readonly turn_id: string | undefined; readonly text: string } | undefined;
  #playing: SpokenReply | undefined;
  /** Calls of the last response that a turn has taken, while the connection that made them is open. */
  #madeCalls: readonly FunctionCallItem[] = [];
  #instructions = "";
  #language: string | undefined;
  #speaking: Promise<void> = Promise.resolve();

  constructor(session: Session, name: string, settings: CallSettings) {
    this.#session = session;
    this.#name = name;
    this.#settings = settings;
    this.#language = settings.language;
    const { url, headers, openSocket, clock, logger, tries } = settings;
    this.#link = new RealtimeLink({
      ...{ url, headers, openSocket, clock, logger, tries },
      onOpen: () => this.#configure(),
      onEvent: (event) => this.#on(event),
      onCut: () => this.#cut(),
      onEnd: (error) => this.#end(error),
    });
    settings.onPart({ type: "status", status: "connecting" });
    this.#run(this.#link.run());
  }

  /** Hands over sound of the microphone: 16-bit PCM, one channel, 24,000 samples a second. It is kept during a cut, up to a minute. */
  hear(audio: Uint8Array): void {
    if (this.#closed.signal.aborted || audio.length === 0) return;
    this.#keep(audio);
    this.#append(audio);
  }

  #keep(audio: Uint8Array): void {
    this.#waiting.push(audio);
    this.#waitingBytes += audio.length;
    while (this.#waitingBytes > mostWaiting) this.#pass(this.#waiting.shift()?.length ?? this.#waitingBytes);
  }

  #pass(bytes: number): void {
    this.#waitingBytes -= bytes;
    this.#passedBytes += bytes;
  }

  /** Takes the sound of an utterance out of what waits. What the person went on to say before the server told of its end stays. */
  #takeSound(): readonly Uint8Array[] {
    const taken: Uint8Array[] = [];
    const end = this.#endBytes - this.#passedBytes;
    // A server that does not tell has heard all of it.
    let left = end > 0 ? end : Infinity;
    this.#endBytes = 0;
    for (let chunk = this.#waiting[0]; chunk !== undefined && left > 0; chunk = this.#waiting[0]) {
      const part = chunk.subarray(0, left);
      taken.push(part);
      if (part.length < chunk.length) this.#waiting[0] = chunk.subarray(part.length);
      else this.#waiting.shift();
      left -= part.length;
      this.#pass(part.length);
    }
    return taken;
  }

  /** Reports how much of the current reply the player has played, in milliseconds. Without reports, the clock tells. */
  played(ms: number): void {
    this.#playing?.report(ms);
  }

  /** Ends the call. Replies in progress are stored as heard so far. Waits for open turns. */
  async close(): Promise<void> {
    if (!this.#closed.signal.aborted) this.#end(undefined);
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  get isOpen(): boolean {
    return !this.#closed.signal.aborted;
  }

  /** Returns whether the reply to one of these messages is to be spoken. */
  async answers(offsets: readonly number[]): Promise<boolean> {
    await Promise.allSettled(this.#posting);
    return this.isOpen && offsets.some((offset) => this.#byOffset.has(offset));
  }

  /**
   * Streams the server's reply to a request of the session's turn, as it is heard. Yields nothing if the server gives no reply, or one that nobody may hear: the
   * caller answers in another way.
   */
  async *reply(
    request: ModelRequest,
    { turn_id, offsets, signal }: { readonly turn_id: string; readonly offsets: readonly number[]; readonly signal: AbortSignal },
  ): AsyncGenerator<ModelPart, void, undefined> {
    const until = AbortSignal.any([signal, this.#closed.signal]);
    // A reply that is still being said is heard first, and nobody is spoken over. What they say now is often answered together with this.
    await this.#speaking;
    await this.#quiet(until);
    signal.throwIfAborted();
    let spoken = this.#responseTo(request, offsets);
    let said = 0;
    const say = (): string => {
      const heard = spoken.heard();
      const more = heard.slice(said);
      said = Math.max(said, heard.length);
      return more;
    };
    try {
      let began = this.#settings.clock.monotonic();
      while (!until.aborted && (spoken.hasBegun || this.#settings.clock.monotonic() - began < responseMs)) {
        if (!this.#personSpeaks && !spoken.isReleased) this.#play(spoken, "sentences");
        if (spoken.ended === "cancelled" && !spoken.isStopped && !spoken.isAudible) {
          // The server stops responding when somebody speaks.
          await this.#quiet(until);
          [spoken, began] = [this.#responseTo(request, offsets), this.#settings.clock.monotonic()];
          continue;
        }
        if (spoken.isOver) break;
        const text = say();
        if (text !== "") yield { type: "text_delta", text };
        await spoken.change(lookMs, until).catch(() => {});
      }
    } finally {
      const wasOver = spoken.isOver;
      if (!wasOver) spoken.stop();
      this.#release(spoken, { isTakenBack: !wasOver });
      const heard = spoken.heard();
      if (heard !== "") this.#spoken.set(turn_id, `${this.#spoken.get(turn_id) ?? ""}${heard}`);
    }
    signal.throwIfAborted();
    const text = say();
    if (text !== "") yield { type: "text_delta", text };
    const calls = spoken.ended === "completed" && !spoken.isStopped ? spoken.calls : [];
    if (said === 0 && calls.length === 0) return;
    this.#madeCalls = calls;
    for (const { call_id, name, arguments: given } of calls) yield { type: "tool_call", call: { call_id, name, ...argumentsOf(given) } };
    const usage = { ...spoken.tokens, cache_write: 0, cache_read: 0, reasoning: 0 };
    yield { type: "finish", reason: calls.length > 0 ? "tool_calls" : "stop", usage };
  }

  /** The response that answers a request: the one that already runs, or a new one, for example after the results of tools. */
  #responseTo({ messages, sections }: ModelRequest, offsets: readonly number[]): SpokenReply {
    const last = messages.findLastIndex(({ role }) => role !== "tool");
    const results = messages.slice(last + 1);
    const utterance = offsets.map((offset) => this.#byOffset.get(offset)).findLast((one) => one !== undefined);
    const ready = utterance?.response;
    if (results.length === 0 && utterance !== undefined && ready !== undefined) {
      utterance.response = undefined;
      if (ready.ended !== "failed" && ready.ended !== "cut" && ready.ended !== "cancelled") return ready;
    }
    const asked = messages[last];
    const calls = asked?.role === "assistant" ? (asked.calls ?? []) : [];
    // The log has ids of its own for calls. They are in the order in which the server made them.
    const made = this.#madeCalls.length === calls.length ? this.#madeCalls : [];
    for (const result of results) {
      if (result.role !== "tool") continue;
      const at = calls.findIndex(({ call_id }) => call_id === result.call_id);
      const call = calls[at];
      const call_id = made[at]?.call_id ?? result.call_id;
      // A connection that did not make the call itself is told of it.
      if (call !== undefined && made[at] === undefined)
        this.#item({ type: "function_call", call_id, name: call.name, arguments: JSON.stringify(call.arguments) });
      this.#item({ type: "function_call_output", call_id, output: result.text });
    }
    this.#madeCalls = [];
    // Without a response of its own, the server is told what this turn's prompt says.
    const instructions = [this.#instructions, ...sections.filter(({ name }) => toldSections.has(name)).map(({ text }) => text)].join("\n\n");
    return this.#want({ instructions });
  }

  #item(item: JsonObject): void {
    this.#link.send({ type: "conversation.item.create", item });
  }

  /** Lets a reply be heard, and nothing else. */
  #play(spoken: SpokenReply, by: "sentences" | "whole"): void {
    this.#playing = spoken;
    spoken.release({ by, play: (audio) => this.#settings.onPart({ type: "audio", audio }) });
  }

  /** Ends a reply that was played. `isTakenBack`: the player may still hold sound of it. */
  #release(spoken: SpokenReply, { isTakenBack }: { readonly isTakenBack: boolean }): void {
    if (this.#playing === spoken) this.#playing = undefined;
    if (spoken.refused || isTakenBack) this.#cancel(spoken);
    if (isTakenBack && spoken.isAudible) this.#settings.onPart({ type: "stop_audio" });
    if ((isTakenBack || spoken.refused) && spoken.item !== undefined && spoken.isAudible)
      this.#link.send({ type: "conversation.item.truncate", item_id: spoken.item, content_index: 0, audio_end_ms: Math.floor(spoken.heardMs) });
  }

  /** Stops the generation of a response. What nobody heard of it leaves the conversation. */
  #cancel(spoken: SpokenReply): void {
    const queued = this.#wanted.findIndex(({ reply }) => reply === spoken);
    if (queued >= 0) this.#wanted.splice(queued, 1);
    const response_id = [...this.#responses].find(([, { reply }]) => reply === spoken)?.[0];
    if (spoken.ended === "generating") {
      if (response_id !== undefined) this.#link.send({ type: "response.cancel", response_id });
    } else if (!spoken.isStopped) this.#dropUnheard(spoken);
    spoken.stop();
  }

  /** Takes a reply that nobody heard out of the server's conversation. */
  #dropUnheard({ item, isAudible }: SpokenReply): void {
    if (item !== undefined && !isAudible) this.#link.send({ type: "conversation.item.delete", item_id: item });
  }

  /** Asks for a response, once the server has ended the one before. */
  #want(fields: JsonObject = {}): SpokenReply {
    const reply = new SpokenReply(this.#settings.clock);
    this.#wanted.push({ reply, number: `${(this.#counted += 1)}`, fields });
    if (!this.isOpen) reply.end("cut");
    this.#next();
    return reply;
  }

  #next(): void {
    if (this.#asked !== undefined || !this.#isConfigured) return;
    const next = this.#wanted.shift();
    if (next === undefined) return;
    const { number, fields } = next;
    this.#asked = next;
    this.#link.send({ type: "response.create", event_id: `response ${number}`, response: { ...fields, metadata: { [numberMember]: number } } });
  }

  /** Configures a new connection: who speaks, what was said, and sound whose words are not known. */
  async #configure(): Promise<void> {
    const { voice, transcription, language, bootstrap, tools, onPart } = this.#settings;
    const connection = (this.#connections += 1);
    const [{ instructions }, messages] = await Promise.all([bootstrap(), this.#session.messages({ last: toldMessages })]);
    // It was cut meanwhile, and the next one is configured by itself.
    if (connection !== this.#connections || !this.#link.isOpen) return;
    this.#instructions = instructions;
    const format = { type: "audio/pcm", rate: 24_000 };
    const detection = { type: "server_vad", create_response: false, interrupt_response: true };
    const heardBy = { model: transcription, ...(language === undefined ? {} : { language }) };
    this.#link.send({
      type: "session.update",
      session: {
        ...{ type: "realtime", output_modalities: ["audio"], instructions, tools: [...tools()], tool_choice: "auto" },
        audio: { input: { format, transcription: heardBy, turn_detection: detection }, output: { format, voice } },
      },
    });
    for (const { role, text, is_trace, custom } of messages) {
      if (is_trace || custom === true || text === "" || (role !== "user" && role !== "assistant")) continue;
      this.#item({ type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] });
    }
    const isUnread = this.#utterances.size > 0;
    const again = [...[...this.#utterances.values()].flatMap(({ audio }) => audio), ...this.#waiting];
    this.#utterances.clear();
    this.#unposted.clear();
    [this.#waiting, this.#waitingBytes, this.#passedBytes, this.#endBytes, this.#isConfigured] = [[], 0, 0, 0, true];
    for (const audio of [...again, ...(isUnread ? [new Uint8Array(silenceMs * bytesPerMs)] : [])]) {
      this.#keep(audio);
      this.#append(audio);
    }
    onPart({ type: "status", status: "open" });
    this.#next();
  }

  #append(audio: Uint8Array): void {
    if (this.#isConfigured)
      this.#link.send({ type: "input_audio_buffer.append", audio: Buffer.from(audio.buffer, audio.byteOffset, audio.length).toString("base64") });
  }

  /** The connection is cut: what it was generating ends here, and what waits is asked for again. */
  #cut(): void {
    this.#connections += 1;
    [this.#isConfigured, this.#isSpeaking] = [false, false];
    const cut = [...this.#responses.values(), ...(this.#asked === undefined ? [] : [this.#asked])];
    this.#responses.clear();
    this.#madeCalls = [];
    this.#asked = undefined;
    for (const { reply } of cut) reply.end("cut");
    // Their sound is sent again, and is responded to then.
    for (const utterance of this.#utterances.values()) {
      if (utterance.response !== undefined) this.#cancel(utterance.response);
      this.#unposted.delete(utterance);
    }
    if (this.isOpen) this.#settings.onPart({ type: "status", status: "connecting" });
  }

  #end(error: ThroughlineError | undefined): void {
    if (this.#closed.signal.aborted) return;
    const playing = this.#playing;
    if (playing !== undefined) {
      playing.stop();
      if (playing.isAudible) this.#settings.onPart({ type: "stop_audio" });
    }
    this.#closed.abort();
    this.#link.close();
    this.#cut();
    for (const { reply } of this.#wanted.splice(0)) reply.end("cut");
    if (error !== undefined) this.#settings.onPart({ type: "error", error });
    this.#settings.onPart({ type: "status", status: "closed" });
  }

  /** Runs work of the call. A failure of it ends nothing else. */
  #run(work: Promise<void>): void {
    const running = work.catch((error: unknown) => {
      if (this.#closed.signal.aborted && !ThroughlineError.is(error)) return;
      this.#settings.logger.error("voice call failed", { session_id: this.#session.id, code: ThroughlineError.from(error).code }, error);
    });
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  #on(event: ServerEvent): void {
    switch (event.type) {
      case "input_audio_buffer.speech_started":
        this.#interrupt();
        return;
      case "input_audio_buffer.speech_stopped":
        this.#endBytes = Math.round(event.audio_end_ms ?? 0) * bytesPerMs;
        return;
      case "input_audio_buffer.committed":
        this.#committed(event.item_id);
        return;
      case "conversation.item.input_audio_transcription.completed":
        this.#run(this.#understood(event.item_id, event.transcript.trim()));
        return;
      case "conversation.item.input_audio_transcription.failed":
        this.#unreadable(event.item_id);
        return;
      case "response.created":
        this.#created(event.response);
        return;
      case "response.output_audio.delta":
        this.#of(event)?.receive(new Uint8Array(Buffer.from(event.delta, "base64")));
        return;
      case "response.output_audio_transcript.delta":
        this.#of(event)?.hear(event.delta);
        return;
      case "response.done":
        this.#done(event.response);
        return;
      case "error":
        this.#failed(event.error);
        return;
      default:
    }
  }

  #of({ response_id, item_id }: { readonly response_id: string; readonly item_id: string }): SpokenReply | undefined {
    const reply = this.#responses.get(response_id)?.reply;
    if (reply !== undefined) reply.item = item_id;
    return reply;
  }

  /** From the first sound of an utterance until its words are in the log. */
  get #personSpeaks(): boolean {
    return this.#isSpeaking || this.#unposted.size > 0;
  }

  /** Waits until what the person is saying is a message, or no words. */
  async #quiet(signal: AbortSignal): Promise<void> {
    const { clock } = this.#settings;
    const began = clock.monotonic();
    while (this.#personSpeaks && clock.monotonic() - began < transcriptMs && !signal.aborted) await clock.sleep(quietLookMs, signal).catch(() => {});
  }

  /** The person speaks: a reply that is heard stops where it is. */
  #interrupt(): void {
    this.#isSpeaking = true;
    const playing = this.#playing;
    if (playing === undefined || !playing.isAudible) return;
    this.#interrupted = this.#lastOutcome;
    playing.stop();
    this.#release(playing, { isTakenBack: true });
  }

  /** The person has said something. The server responds while it is read; nobody hears that yet. */
  #committed(item_id: string): void {
    const utterance: Utterance = { number: (this.#counted += 1), audio: this.#takeSound(), response: undefined };
    this.#isSpeaking = false;
    this.#unposted.add(utterance);
    this.#utterances.set(item_id, utterance);
    utterance.response = this.#want();
    const { clock } = this.#settings;
    const late = async (): Promise<void> => {
      await clock.sleep(transcriptMs, this.#closed.signal);
      if (this.#utterances.get(item_id) === utterance) await this.#notUnderstood(utterance);
    };
    // Nothing waits for it when the call ends.
    void late().catch(() => {});
  }

  /** The words of an utterance are known: they become a message, and its turn decides what is heard. */
  async #understood(item_id: string, text: string): Promise<void> {
    const utterance = this.#utterances.get(item_id);
    if (utterance === undefined) return;
    if (text === "") return this.#forget(item_id);
    this.#utterances.delete(item_id);
    this.#wordsHeard += 1;
    const { onPart, logger } = this.#settings;
    const posting = this.#post(text, utterance);
    this.#posting.add(posting);
    onPart({ type: "heard", text });
    try {
      const offset = await posting;
      this.#unposted.delete(utterance);
      await this.#finish(utterance, offset);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      // The person is asked to say it again, because it may not be in the log.
      logger.error("voice message was not answered", { session_id: this.#session.id, code: ThroughlineError.from(error).code }, error);
      if (utterance.response !== undefined) this.#cancel(utterance.response);
      await this.#sayInTurn(againIn(this.#language));
    } finally {
      this.#unposted.delete(utterance);
      this.#posting.delete(posting);
    }
    await this.#refresh();
  }

  async #post(text: string, utterance: Utterance): Promise<number> {
    const { clock, input } = this.#settings;
    const before = this.#interrupted;
    this.#interrupted = undefined;
    // The interrupted reply comes before it in the log.
    if (before !== undefined) await Promise.race([before.catch(() => {}), clock.sleep(endingMs)]);
    const { offset } = await this.#session.post(text, { input, idempotencyKey: `${this.#name} ${utterance.number}` });
    this.#byOffset.set(offset, utterance);
    return offset;
  }

  /** Waits for the turn of an utterance, and says what of its reply was not heard yet. */
  async #finish(utterance: Utterance, offset: number): Promise<void> {
    const { onPart } = this.#settings;
    const outcome = this.#session.outcome(offset, { signal: this.#closed.signal });
    this.#lastOutcome = outcome;
    const { turn_id, reply = "", status } = await outcome;
    this.#byOffset.delete(offset);
    // The turn took another way than the server's response.
    if (utterance.response !== undefined) this.#cancel(utterance.response);
    utterance.response = undefined;
    if (turn_id === undefined || status === "withdrawn" || this.#finished.has(turn_id)) return;
    this.#finished.add(turn_id);
    const heard = this.#spoken.get(turn_id);
    if (heard !== undefined) await this.#audit(turn_id, heard);
    this.#spoken.delete(turn_id);
    if (reply.trim() === "") return;
    onPart({ type: "reply", text: reply });
    const rest = heard === undefined ? reply : reply.startsWith(heard.trim()) ? reply.slice(heard.trim().length) : "";
    if (rest.trim() !== "") await this.#sayInTurn(rest.trim(), turn_id);
    // Numbers that an interruption cut off are said after the reply to it.
    await this.#speaking;
    const owed = this.#owed;
    if (owed === undefined || owed.turn_id === turn_id) return;
    this.#owed = undefined;
    await this.#sayInTurn(owed.text, turn_id);
  }

  /** Looks whether an ordinary reply shows that the model heard a danger. */
  async #audit(turn_id: string, heard: string): Promise<void> {
    const { namesDanger, missed, logger } = this.#settings;
    try {
      if (namesDanger(heard)) await missed(turn_id);
    } catch (error) {
      logger.error("voice reply was not audited", { session_id: this.#session.id, turn_id, code: ThroughlineError.from(error).code }, error);
    }
  }

  /** Words that could not be read were not judged, so nothing is answered to them. If they are known later, they are a message all the same. */
  async #notUnderstood(utterance: Utterance): Promise<void> {
    this.#unposted.delete(utterance);
    if (utterance.response !== undefined) this.#cancel(utterance.response);
    utterance.response = undefined;
    await this.#note({ type: "voice_unread" });
    await this.#sayInTurn(againIn(this.#language));
  }

  #unreadable(item_id: string): void {
    const utterance = this.#utterances.get(item_id);
    this.#forget(item_id);
    if (utterance !== undefined) this.#run(this.#notUnderstood(utterance));
  }

  #forget(item_id: string): void {
    const utterance = this.#utterances.get(item_id);
    this.#utterances.delete(item_id);
    if (utterance !== undefined) this.#unposted.delete(utterance);
    if (utterance?.response !== undefined) this.#cancel(utterance.response);
    this.#link.send({ type: "conversation.item.delete", item_id });
  }

  /** Puts a fact about the call in the log, without words of anybody. */
  async #note(value: Json): Promise<void> {
    try {
      await this.#session.postCustom(value);
    } catch (error) {
      this.#settings.logger.warn("voice note was not stored", { session_id: this.#session.id, code: ThroughlineError.from(error).code }, error);
    }
  }

  /** Says a text word for word, after what is being said. */
  async #sayInTurn(text: string, turn_id?: string): Promise<void> {
    const before = this.#speaking;
    const saying = (async () => {
      await before;
      await this.#say(text, turn_id);
    })();
    this.#speaking = saying.catch(() => {});
    return saying;
  }

  async #say(text: string, turn_id?: string): Promise<void> {
    const { signal } = this.#closed;
    for (let attempt = 1; attempt <= sayTries && !signal.aborted; attempt += 1) {
      await this.#quiet(signal);
      const words = this.#wordsHeard;
      const spoken = this.#want({ instructions: sayThis(text), tool_choice: "none" });
      await spoken.generated(responseMs, signal).catch(() => {});
      if (spoken.ended !== "completed" || !sameWords(spoken.text, text)) {
        // Neither a cut nor somebody's voice is the server's fault.
        if ((spoken.ended === "cut" || spoken.ended === "cancelled") && words === this.#wordsHeard && !signal.aborted) attempt -= 1;
        this.#cancel(spoken);
        continue;
      }
      await this.#quiet(signal);
      this.#play(spoken, "whole");
      while (!spoken.isOver && !signal.aborted) await spoken.change(lookMs, signal).catch(() => {});
      if (this.#playing === spoken) this.#playing = undefined;
      if (!spoken.isStopped && !signal.aborted) return;
      await this.#quiet(signal);
      // A noise takes nothing away from a reply.
      if (words === this.#wordsHeard && !signal.aborted) {
        attempt -= 1;
        continue;
      }
      const { length } = spoken.heard();
      const unheard = unheardNumbers(text, length);
      if (unheard !== "") this.#owed = { turn_id, text: unheard };
      if (turn_id !== undefined) await this.#note({ type: "voice_interrupted", turn_id, heard_characters: length });
      return;
    }
    this.#settings.onPart({ type: "unspoken", text });
  }

  /** Tells the server what has changed about the person since the call began. */
  async #refresh(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const { instructions } = await this.#settings.bootstrap();
    if (instructions === this.#instructions) return;
    this.#instructions = instructions;
    this.#link.send({ type: "session.update", session: { type: "realtime", instructions, tools: [...this.#settings.tools()] } });
  }

  #created({ id, metadata }: ResponseFields): void {
    const asked = this.#asked;
    if (asked === undefined || metadata?.[numberMember] !== asked.number) {
      // Nobody asked for it, so nobody hears it.
      this.#link.send({ type: "response.cancel", response_id: id });
      return;
    }
    this.#responses.set(id, asked);
    if (asked.reply.isStopped) this.#link.send({ type: "response.cancel", response_id: id });
  }

  #done({ id, status, usage, ...response }: ResponseFields): void {
    const found = this.#responses.get(id);
    if (found === undefined) return;
    const { reply } = found;
    reply.tokens = { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 };
    reply.calls = functionCallsOf({ id, ...response });
    reply.end(status === "completed" || status === "incomplete" ? "completed" : status === "cancelled" ? "cancelled" : "failed");
    this.#responses.delete(id);
    if (reply.isStopped) this.#dropUnheard(reply);
    if (this.#asked === found) this.#asked = undefined;
    this.#next();
  }

  /** A response that the server refused is not made. Other errors change nothing. */
  #failed({ code, event_id }: Pick<ServerError, "code" | "event_id">): void {
    this.#settings.logger.warn("voice server reported an error", { session_id: this.#session.id, code: code ?? "unknown" });
    const asked = this.#asked;
    if (asked === undefined || event_id !== `response ${asked.number}`) return;
    this.#asked = undefined;
    asked.reply.end("failed");
    this.#next();
  }
}

/** Returns the paragraphs with numbers that end after what was heard of a text. */
function unheardNumbers(text: string, heard: number): string {
  const unheard: string[] = [];
  let end = 0;
  for (const paragraph of text.split("\n\n")) {
    end += paragraph.length + 2;
    if (end > heard && /\d{2}/u.test(paragraph)) unheard.push(paragraph);
  }
  return unheard.join("\n\n");
}

/** Member of a response's metadata with the number of its request. */
const numberMember = "throughline";

/** Sections of a turn's prompt that a response of its own is told. */
const toldSections: ReadonlySet<string> = new Set(["style", "approach", "guidance", "exercise", "safety_check"]);

function argumentsOf(given: string): { readonly arguments: JsonObject; readonly malformed?: string } {
  try {
    const read: unknown = JSON.parse(given);
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return { arguments: read as JsonObject };
  } catch {
    // The loop tells the model that its call could not be read.
  }
  return { arguments: {}, malformed: given.slice(0, 2_000) };
}
