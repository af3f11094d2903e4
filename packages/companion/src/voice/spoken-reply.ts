/** One response of the Realtime server: what was generated, what may be played, and what was heard of it. */
import type { Clock } from "throughline";
import { guard } from "throughline/safety";
import { bytesPerMs, type FunctionCallItem } from "./realtime-events.ts";

/** Audio, and how long the transcript was when it came. The transcript of a sound comes before the sound. */
interface Chunk {
  readonly audio: Uint8Array;
  readonly textLength: number;
}

/** A sentence does not end after a digit, because a number may go on. */
const sentenceEnd = /(?<!\d)(?:[.!?…؟۔]["'”’»)\]]*(?=\s|$)|[。！？।])\s*/gu;

/** Ends of the complete sentences in a text. */
const sentenceEnds = (text: string): readonly number[] => [...text.matchAll(sentenceEnd)].map(({ index, 0: mark }) => index + mark.length);

/** How a reply is released. */
export interface Release {
  /** Sends audio to the listener. */
  readonly play: (audio: Uint8Array) => void;
  /** `sentences`: the guard checks each sentence before it is heard. `whole`: the text is known to be right. */
  readonly by: "sentences" | "whole";
}

/**
 * A reply in progress. Nothing of it is heard before `release`. Sound is only played once the guard has read the sentence that it belongs to. How much was heard
 * follows from the clock, or from what the player reports.
 */
export class SpokenReply {
  readonly #clock: Clock;
  readonly #chunks: Chunk[] = [];
  #text = "";
  #release: Release | undefined;
  #receivedMs = 0;
  #releasedMs = 0;
  #checked = 0;
  #startedAt: number | undefined;
  #reportedMs: number | undefined;
  /** Where it was stopped, in milliseconds. */
  #stoppedAt: number | undefined;
  #changed = Promise.withResolvers<void>();

  /** Item of the conversation that it is, once known. */
  item: string | undefined;
  calls: readonly FunctionCallItem[] = [];
  tokens = { input: 0, output: 0 };
  /** `generating`, or how generation ended. `cut`: with the connection. */
  ended: "generating" | "completed" | "failed" | "cancelled" | "cut" = "generating";
  /** The guard refused a sentence. Neither it nor what follows is heard. */
  refused = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The transcript so far. */
  get text(): string {
    return this.#text;
  }

  hear(delta: string): void {
    this.#text += delta;
    this.#play();
  }

  receive(audio: Uint8Array): void {
    this.#receivedMs += audio.length / bytesPerMs;
    this.#chunks.push({ audio, textLength: this.#text.length });
    this.#play();
  }

  /** Lets it be heard from now on. */
  release(release: Release): void {
    this.#release = release;
    this.#play();
  }

  end(how: Exclude<SpokenReply["ended"], "generating">): void {
    if (this.ended !== "generating") return;
    this.ended = how;
    this.#play();
  }

  /** Milliseconds that the player says were heard. From then on its word counts, not the clock's. */
  report(ms: number): void {
    this.#reportedMs = Math.max(ms, this.#reportedMs ?? 0);
    this.#notify();
  }

  /** Stops it where it is. Returns the milliseconds that were heard. */
  stop(): number {
    this.#stoppedAt ??= this.heardMs;
    this.#notify();
    return this.#stoppedAt;
  }

  get isReleased(): boolean {
    return this.#release !== undefined;
  }

  get isStopped(): boolean {
    return this.#stoppedAt !== undefined;
  }

  /** Whether any of it was sent to the listener. */
  get isAudible(): boolean {
    return this.#releasedMs > 0;
  }

  get heardMs(): number {
    if (this.#stoppedAt !== undefined) return this.#stoppedAt;
    const since = this.#startedAt === undefined ? 0 : this.#clock.monotonic() - this.#startedAt;
    return Math.min(this.#releasedMs, this.#reportedMs ?? since);
  }

  /** Whether nothing more of it will be heard. */
  get isOver(): boolean {
    if (this.isStopped) return true;
    return (this.refused || this.ended !== "generating") && this.#release !== undefined && this.heardMs >= this.#releasedMs;
  }

  /** The text that was heard: the share of the transcript that its sound had when it stopped, to the end of a word. */
  heard(): string {
    const heardMs = this.heardMs;
    if (heardMs <= 0) return "";
    if (this.refused && heardMs >= this.#releasedMs) return this.#text.slice(0, this.#checked);
    const share = Math.min(1, heardMs / Math.max(this.#receivedMs, 1));
    const limit = this.#release?.by === "sentences" ? Math.min(this.#text.length, this.#checked) : this.#text.length;
    const length = Math.min(limit, Math.floor(this.#text.length * share));
    if (length >= this.#text.length) return this.#text;
    const cut = this.#text.slice(0, length);
    if (!this.#text.includes(" ") || /\s/u.test(this.#text.charAt(length))) return cut;
    return cut.slice(0, cut.lastIndexOf(" ") + 1);
  }

  /** Resolves when something has changed, or after a while. */
  async change(withinMs: number, signal: AbortSignal): Promise<void> {
    const late = new AbortController();
    const limit = AbortSignal.any([late.signal, signal]);
    try {
      await Promise.race([this.#changed.promise, this.#clock.sleep(withinMs, limit)]);
    } finally {
      late.abort();
    }
  }

  /** Resolves once its generation has ended, or has not begun in time. */
  async generated(beginWithinMs: number, signal: AbortSignal): Promise<void> {
    const began = this.#clock.monotonic();
    while (this.ended === "generating" && !this.isStopped) {
      if (!this.hasBegun && this.#clock.monotonic() - began >= beginWithinMs) return;
      await this.change(1_000, signal);
    }
  }

  /** Whether the server has sent anything of it. */
  get hasBegun(): boolean {
    return this.#text !== "" || this.#receivedMs > 0;
  }

  /** Plays what may be played. */
  #play(): void {
    const release = this.#release;
    if (release !== undefined && !this.isStopped && !this.refused) {
      if (release.by === "sentences") this.#check(this.ended !== "generating");
      for (;;) {
        const next = this.#chunks[0];
        if (next === undefined || (release.by === "sentences" && next.textLength > this.#checked)) break;
        this.#chunks.shift();
        this.#startedAt ??= this.#clock.monotonic();
        this.#releasedMs += next.audio.length / bytesPerMs;
        release.play(next.audio);
      }
    }
    this.#notify();
  }

  /** Reads one sentence after the other, each with what was said before it. */
  #check(isDone: boolean): void {
    const text = this.#text;
    const ends = sentenceEnds(text).filter((end) => end > this.#checked);
    for (const end of isDone && text.length > this.#checked ? [...ends.filter((one) => one < text.length), text.length] : ends) {
      const { removed, blocked } = guard(text.slice(0, end), { level: 0 });
      if (removed.length + blocked.length > 0) {
        this.refused = true;
        return;
      }
      this.#checked = end;
    }
  }

  #notify(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    changed.resolve();
  }
}
