/** Telemetry passes the checks of the extension port: crashes, withdrawals, erasure, and failures of each of its points. */
import { afterAll, beforeAll, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, input, loop, scripted } from "../../packages/throughline/src/index.ts";
import { telemetry } from "../../packages/throughline/src/telemetry.ts";
import { extensionChecks } from "../../packages/throughline/src/testing.ts";
import { recordSpans, type RecordedSpans } from "./harness.ts";

let spans: RecordedSpans | undefined;
beforeAll(() => {
  spans = recordSpans();
});
afterAll(() => spans?.end());

const made = await telemetry();
for (const { name, run } of extensionChecks())
  test(name, { timeout: 240_000 }, () =>
    run({
      extension: () => made,
      agent: (extensions) =>
        defineAgent({
          name: "desk",
          version: 1,
          state: defineState({ message: input(z.string()) }),
          extensions,
          reply: loop({ model: scripted((request) => `I heard ${request.messages.at(-1)?.text}.`) }),
        }),
      messages: ["one", "two"],
      records: ["telemetry"],
    }),
  );
