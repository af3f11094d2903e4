/** Frames of a stream of server-sent events. */
import type { Bye, Gone, WireDraft } from "../../protocol/stream.ts";

/** What a stream begins with: the milliseconds after which a reader that was cut comes back, and where it stands if that is known. */
export const beginning = (id: string | undefined): string => `${id === undefined ? "" : `id: ${id}\n`}retry: 1000\n\n`;

/** A frame of one line of JSON; without an id the reader's last one stays. */
function frame(event: string, data: string, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

/** An event, as the JSON that it is on all ways. */
export const eventFrame = (kind: string, text: string, id: string): string => frame(kind, text, id);
export const draftFrame = (draft: WireDraft): string => frame("draft", JSON.stringify(draft));
export const goneFrame = (gone: Gone): string => frame("gone", JSON.stringify(gone));
export const byeFrame = (bye: Bye, id: string | undefined): string => frame("bye", JSON.stringify(bye), id);

/**
 * Keeps the connection alive, and says where the reader stands. A frame without data is no event, but its id counts: whoever comes back does not look
 * again at what they are not shown.
 */
export const heartbeat = (position: string, id: string | undefined): string =>
  `${id === undefined ? "" : `id: ${id}\n`}: next_offset=${position}\n\n`;
