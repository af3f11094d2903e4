import type { HeaderChange, SessionRow } from "../store/port.ts";

/** The key of a session's metadata that says that nothing of it is remembered, and nothing recalled. Throughline alone writes it, when the session is opened. */
export const incognitoKey = "incognito";

/** Whether nothing of a session is remembered, and nothing recalled. */
export const isIncognito = ({ metadata }: Pick<SessionRow, "metadata">): boolean => metadata[incognitoKey] === true;

/** The header of a session that is opened, incognito or not. */
export const withIncognito = (header: HeaderChange, incognito: boolean): HeaderChange =>
  incognito ? { ...header, metadata: { ...header.metadata, [incognitoKey]: true } } : header;
