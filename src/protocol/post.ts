/** What can be posted to a session's log. */
import { z } from "zod";
import { json, jsonObject } from "./value.ts";

const text = z
  .string()
  .max(100_000)
  .refine((value) => value.trim() !== "", "a message needs a text that is not blank");
const participant = z.strictObject({ display_name: z.string().trim().min(1).max(200) });
const metadata = jsonObject.optional();

/** A customer's message: it is answered. */
const customerMessage = z.strictObject({
  kind: z.literal("message"),
  source: z.literal("customer"),
  text,
  input: jsonObject.optional().describe("Values of the agent's other input fields."),
  start: jsonObject.optional().describe("Updates of the agent's start fields."),
  metadata,
});
/** What a person wrote who has taken over. */
const operatorMessage = z.strictObject({ kind: z.literal("message"), source: z.literal("human_agent"), text, participant, metadata });
/** The same in the agent's name. */
const onBehalfMessage = z.strictObject({
  kind: z.literal("message"),
  source: z.literal("human_agent_on_behalf_of_ai_agent"),
  text,
  participant: participant.optional(),
  metadata,
});
/** Nothing of its own: lets the agent speak. */
const agentTurn = z.strictObject({ kind: z.literal("message"), source: z.literal("ai_agent") });
const message = z.discriminatedUnion("source", [customerMessage, operatorMessage, onBehalfMessage, agentTurn]);

const others = z.enum(["customer", "customer_ui", "human_agent", "human_agent_on_behalf_of_ai_agent", "system"]);
/** Any JSON for the agent to see in its next turn. */
const custom = z.strictObject({
  kind: z.literal("custom"),
  source: others.optional().describe("`system` if left out."),
  data: json.refine((value) => value !== undefined, "a custom event needs data"),
  metadata,
});
/** What somebody other than the agent is doing; the model does not see it. */
const status = z.strictObject({
  kind: z.literal("status"),
  source: others.optional().describe("`human_agent` if left out."),
  status: z.enum(["acknowledged", "processing", "typing", "ready", "cancelled", "error"]),
  data: jsonObject.optional(),
  metadata,
});

const isMessageWithoutSource = (value: unknown): value is { readonly kind: "message" } =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "message" && !("source" in value);

const posted = z.discriminatedUnion("kind", [message, custom, status]);
type Posted = z.ZodType<z.output<typeof posted>, z.input<typeof posted> | Omit<z.input<typeof customerMessage>, "source">>;

/** What can be posted. A message without a source is a customer's. */
export const newEvent = z
  .preprocess((value: unknown) => (isMessageWithoutSource(value) ? { ...value, source: "customer" } : value), posted)
  .meta({ id: "NewEvent" }) as unknown as Posted;

/** What can be posted. */
export type NewEventBody = z.output<typeof posted>;
