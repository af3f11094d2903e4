/** Streams the live parts of one turn as server-sent events. */
import type { LivePart, Session } from "throughline";
import { present } from "throughline/internal";
import { CoreSession, type PartsView } from "throughline/internal/runtime";
import { ThroughlineError } from "throughline/kernel";
import type { Bye, Gone } from "../../protocol/wire-event.ts";
import type { WireLivePart, WireStreamAccepted } from "../../protocol/wire-turn-stream.ts";
import type { Principal } from "../principal.ts";
import type { Service, WaitingPlace } from "../service.ts";
import { isShownKind, toWireEvent, toWireResult } from "../to-wire.ts";
import { checkPosition, pauses } from "./event-stream.ts";
import { answerStream, beginning, frame, heartbeat, type StreamContent, type StreamRequest } from "./frame-stream.ts";

/** The turn that a stream reads. */
export interface StreamedTurn {
  readonly session: Session;
  /** Name of the session's agent. */
  readonly agent: string;
  /** Offset of a message, id of a turn, or a message that is being accepted. */
  readonly of: number | string | ReturnType<Session["post"]>;
  /** Offset of the last part that the reader has. */
  readonly after?: number;
  /** Whether the reader reconnects. Its text since the last message is then void. */
  readonly resumed?: boolean;
  /** The reader's place, which is released with the stream. The caller releases it if no stream is opened. */
  readonly place: WaitingPlace;
}

/** Opens the stream of a turn. Throws for a turn or a message that does not exist, before the headers are sent. */
export async function openTurnStream(service: Service, request: StreamRequest, turn: StreamedTurn): Promise<Response> {
  const frames = new TurnFrames(service, request.principal, turn);
  await frames.accepted();
  return answerStream(service, request, frames, { place: turn.place });
}

type Item = { readonly type: "part"; readonly part: WireLivePart } | { readonly type: "gone" };

/** Whether the reader has text that no message has confirmed, after a part. */
const leavesText = ({ type }: WireLivePart | LivePart, before: boolean): boolean =>
  type === "text.delta" || (before && type !== "message" && type !== "draft.reset");

const resetAt = (offset: number): WireLivePart => ({ type: "draft.reset", offset, reason: "reconnected" });

/** The frames of one turn. The id of a frame is the offset of its part. */
class TurnFrames implements StreamContent<Item> {
  readonly #service: Service;
  readonly #principal: Principal;
  readonly #turn: StreamedTurn;
  readonly #left = new AbortController();
  #stream: ReturnType<Session["follow"]>;
  #accepted: WireStreamAccepted | undefined;
  /** Offset of the last part that was sent. */
  #last: number | undefined;
  /** Whether the reader has text that no message has confirmed. */
  #hasText = false;

  constructor(service: Service, principal: Principal, turn: StreamedTurn) {
    this.#service = service;
    this.#principal = principal;
    this.#turn = turn;
    this.#last = turn.after;
    this.#stream = this.#follow(turn.of, turn.after);
  }

  /** Waits until the message or turn is found. Throws `log.retained_from` if the log no longer contains its beginning. */
  async accepted(): Promise<void> {
    const { offset, turn_id } = await this.#stream.accepted;
    await checkPosition(this.#service, this.#turn.session.id, offset);
    this.#accepted = { offset, ...present({ turn_id }) };
    this.#last ??= offset;
  }

  #follow(of: StreamedTurn["of"], after: number | undefined): ReturnType<Session["follow"]> {
    const { session, agent } = this.#turn;
    const principal = this.#principal;
    const view: PartsView = {
      event: (event) => toWireEvent(this.#service, principal, agent, event),
      calls: isShownKind(principal, "tool"),
    };
    return CoreSession.followAs(session, of, { ...present({ after }), signal: this.#left.signal, view });
  }

  open(signal: AbortSignal): readonly AsyncGenerator<Item, void, undefined>[] {
    signal.addEventListener("abort", () => this.#left.abort(), { once: true });
    return [this.#items(signal)];
  }

  /** Yields the parts. It retries while the database is unavailable, so the stream survives an outage. Shown text is then void. */
  async *#items(signal: AbortSignal): AsyncGenerator<Item, void, undefined> {
    let pause = pauses.first;
    let last: LivePart | undefined;
    let hasText = false;
    for (;;) {
      try {
        for await (const part of this.#stream) {
          pause = pauses.first;
          last = part;
          hasText = leavesText(part, hasText);
          yield { type: "part", part: this.#toWire(part) };
        }
        return;
      } catch (error) {
        if (ThroughlineError.is(error, "session.not_found")) return yield { type: "gone" };
        if (!(ThroughlineError.is(error) && error.kind === "unavailable")) throw error;
        if (hasText && last !== undefined) yield { type: "part", part: resetAt(last.offset) };
        hasText = false;
        await this.#service.clock.sleep(pause, signal).catch(() => {});
        if (signal.aborted) return;
        pause = Math.min(pause * 2, pauses.last);
        this.#stream = this.#follow(this.#again(), last?.offset ?? this.#turn.after);
      }
    }
  }

  /** The turn to follow once more: an accepted message is found by its offset. */
  #again(): number | string {
    const { of } = this.#turn;
    return of instanceof Promise ? (this.#accepted?.offset ?? 0) : of;
  }

  #toWire(part: LivePart): WireLivePart {
    if (part.type === "end") return { ...part, result: toWireResult(this.#service, this.#principal, this.#turn.agent, part.result) };
    return part;
  }

  begin(): string {
    const accepted = frame("accepted", JSON.stringify(this.#accepted));
    return beginning(this.#id()) + accepted + (this.#turn.resumed === true ? this.#frameOf(resetAt(this.#last ?? 0)) : "");
  }

  frame(item: Item): string {
    if (item.type === "part") return this.#frameOf(item.part);
    return frame("gone", JSON.stringify({ session_id: this.#turn.session.id } satisfies Gone));
  }

  #frameOf(part: WireLivePart): string {
    this.#hasText = leavesText(part, this.#hasText);
    this.#last = part.offset;
    return frame(part.type, JSON.stringify(part), String(part.offset));
  }

  heartbeat(): string {
    return heartbeat(String((this.#last ?? 0) + 1), this.#id());
  }

  bye(reason: Bye["reason"]): string {
    const reset = this.#hasText ? this.#frameOf(resetAt(this.#last ?? 0)) : "";
    const positions = { [this.#turn.session.id]: (this.#last ?? 0) + 1 };
    return reset + frame("bye", JSON.stringify({ reason, positions } satisfies Bye), this.#id());
  }

  #id(): string | undefined {
    return this.#last === undefined ? undefined : String(this.#last);
  }
}
