/** The session that an operator reads: its last messages, and everything that follows live. */
import { signal } from "@preact/signals";
import type { RequestError, WireEvent, WireSession } from "@throughline/client";
import { failureOf } from "../../base/page-actions.ts";
import { client } from "../../base/page-service.ts";

/** Offsets before the end that are read at first. */
const readBack = 400;
const kinds = ["message", "session"] as const satisfies readonly WireEvent["kind"][];

export class HandoverTalk {
  readonly id: string;
  readonly info = signal<WireSession | undefined>(undefined);
  readonly messages = signal<readonly Extract<WireEvent, { readonly kind: "message" }>[]>([]);
  readonly error = signal<RequestError | undefined>(undefined);

  constructor(id: string) {
    this.id = id;
  }

  /** Reads the session and follows it until the signal aborts. */
  async open(left: AbortSignal): Promise<void> {
    const session = client().sessions.get(this.id);
    try {
      const info = await session.info({ signal: left });
      this.info.value = info;
      const minOffset = Math.max(0, info.head - readBack + 1);
      for await (const event of session.events({ minOffset, kinds: [...kinds], signal: left })) {
        if (event.kind === "message") this.messages.value = [...this.messages.peek(), event];
        else if (event.kind === "session" && event.offset > info.head) this.info.value = await session.info({ signal: left });
      }
    } catch (error) {
      if (!left.aborted) this.error.value = failureOf(error);
    }
  }
}
