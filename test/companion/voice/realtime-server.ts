/**
 * A local server that speaks the OpenAI Realtime protocol over WebSocket, for tests. Its ears are simple: sound that is not silence is the text that it encodes, and
 * 100 ms of silence end an utterance. It checks what it gets and sends against the schemas of OpenAI's own client.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import type { ZodType } from "zod";

/** The client's schemas are no entry of its package, which comes with the Agents SDK. */
const client = new URL("../../agents-realtime/dist/openaiRealtimeEvents.mjs", import.meta.resolve("@openai/agents"));
const schemas = (await import(client.href)) as {
  readonly realtimeClientEventSchema: ZodType;
  readonly realtimeServerEventSchema: ZodType;
};

export type Frame = { readonly type: string } & Readonly<Record<string, unknown>>;

/** What the server answers. */
export interface Spoken {
  readonly text?: string;
  /** Milliseconds of sound for each character; default 1. */
  readonly pace?: number;
  readonly calls?: readonly { readonly call_id: string; readonly name: string; readonly arguments: string }[];
  readonly status?: "completed" | "failed";
  /** Sends only this share of the reply, and ends it when the test says so. */
  readonly stallAfter?: number;
}

/** What the server is asked. */
export interface Asked {
  readonly instructions: string | undefined;
  /** Texts of the conversation's items, oldest first, with their role. */
  readonly items: readonly string[];
  readonly last: string;
}

export interface ServerOptions {
  /** Answers a response that the client asks for. The default says what it is told to say, and otherwise repeats. */
  readonly answer?: (asked: Asked, number: number) => Spoken;
  /** Transcribes; `undefined` fails. */
  readonly transcribe?: (text: string) => string | undefined;
  /** Refuses to respond. */
  readonly refuses?: (asked: Asked) => boolean;
  /** Milliseconds before a transcript comes. */
  readonly transcriptMs?: number | ((text: string) => number);
  /** Whether it tells at which millisecond of the sound an utterance ended; by default it does. */
  readonly tellsEnds?: boolean;
}

/** Sound of a text, followed by silence. */
export function speech(text: string): Uint8Array {
  const words = new TextEncoder().encode(text);
  const even = new Uint8Array(words.length + (words.length % 2));
  even.set(words);
  if (words.length % 2 === 1) even[words.length] = 0x20;
  const sound = new Uint8Array(even.length + silenceBytes);
  sound.set(even);
  return sound;
}
const bytesPerMs = 48;
const silenceBytes = 100 * bytesPerMs;

/** What the server is told to say word for word, if it is. */
export const told = ({ instructions = "" }: Asked): string | undefined => /^Say exactly the following text[^\n]*\n\n(.*)$/su.exec(instructions)?.[1];

const repeats = (asked: Asked): Spoken => ({ text: told(asked) ?? `I hear you: ${asked.last}.` });

export interface RealtimeServer {
  readonly url: string;
  /** Every event of every connection, in order. */
  readonly received: readonly Frame[];
  readonly sessions: readonly Frame[];
  /** Number of connections so far. */
  readonly connections: () => number;
  /** Cuts the connection. */
  readonly cut: () => void;
  /** Sends an event that nobody asked for. */
  readonly send: (event: Frame) => void;
  /** Refuses connections until it is called again. */
  readonly refuse: (isRefusing: boolean) => void;
  /** Ends responses that stall. */
  readonly goOn: () => void;
  readonly headers: () => Readonly<Record<string, unknown>>;
}

interface Response {
  readonly id: string;
  readonly item: string;
  readonly metadata: unknown;
  isOpen: boolean;
}

export async function realtimeServer({
  answer = repeats,
  transcribe = (text) => text,
  refuses = () => false,
  transcriptMs = 0,
  tellsEnds = true,
}: ServerOptions = {}): Promise<RealtimeServer> {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const received: Frame[] = [];
  const open = new Set<Connection>();
  let connections = 0;
  let isRefusing = false;
  let headers: Readonly<Record<string, unknown>> = {};
  let numbers = 0;

  class Connection {
    readonly socket: WebSocket;
    readonly items: { readonly id: string; text: string }[] = [];
    instructions = "";
    sound: number[] = [];
    silence = 0;
    /** Bytes of sound and silence so far. */
    heard = 0;
    active: Response | undefined;
    stalled: (() => void) | undefined;

    constructor(socket: WebSocket) {
      this.socket = socket;
      socket.on("message", (data: Buffer) => this.take(JSON.parse(data.toString("utf8")) as Frame));
      this.send({ type: "session.created", event_id: "e0", session: {} });
    }

    send(event: Frame): void {
      const checked = schemas.realtimeServerEventSchema.safeParse({ event_id: `e${(numbers += 1)}`, ...event });
      if (!checked.success) throw new Error(`the server of the test speaks wrongly: ${JSON.stringify(event)}`);
      if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify({ event_id: `e${numbers}`, ...event }));
    }

    fail(code: string, event_id: unknown): void {
      this.send({ type: "error", error: { type: "invalid_request_error", code, message: code, param: null, event_id: event_id ?? null } });
    }

    take(event: Frame): void {
      received.push(event);
      if (!schemas.realtimeClientEventSchema.safeParse(event).success) return this.fail("invalid_value", event["event_id"]);
      switch (event.type) {
        case "session.update": {
          const { instructions = this.instructions } = event["session"] as { readonly instructions?: string };
          this.instructions = instructions;
          return this.send({ type: "session.updated", session: {} });
        }
        case "input_audio_buffer.append":
          return this.listen(Buffer.from(String(event["audio"]), "base64"));
        case "conversation.item.create":
          return this.add(event["item"] as Readonly<Record<string, unknown>>);
        case "conversation.item.delete": {
          const at = this.items.findIndex(({ id }) => id === event["item_id"]);
          if (at < 0) return this.fail("item_not_found", event["event_id"]);
          this.items.splice(at, 1);
          return this.send({ type: "conversation.item.deleted", item_id: String(event["item_id"]) });
        }
        case "conversation.item.truncate":
          return this.send({
            type: "conversation.item.truncated",
            item_id: String(event["item_id"]),
            content_index: 0,
            audio_end_ms: Number(event["audio_end_ms"]),
          });
        case "response.create":
          return this.respond(event);
        case "response.cancel":
          if (this.active === undefined || this.active.id !== event["response_id"]) return this.fail("response_cancel_not_active", event["event_id"]);
          return this.end(this.active, "cancelled", []);
        default:
      }
    }

    add(item: Readonly<Record<string, unknown>>): void {
      const content = item["content"] as readonly { readonly text?: string }[] | undefined;
      const text = content?.map(({ text: one }) => one).join("") ?? JSON.stringify(item["output"] ?? item["arguments"]);
      this.items.push({ id: `item_${(numbers += 1)}`, text: `${String(item["role"] ?? item["type"])}: ${text}` });
    }

    listen(audio: Buffer): void {
      for (const byte of audio) {
        this.heard += 1;
        if (byte !== 0) this.hearSound(byte);
        else if (this.sound.length > 0 && (this.silence += 1) >= silenceBytes / 2) this.commit();
      }
    }

    hearSound(byte: number): void {
      if (this.sound.length === 0) {
        this.send({ type: "input_audio_buffer.speech_started", audio_start_ms: 0, item_id: "next" });
        // interrupt_response
        if (this.active !== undefined) this.end(this.active, "cancelled", []);
      }
      this.sound.push(byte);
      this.silence = 0;
    }

    commit(): void {
      const text = Buffer.from(this.sound).toString("utf8").trim();
      this.sound = [];
      this.silence = 0;
      const id = `item_${(numbers += 1)}`;
      this.items.push({ id, text: `user: ${text}` });
      this.send({ type: "input_audio_buffer.speech_stopped", audio_end_ms: tellsEnds ? Math.ceil(this.heard / bytesPerMs) : 0, item_id: id });
      this.send({ type: "input_audio_buffer.committed", item_id: id, previous_item_id: null });
      setTimeout(
        () => {
          const transcript = transcribe(text);
          if (transcript === undefined)
            this.send({
              type: "conversation.item.input_audio_transcription.failed",
              item_id: id,
              content_index: 0,
              error: { type: "server_error", code: "audio_unintelligible", message: "" },
            });
          else
            this.send({ type: "conversation.item.input_audio_transcription.completed", item_id: id, content_index: 0, transcript, logprobs: null });
        },
        typeof transcriptMs === "number" ? transcriptMs : transcriptMs(text),
      );
    }

    respond(event: Frame): void {
      if (this.active !== undefined) return this.fail("conversation_already_has_active_response", event["event_id"]);
      const asked = (event["response"] ?? {}) as { readonly instructions?: string; readonly metadata?: unknown };
      if (refuses({ instructions: asked.instructions, items: [], last: "" })) return this.fail("rate_limit_exceeded", event["event_id"]);
      const response: Response = { id: `resp_${(numbers += 1)}`, item: `item_${numbers}`, metadata: asked.metadata ?? null, isOpen: true };
      this.active = response;
      this.send({ type: "response.created", response: { id: response.id, status: "in_progress", metadata: asked.metadata ?? null, output: [] } });
      const texts = this.items.map(({ text }) => text);
      const last = texts.findLast((text) => text.startsWith("user: "))?.slice(6) ?? "";
      const spoken = answer({ instructions: asked.instructions, items: texts, last }, (numbers += 1));
      const { text = "", pace = 1, calls = [], status = "completed", stallAfter } = spoken;
      const pieces = text.match(/\S+\s*/gu) ?? [];
      const sent = stallAfter === undefined ? pieces : pieces.slice(0, Math.ceil(pieces.length * stallAfter));
      const ids = { response_id: response.id, item_id: response.item, output_index: 0, content_index: 0 };
      const say = (list: readonly string[]): void => {
        for (const delta of list) {
          this.send({ type: "response.output_audio_transcript.delta", ...ids, delta });
          this.send({ type: "response.output_audio.delta", ...ids, delta: Buffer.alloc(delta.length * pace * bytesPerMs, 1).toString("base64") });
        }
      };
      const finish = (): void => {
        if (!response.isOpen) return;
        if (text !== "") this.items.push({ id: response.item, text: `assistant: ${text}` });
        this.end(response, status, calls);
      };
      // A real server sends events one after the other, and hears what the client sends between them.
      setImmediate(() => {
        if (!response.isOpen) return;
        say(sent);
        if (stallAfter === undefined) setImmediate(finish);
        else
          this.stalled = () => {
            if (response.isOpen) say(pieces.slice(sent.length));
            finish();
          };
      });
    }

    end(response: Response, status: string, calls: NonNullable<Spoken["calls"]>): void {
      response.isOpen = false;
      if (this.active === response) this.active = undefined;
      const output = calls.map((call) => ({ id: `item_${(numbers += 1)}`, type: "function_call", status: "completed", ...call }));
      for (const { call_id, name, arguments: given } of calls) this.items.push({ id: call_id, text: `function_call: ${name} ${given}` });
      const usage = { total_tokens: 30, input_tokens: 20, output_tokens: 10 };
      this.send({ type: "response.done", response: { id: response.id, status, metadata: response.metadata, output, usage } });
    }
  }

  http.on("upgrade", (request, socket, head) => {
    if (isRefusing) return void socket.destroy();
    headers = request.headers;
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      connections += 1;
      const connection = new Connection(accepted);
      open.add(connection);
      accepted.on("close", () => open.delete(connection));
      accepted.on("error", () => {});
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const { socket } of open) socket.terminate();
    sockets.close();
    await new Promise((resolve) => http.close(resolve));
  });
  return {
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/v1/realtime`,
    received,
    get sessions() {
      return received.filter(({ type }) => type === "session.update");
    },
    connections: () => connections,
    cut: () => {
      for (const { socket } of open) socket.terminate();
    },
    send: (event) => {
      for (const connection of open) connection.send(event);
    },
    refuse: (refusing) => {
      isRefusing = refusing;
    },
    goOn: () => {
      for (const connection of open) {
        const { stalled } = connection;
        connection.stalled = undefined;
        stalled?.();
      }
    },
    headers: () => headers,
  };
}
