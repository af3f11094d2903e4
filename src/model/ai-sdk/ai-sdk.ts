import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { callSettings, type ModelCallOptions } from "../call/options.ts";
import { answerWithRetries } from "../call/retry.ts";
import type { Model } from "../port.ts";
import { answerOf, type Caller } from "./answer.ts";
import type { AiSdkLanguageModel, AiSdkSettings } from "./language-model.ts";
import { promptOf } from "./prompt.ts";
import type { AiSdkWarning } from "./warning.ts";

/** Options of {@link aiSdk}. */
export interface AiSdkOptions extends ModelCallOptions {
  /** Shown to people; the model and its provider by default. */
  readonly name?: string;
  /** Sent with every call. */
  readonly settings?: AiSdkSettings;
  /** Sent with every call, by the provider's name. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with warnings of the provider; none by default. */
  readonly onWarning?: (warning: AiSdkWarning) => void;
}

/**
 * A model of the AI SDK: any provider's language model of version 2, 3 or 4 of the specification (AI SDK 5, 6 and 7). It is always streamed, and
 * a call that fails before any text came is repeated here, as the SDK's own functions do it. Throws `input.invalid` for something else than
 * such a model; a stream throws `model.failed` or `model.invalid_response` with `status`, `retry_after_ms` and `attempts` as details, and
 * nothing of the provider's error but its name.
 * @example aiSdk(openai("gpt-5"))
 */
export function aiSdk(model: AiSdkLanguageModel, options: AiSdkOptions = {}): Model {
  checkModel(model);
  const { name = `${model.modelId} at ${model.provider}`, settings = {}, providerOptions, headers, onWarning = () => {} } = options;
  const caller: Caller = { model, name, settings: callSettings("aiSdk", options), onWarning };
  const fixed = {
    ...settings,
    ...(providerOptions === undefined ? {} : { providerOptions: { ...providerOptions } }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
  return Object.freeze({
    name,
    stream: (request, { signal }) => {
      const open = (each: AbortSignal): ReturnType<typeof answerOf> => answerOf(caller, { ...fixed, ...promptOf(request) }, each);
      return answerWithRetries({ name, settings: caller.settings, open }, signal);
    },
  } satisfies Model);
}

function checkModel(model: AiSdkLanguageModel): void {
  const given: unknown = model;
  const hint = 'Give what a provider\'s function returns, such as openai("gpt-5"), of AI SDK 5 or later.';
  if (typeof given !== "object" || given === null || !("doStream" in given) || typeof given.doStream !== "function")
    throw new ThroughlineError(
      "input.invalid",
      `aiSdk: this is no language model of the AI SDK: ${typeof given === "string" ? seen(given) : typeof given}.`,
      { hint },
    );
  if (!["v2", "v3", "v4"].includes(model.specificationVersion))
    throw new ThroughlineError(
      "input.invalid",
      `aiSdk: the model has version ${seen(model.specificationVersion)} of the specification, not v2, v3 or v4.`,
      { hint },
    );
}
