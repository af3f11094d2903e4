import { createHash } from "node:crypto";
import { type JsonObject, canonicalJson } from "../kernel/json.ts";

/**
 * Returns the SHA-256 of the arguments as JSON with sorted keys, in 64 hexadecimal digits. An approval decision names this hash, so it cannot approve
 * arguments that the approver has not seen.
 */
export const argumentsHash = (args: JsonObject): string => createHash("sha256").update(canonicalJson(args)).digest("hex");
