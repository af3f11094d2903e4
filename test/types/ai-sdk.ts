/** The adapter's own description of the AI SDK's models, against the real one. */
import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4CallOptions,
} from "@ai-sdk/provider";
import { aiSdk, type AiSdkCall } from "throughline/ai";

declare const v2: LanguageModelV2;
declare const v3: LanguageModelV3;
declare const v4: LanguageModelV4;
declare const call: AiSdkCall;

// Models of all three versions are taken.
aiSdk(v2);
aiSdk(v3);
aiSdk(v4);

// What the adapter sends is what each version accepts.
call satisfies LanguageModelV2CallOptions;
call satisfies LanguageModelV3CallOptions;
call satisfies LanguageModelV4CallOptions;

// @ts-expect-error a name alone is no model
aiSdk("openai/gpt-5");
