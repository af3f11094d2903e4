/** The text of a message. Values of other types are shown as JSON. */
import type { WireEvent } from "@throughline/client";

export const messageText = (data: Extract<WireEvent, { readonly kind: "message" }>["data"]): string =>
  data.parts.map((part) => (part.type === "text" ? part.text : JSON.stringify(part.value))).join("\n");
