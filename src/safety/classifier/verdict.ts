/** A classifier's answer, read strictly where it decides and mildly where it only describes. */
import { ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../../kernel/json.ts";
import { type ClassifierVerdict, reasonCodes, riskTypes, type SafetyConfidence, type SafetyLevel } from "../assessment.ts";

const confidences: readonly SafetyConfidence[] = ["low", "medium", "high"];

/** The answer that a classifier is asked for, as a JSON Schema. */
export const verdictSchema: JsonObject = {
  title: "safety_verdict",
  type: "object",
  properties: {
    level: { type: "integer", enum: [0, 1, 2, 3] },
    confidence: { type: "string", enum: [...confidences] },
    risk_types: { type: "array", items: { type: "string", enum: [...riskTypes] } },
    subject: { type: "string", enum: ["self", "other"] },
    reason_code: { type: "string", enum: [...reasonCodes] },
    evidence_span: { type: "string", maxLength: 300 },
  },
  required: ["level", "confidence", "risk_types", "subject", "reason_code", "evidence_span"],
  additionalProperties: false,
};

/** What is wrong, never what was said: a verdict may quote a person. */
const invalid = (what: string): ThroughlineError =>
  new ThroughlineError("safety.classifier_invalid", `The safety classifier's answer is none: ${what}.`, { hint: "The gate decides without it." });

function levelOf(value: unknown): SafetyLevel {
  const level = typeof value === "string" && /^\s*\d{1,3}\s*$/u.test(value) ? Number(value) : value;
  if (typeof level !== "number" || !(level >= 0)) throw invalid("/level is no number from 0 to 3");
  if (level > 2) return 3;
  return level > 1 ? 2 : level > 0 ? 1 : 0;
}

/**
 * A verdict from whatever a classifier gave. A level above 3 is 3, one between two levels the higher; a confidence that is none is "medium"; names that
 * are in no list are left out, and nothing that is missing can lower a level. Throws `safety.classifier_invalid` where no level can be read.
 */
export function readVerdict(value: unknown): ClassifierVerdict {
  if (!isPlainObject(value)) throw invalid("it is no object");
  const { level, confidence, risk_types, subject, reason_code, evidence_span } = value;
  const named: readonly unknown[] = Array.isArray(risk_types) ? risk_types : [];
  return {
    level: levelOf(level),
    confidence: confidences.find((known) => known === confidence) ?? "medium",
    risk_types: riskTypes.filter((known) => named.includes(known)),
    subject: subject === "other" ? "other" : "self",
    reason_code: reasonCodes.find((known) => known === reason_code) ?? "none",
    evidence_span: typeof evidence_span === "string" ? evidence_span : "",
  };
}

/** The JSON in a model's answer: alone, in a code fence, or with words around it. */
const jsonIn = (answer: string): string => {
  const from = answer.indexOf("{");
  const to = answer.lastIndexOf("}");
  return from === -1 || to < from ? answer : answer.slice(from, to + 1);
};

/** A verdict from a model's answer. Throws `safety.classifier_invalid` if it is none. */
export function parseVerdict(answer: string): ClassifierVerdict {
  let parsed: unknown;
  try {
    parsed = JSON.parse(jsonIn(answer));
  } catch {
    throw invalid(answer.trim() === "" ? "it is empty" : "it is no JSON");
  }
  return readVerdict(parsed);
}
