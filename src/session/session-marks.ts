/** What the header of a session says of it: that nothing of it is remembered, or that it is a child agent's. */
import type { HeaderChange, SessionRow } from "../store/port.ts";

/**
 * Metadata key that marks an incognito session: nothing is remembered from it and nothing is recalled for it. Only Throughline writes it, when it
 * opens the session.
 */
export const incognitoKey = "incognito";

/** Whether the session is incognito: nothing is remembered from it and nothing is recalled for it. */
export const isIncognito = ({ metadata }: Pick<SessionRow, "metadata">): boolean => metadata[incognitoKey] === true;

/** Returns the header of a new session, marked as incognito if requested. */
export const withIncognito = (header: HeaderChange, incognito: boolean): HeaderChange =>
  incognito ? { ...header, metadata: { ...header.metadata, [incognitoKey]: true } } : header;

/** Label of the sessions of child agents. */
export const subagentLabel = "subagent";

/** Whether a session is a child agent's: the label alone saves others a read. */
export const isLabelled = ({ labels }: Pick<SessionRow, "labels">): boolean => labels.includes(subagentLabel);
