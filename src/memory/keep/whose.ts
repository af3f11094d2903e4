import type { SessionId } from "../../kernel/id.ts";
import { headerOf } from "../../extension/commit.ts";
import type { RuntimeContext } from "../../runtime/context.ts";
import type { Whose } from "./door.ts";

/** Whose memory a session's is: its customer's, or its own. */
export const whoseSession =
  (runtime: Pick<RuntimeContext, "store">, session_id: SessionId): Whose =>
  async () => {
    const { owner_id, owner_version } = await headerOf(runtime, session_id);
    return { owner_id, version: owner_version };
  };
