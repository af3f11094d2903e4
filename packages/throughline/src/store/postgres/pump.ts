import type { SessionId } from "../../kernel/id.ts";
import type { News } from "../sql/wake/link.ts";

/** Notifications within this many milliseconds are sent together. */
const coalesceMs = 5;
/** Maximum milliseconds before the retry of a failed notification. */
const longestPauseMs = 5_000;
/** PostgreSQL accepts payloads of less than 8,000 bytes. */
const payloadBytes = 7_900;

const tokenOf: { readonly [Of in News["of"]]: (news: Extract<News, { of: Of }>) => string } = {
  head: ({ session_id, head }) => `h:${encodeURIComponent(session_id)}:${head}`,
  turns: () => "t",
  anything: () => "a",
  draft: ({ session_id }) => `d:${encodeURIComponent(session_id)}`,
  draft_end: ({ piece }) =>
    `e:${encodeURIComponent(piece.session_id)}:${piece.epoch}:${piece.turn}:${piece.message}:${piece.at}:${/^\w{1,40}$/.test(piece.ended) ? piece.ended : "ended"}`,
};

/** Packs news into payloads: the sender's name, then one word for each item. */
export function packNews(sender: string, news: readonly News[]): readonly string[] {
  const payloads: string[] = [];
  let payload = sender;
  for (const one of news) {
    const token = (tokenOf[one.of] as (news: News) => string)(one);
    if (payload.length + 1 + token.length > payloadBytes) {
      payloads.push(payload);
      payload = sender;
    }
    payload += ` ${token}`;
  }
  return payload === sender ? payloads : [...payloads, payload];
}

/** Unpacks a payload. Returns nothing for this process's own payloads, and skips unknown words of later versions. */
export function unpackNews(receiver: string, payload: string): readonly News[] {
  const [sender, ...tokens] = payload.split(" ");
  return sender === receiver ? [] : tokens.flatMap((token) => newsOf(token) ?? []);
}

function newsOf(token: string): News | undefined {
  const [of, session = "", ...rest] = token.split(":");
  const session_id = decodeURIComponent(session) as SessionId;
  const [first = NaN, turn = NaN, message = NaN, at = NaN] = rest.map(Number);
  switch (of) {
    case "h":
      return { of: "head", session_id, head: first };
    case "t":
      return { of: "turns" };
    case "a":
      return { of: "anything" };
    case "d":
      return { of: "draft", session_id };
    case "e":
      // The earlier pieces have the draft's position.
      return { of: "draft_end", piece: { session_id, epoch: first, turn, message, after: 0, at, text: "", ended: rest[4] ?? "ended" } };
    default:
      return undefined;
  }
}

/** Returns a key. Of waiting news with the same key only the last is sent. Every end of a draft is sent. */
function keyOf(news: News): string {
  if (news.of !== "draft_end") return "session_id" in news ? `${news.of} ${news.session_id}` : news.of;
  const { session_id, epoch, message } = news.piece;
  return `${news.of} ${session_id} ${epoch} ${message}`;
}

/** Sends notifications after commits: grouped, in the background, and retried until they are sent. Of several heads of a session only the last is sent. */
export class Pump {
  readonly #send: (payloads: readonly string[]) => Promise<unknown>;
  readonly #sender: string;
  #waiting = new Map<string, News>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #failures = 0;
  #closed = false;

  constructor(sender: string, send: (payloads: readonly string[]) => Promise<unknown>) {
    this.#sender = sender;
    this.#send = send;
  }

  tell(news: News): void {
    if (this.#closed) return;
    this.#note(news);
    this.#schedule();
  }

  /** Sends the waiting notifications once, then stops. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    await this.#flush();
  }

  #note(news: News): void {
    const key = keyOf(news);
    const known = this.#waiting.get(key);
    if (news.of === "head" && known?.of === "head" && known.head >= news.head) return;
    this.#waiting.set(key, news);
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#sending !== undefined || this.#closed) return;
    const pause = this.#failures === 0 ? coalesceMs : Math.min(longestPauseMs, 50 * 2 ** this.#failures);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#flush().finally(() => {
        this.#sending = undefined;
        if (this.#waiting.size > 0) this.#schedule();
      });
    }, pause);
  }

  async #flush(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const news = [...this.#waiting.values()];
    this.#waiting = new Map();
    try {
      await this.#send(packNews(this.#sender, news));
      this.#failures = 0;
    } catch {
      // Readers also poll. The next try notifies them sooner.
      this.#failures += 1;
      if (!this.#closed) for (const one of news) this.#note(one);
    }
  }
}
