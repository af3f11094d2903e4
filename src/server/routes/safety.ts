import type { safetyOperations } from "../../protocol/operations/safety.ts";
import type { SafetyLevel } from "../../safety/assessment.ts";
import type { Handlers } from "../call.ts";
import { sessionOf } from "../session-of.ts";
import { writable } from "../wire/writable.ts";

/** The level that a request names: one from 0 to 3, as its shape says. */
const levelOf = (level: number): SafetyLevel => (level === 0 || level === 1 || level === 2 ? level : 3);

/** What gates have found, and what people say of it. */
export const safetyRoutes: Handlers<keyof typeof safetyOperations> = {
  async listAssessments({ runtime }, { query }) {
    const { level, ...page } = query;
    const listed = await runtime.safety.assessments({ ...page, ...(level === undefined ? {} : { level: levelOf(level) }) });
    return { status: 200, body: { ...listed, items: listed.items.map((record) => ({ ...writable(record) })) } };
  },
  async getSafetyReport({ runtime }, { query }) {
    return { status: 200, body: writable(await runtime.safety.report(query)) };
  },
  async giveFeedback(service, { path, body, principal }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    const { label, ...source } = body;
    const given = await session.feedback(label, source);
    if (given === null) return { status: 200, body: { feedback: null } };
    const { id, recorded_at, turn_count_at_end } = given;
    return { status: 200, body: { feedback: { id, label: given.label, source: given.source, recorded_at, turn_count_at_end } } };
  },
  async giveConsent(service, { path, body, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    const { text_version: textVersion, ...rest } = body;
    return { status: 200, body: { offset: (await session.consent({ ...rest, textVersion, ...once })).offset } };
  },
};
