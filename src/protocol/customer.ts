/** Customers on the wire. */
import { z } from "zod";
import { customerId, jsonObject, mergePatch, time } from "./value.ts";

const name = z.string().max(200).nullable().describe("Display name.");

/** A customer. */
export const customer = z
  .object({
    id: customerId,
    name,
    variables: jsonObject.describe("What agents may know, from their next turn on."),
    metadata: jsonObject.optional().describe("The integration's own; only for keys that may read metadata."),
    created_at: time,
    version: z.int().describe("Raised by every change; the `ETag`."),
  })
  .meta({ id: "Customer" });

/** What a customer is created with. */
export const newCustomer = z
  .strictObject({
    id: customerId.optional().describe("Generated if left out."),
    name: name.optional(),
    variables: jsonObject.optional(),
    metadata: jsonObject.optional(),
  })
  .meta({ id: "NewCustomer", examples: [{ id: "crm-7", name: "Ada", variables: { tier: "gold" } }] });

/** A change of a customer. */
export const customerPatch = z
  .strictObject({ name: name.optional(), variables: mergePatch.optional(), metadata: mergePatch.optional() })
  .meta({ id: "CustomerPatch", examples: [{ variables: { tier: null }, metadata: { ticket: "T-1" } }] });
