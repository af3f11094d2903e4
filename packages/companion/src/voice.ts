/** Voice calls of the companion over the OpenAI Realtime protocol. @module */
export { createVoice } from "./voice/create-voice.ts";
export type { CallOptions, Voice, VoiceOptions } from "./voice/create-voice.ts";
export type { OpenSocket } from "./voice/realtime-link.ts";
export type { VoiceCall, VoicePart } from "./voice/voice-call.ts";
export { voiceBootstrap } from "./voice/voice-bootstrap.ts";
export type { VoiceBootstrap, VoiceBootstrapOptions } from "./voice/voice-bootstrap.ts";
