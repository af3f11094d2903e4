/** A turn as it happens: the stages at work, the words of the reply, and what it came to. */
import type { Draft, Event, Session } from "throughline";
import type { StreamEvent } from "./contract.ts";
import { outputOfTurn } from "./output.ts";

/** Names that stages are told by, where they are other than their own. */
const told: Readonly<Record<string, string>> = {
  begin: "session_stage",
  go_on: "session_stage",
  greet: "session_stage",
  triage: "session_stage",
  safety: "crisis_gate",
  safety_first: "crisis_gate",
  memory: "load_memory",
  memory_control: "memory_control_gate",
  style: "response_generation",
};

const isDraft = (event: Event | Draft): event is Draft => "type" in event;

type Piece = Extract<StreamEvent, { readonly type: "status" | "chunk" }>;

/** What an event of the log, or a draft, tells those who watch. */
function pieceOf(event: Event | Draft): Piece | undefined {
  if (isDraft(event)) return event.type === "draft.delta" ? { type: "chunk", text: event.text } : undefined;
  if (event.kind === "turn" && event.data.type === "stage") return status(event.data.name);
  return undefined;
}

const status = (stage: string): Piece => ({ type: "status", stage: told[stage] ?? stage, detail: "" });

/**
 * The turn that answers a message which was accepted at `offset`. Every stage is told once, each word as it is written, and what it came to once it is saved: `response_ready`,
 * then `done`. A reply that was shown to nobody while it was written comes as one chunk; where what was shown was taken back, the output has what is said
 * in its place. Throws what failed the turn.
 */
export async function* streamTurn(
  session: Session,
  { offset, signal }: { readonly offset: number; readonly signal: AbortSignal },
): AsyncIterable<StreamEvent> {
  const watching = new AbortController();
  const outcome = session.outcome(offset, { signal });
  outcome.catch(() => {});
  const events = session.stream({ minOffset: offset, signal: AbortSignal.any([signal, watching.signal]) })[Symbol.asyncIterator]();
  const seen = new Set<string>();
  let shown = "";
  try {
    for (let next = events.next(); ;) {
      const heard = await Promise.race([next, outcome]);
      if (!("done" in heard)) break;
      if (heard.done) break;
      const piece = pieceOf(heard.value);
      next = events.next();
      // What led to the reply is on record before its first word is shown, but may be heard after it.
      if (piece?.type === "chunk" && shown === "") yield* untold(await stagesSince(session, offset), seen);
      if (piece?.type === "chunk") shown += piece.text;
      yield* piece?.type === "status" ? untold([piece], seen) : piece === undefined ? [] : [piece];
      if (endsTurn(heard.value, offset)) break;
    }
    const output = outputOfTurn(await outcome);
    if (shown === "") yield* untold(await stagesSince(session, offset), seen);
    // What was written after the last piece that was heard, or all of it where nothing was shown before it was whole.
    const rest = output.response_text.startsWith(shown) ? output.response_text.slice(shown.length) : "";
    if (rest !== "") yield { type: "chunk", text: rest };
    yield status("finalize");
    yield { type: "response_ready", output };
    yield { type: "done", output };
  } finally {
    watching.abort();
    await events.return?.();
  }
}

/** The stages that are on record since a message was accepted, in their order. */
const stagesSince = async (session: Session, offset: number): Promise<readonly Piece[]> =>
  (await Array.fromAsync(session.events({ minOffset: offset, kinds: ["turn"], follow: false }))).flatMap((event) => pieceOf(event) ?? []);

/** Each stage once. */
function* untold(pieces: readonly Piece[], seen: Set<string>): Iterable<Piece> {
  for (const piece of pieces) {
    if (piece.type !== "status" || seen.has(piece.stage)) continue;
    seen.add(piece.stage);
    yield piece;
  }
}

/** Whether nothing more comes of the turn. */
const endsTurn = (event: Event | Draft, offset: number): boolean =>
  !isDraft(event) && event.kind === "turn" && event.data.type === "ended" && event.offset > offset;
