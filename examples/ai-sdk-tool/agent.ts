/**
 * A tool of the Vercel AI SDK, as it is, with maps to the state: the place comes from the state, and the weather is written there.
 */
import { tool } from "ai";
import { defineAgent, defineState, input, loop, reduced, scripted } from "throughline";
import { fromAiTool } from "throughline/ai";
import { z } from "zod";

/** The SDK's own tool, as an application has it already. */
const weatherTool = tool({
  description: "The weather at a place.",
  inputSchema: z.object({ location: z.string(), unit: z.enum(["celsius", "fahrenheit"]).default("celsius") }),
  execute: async ({ location, unit }) => ({ location, temperature: unit === "celsius" ? 21 : 70, unit }),
});

const Weather = defineState({
  message: input(z.string()),
  home: reduced(z.string(), { start: true }),
  temperature: reduced(z.number(), { show: "output" }),
});

const weather = fromAiTool("weather", weatherTool, {
  effects: "none",
  inputsFromState: { home: "location" },
  outputsToState: { temperature: { source: "temperature" } },
});

/** Stands in for a language model, offline. */
const model = scripted(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role !== "tool") return { calls: [{ call_id: "weather", name: "weather", arguments: {} }] };
  const { location, temperature, unit } = JSON.parse(last.text) as { location: string; temperature: number; unit: string };
  return `${location}: ${temperature} degrees ${unit}`;
});

export const agent = defineAgent({ name: "weather", version: 1, state: Weather, reply: loop({ model, tools: [weather] }) });
