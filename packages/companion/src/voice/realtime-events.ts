/** The part of the OpenAI Realtime protocol that a voice call uses: events sent and received, with the audio format. */
import type { JsonObject } from "throughline";
import { z } from "zod";

/** Audio in both directions: 16-bit little-endian PCM, one channel, 24,000 samples a second. */
export const bytesPerMs = 48;

/** An event for the server. */
export type ClientEvent = { readonly type: string } & JsonObject;

const text = z.string();
const optionalText = z.string().nullish();
const functionCall = z.looseObject({ type: z.literal("function_call"), call_id: text, name: text, arguments: text });
const item = z.union([functionCall, z.looseObject({ type: text })]);
const tokens = z.looseObject({ input_tokens: z.number().nullish(), output_tokens: z.number().nullish() });
const response = z.looseObject({
  id: text,
  status: optionalText,
  metadata: z.record(text, z.unknown()).nullish(),
  output: z.array(item).nullish(),
  usage: tokens.nullish(),
});
const ofResponse = { response_id: text, item_id: text };
const failure = z.looseObject({ code: optionalText, event_id: optionalText });

const serverEvent = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("session.created") }),
  z.looseObject({ type: z.literal("session.updated") }),
  z.looseObject({ type: z.literal("input_audio_buffer.speech_started") }),
  z.looseObject({ type: z.literal("input_audio_buffer.speech_stopped"), audio_end_ms: z.number().nullish() }),
  z.looseObject({ type: z.literal("input_audio_buffer.committed"), item_id: text }),
  z.looseObject({ type: z.literal("conversation.item.input_audio_transcription.completed"), item_id: text, transcript: text }),
  z.looseObject({ type: z.literal("conversation.item.input_audio_transcription.failed"), item_id: text, error: failure.nullish() }),
  z.looseObject({ type: z.literal("response.created"), response }),
  z.looseObject({ type: z.literal("response.output_audio.delta"), ...ofResponse, delta: text }),
  z.looseObject({ type: z.literal("response.output_audio_transcript.delta"), ...ofResponse, delta: text }),
  z.looseObject({ type: z.literal("response.done"), response }),
  z.looseObject({ type: z.literal("error"), error: failure }),
]);

/** An event of the server that a call handles. */
export type ServerEvent = z.infer<typeof serverEvent>;
/** What an error says. Its message may quote the person, so it is not read. */
export type ServerError = z.infer<typeof failure>;
/** The response of an event. */
export type ResponseFields = z.infer<typeof response>;
/** A function call of a response. Its arguments are JSON text. */
export type FunctionCallItem = z.infer<typeof functionCall>;

/** Names of an earlier version of the protocol, which some servers still send. */
const earlierNames: Readonly<Record<string, string>> = {
  "response.audio.delta": "response.output_audio.delta",
  "response.audio_transcript.delta": "response.output_audio_transcript.delta",
};

/** Reads a frame. Undefined for events that a call does not handle, and for what is no event. */
export function parseServerEvent(frame: unknown): ServerEvent | undefined {
  if (typeof frame !== "string") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    return undefined;
  }
  const named = z.looseObject({ type: text }).safeParse(value);
  if (!named.success) return undefined;
  const read = serverEvent.safeParse({ ...named.data, type: earlierNames[named.data.type] ?? named.data.type });
  return read.success ? read.data : undefined;
}

/** The function calls among the items of a response. */
export const functionCallsOf = ({ output }: ResponseFields): readonly FunctionCallItem[] =>
  (output ?? []).flatMap((one) => {
    const read = functionCall.safeParse(one);
    return read.success ? [read.data] : [];
  });
