/** Files whose figures can be compared with published ones, known by what is in them. Nobody's data is in this repository: they are read by path. */
import { createHash } from "node:crypto";

interface KnownFile {
  /** The first and the last characters of its SHA-256. */
  readonly starts: string;
  readonly ends: string;
  readonly name: string;
}

const known: readonly KnownFile[] = [
  // As github.com/dial481/locomo-audit gives it.
  { starts: "79fa87e9", ends: "ea698ff4", name: "LoCoMo, all ten conversations (locomo10.json)" },
  { starts: "27b443bf293ec20a", ends: "4407230735a0d06", name: "LoCoMo, the development conversations" },
];

/** What a file is, and whether that is known. */
export interface Identity {
  readonly sha256: string;
  readonly name: string;
  readonly verified: boolean;
}

/** Recognises a file by its bytes; one that is not known is evaluated all the same, as `unverified`. */
export function identify(bytes: Uint8Array): Identity {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const name = known.find(({ starts, ends }) => sha256.startsWith(starts) && sha256.endsWith(ends))?.name;
  return { sha256, name: name ?? "unverified", verified: name !== undefined };
}

/** The conversations of LoCoMo that weights and lexicon were tuned on. All others are held out: nobody looks at their questions. */
export const developmentSamples: readonly string[] = ["conv-26", "conv-30", "conv-41"];
