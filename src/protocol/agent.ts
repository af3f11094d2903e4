/** Agents on the wire. */
import { z } from "zod";
import { jsonObject } from "./value.ts";

/** An agent that sessions can be opened with. */
export const agent = z
  .object({
    name: z.string(),
    version: z.int().describe("Version of its definition."),
    input: jsonObject.describe("JSON Schema of what may come with a message."),
    public: jsonObject.describe("JSON Schema of the state that customers may see."),
    output: jsonObject.describe("JSON Schema of the state that integrations are shown: the public fields, and more."),
  })
  .meta({ id: "Agent" });
