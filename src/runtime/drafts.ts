import type { SessionId, TurnId } from "../kernel/id.ts";

/** Provisional live text of a reply. A reader drops what it has of a draft on its `draft.reset`, and on the final `message` event. */
export type Draft =
  | {
      readonly type: "draft.delta";
      readonly session_id: SessionId;
      readonly turn_id: TurnId;
      readonly epoch: number;
      readonly message: number;
      readonly text: string;
    }
  | {
      readonly type: "draft.reset";
      readonly session_id: SessionId;
      readonly turn_id: TurnId;
      readonly epoch: number;
      readonly message: number;
      readonly reason: DraftEnd;
    };

/** Why a draft is over: its text was committed (`end`), or it was not. */
export type DraftEnd = "end" | "fence" | "manual" | "stopped" | "failed";

type Listener = (draft: Draft) => void;

/** A draft that is being written. */
export interface OpenDraft {
  /** Appends text, which every listener gets at once. */
  write(text: string): void;
  /** Ends the draft. Every draft ends; a second end is ignored. */
  end(reason: DraftEnd): void;
}

/** Drafts of the replies that this process is writing. They are memory only: nothing that matters rests on them. */
export class Drafts {
  readonly #listeners = new Map<SessionId, Set<Listener>>();
  readonly #open = new Map<SessionId, { readonly key: Omit<Extract<Draft, { type: "draft.delta" }>, "type" | "text">; text: string }>();

  /** Opens the draft of a message: `message` counts the messages of the turn, from 0. */
  open(key: { readonly session_id: SessionId; readonly turn_id: TurnId; readonly epoch: number; readonly message: number }): OpenDraft {
    const draft = { key, text: "" };
    let ended = false;
    this.#open.set(key.session_id, draft);
    return {
      write: (text) => {
        if (ended || text === "") return;
        draft.text += text;
        this.#tell({ type: "draft.delta", ...key, text });
      },
      end: (reason) => {
        if (ended) return;
        ended = true;
        if (this.#open.get(key.session_id) === draft) this.#open.delete(key.session_id);
        this.#tell({ type: "draft.reset", ...key, reason });
      },
    };
  }

  /** Calls `listener` with every draft of the session from now on, beginning with what the open one has so far. Returns how to stop. */
  listen(session: SessionId, listener: Listener): () => void {
    const listeners = this.#listeners.get(session) ?? new Set();
    this.#listeners.set(session, listeners.add(listener));
    const open = this.#open.get(session);
    if (open !== undefined && open.text !== "") listener({ type: "draft.delta", ...open.key, text: open.text });
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(session);
    };
  }

  #tell(draft: Draft): void {
    for (const listener of this.#listeners.get(draft.session_id) ?? []) listener(draft);
  }
}
