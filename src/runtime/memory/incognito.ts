import type { SessionRow } from "../../store/port.ts";

/** The key of a session's metadata that says that nothing of it is remembered, and nothing recalled. Throughline alone writes it, when the session is opened. */
export const incognitoKey = "incognito";

/** Whether nothing of a session is remembered, and nothing recalled. */
export const isIncognito = ({ metadata }: Pick<SessionRow, "metadata">): boolean => metadata[incognitoKey] === true;
