import { createHash } from "node:crypto";
import { type JsonObject, canonicalJson } from "../kernel/json.ts";

/**
 * Identifies a call's arguments: SHA-256 of their JSON with sorted keys, as 64 hexadecimal digits. A decision names it, so that nobody approves
 * what they have not seen.
 */
export const argumentsHash = (args: JsonObject): string => createHash("sha256").update(canonicalJson(args)).digest("hex");
