/** The chat in Next.js: save this file as `app/api/chat/[[...path]]/route.ts`. */
import { chat } from "./chat.ts";

export { chat as GET, chat as POST };

/** The log is read for each request. */
export const dynamic = "force-dynamic";
