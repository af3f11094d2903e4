import { createIds, parseSessionId } from "../../kernel/id.ts";
import { silentLogger } from "../../kernel/log.ts";
import { identify } from "../../runtime/identify.ts";
import { type CommandContext, withStore } from "../context.ts";
import { printable } from "../text.ts";

/** `sessions identify`: says who the customer of an anonymous session is. */
export async function identifySession(
  context: CommandContext,
  options: { readonly session: string; readonly customer: string; readonly carry: boolean },
): Promise<void> {
  const { output, clock } = context;
  const { customer, carry } = options;
  const session_id = parseSessionId(options.session);
  const identified = await withStore(context, (store) =>
    identify({ store, clock, ids: createIds({ clock }), logger: silentLogger }, session_id, { customer, carry }),
  );
  if (output.json) return output.document({ session_id, customer_id: customer, identified });
  output.out.line(printable(identified ? `${session_id} is a session of ${customer} now.` : `${session_id} was a session of ${customer} already.`));
}
