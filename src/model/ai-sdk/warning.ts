import { isPlainObject } from "../../kernel/json.ts";

/** A warning of a provider, for example about an unsupported setting. */
export interface AiSdkWarning {
  /** The provider's word for it, such as `unsupported`. */
  readonly type: string;
  /** The setting, tool or feature, if it is about one. */
  readonly about?: string;
  /** The provider's own sentence. */
  readonly message?: string;
}

const textOf = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === "string" && value !== "");

/** A warning of any version of the specification. */
export function warningOf(value: unknown): AiSdkWarning {
  const warning: Readonly<Record<string, unknown>> = isPlainObject(value) ? value : {};
  const tool = isPlainObject(warning["tool"]) ? warning["tool"]["name"] : undefined;
  const about = textOf(warning["feature"], warning["setting"], tool);
  const message = textOf(warning["message"], warning["details"]);
  return {
    type: textOf(warning["type"]) ?? "other",
    ...(about === undefined ? {} : { about }),
    ...(message === undefined ? {} : { message }),
  };
}
