/** A point of a conversation, as an address names it. */

/** A point of a session. Without an offset it is the end. */
export interface Point {
  readonly id: string;
  readonly at: number | undefined;
}

/** The offset that an address names. */
export const offsetIn = (text: string | undefined): number | undefined => (text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined);

/** Reads a point as addresses name it: a session, `session@offset`, or an offset of one's own session. */
export function pointIn(text: string | undefined, own: string): Point | undefined {
  const [whole, id = own, at] = /^(ses_[0-9a-z]+)?(?:(?:^|@)(\d{1,12}))?$/.exec(text?.trim() ?? "") ?? [];
  return whole === undefined || whole === "" ? undefined : { id, at: offsetIn(at) };
}

/** A point as `pointIn` reads it. */
export const textOfPoint = ({ id, at }: Point, own: string): string => (at === undefined ? id : id === own ? String(at) : `${id}@${at}`);
