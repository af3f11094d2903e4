/** `sessions show --visible` is all that a model would be told, variables of every scope among it. */
import { dataIn } from "../setup/data-in.ts";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent } from "../../examples/diary/agent.ts";
import { createRuntime, openStore } from "../../packages/throughline/src/index.ts";
import { diary, documentOf, newFolder } from "./run-cli.ts";

test("variables of the session, the customer and the agent are shown, and metadata of none", async () => {
  const cwd = newFolder();
  const store = await openStore(join(cwd, "diary.db"));
  const runtime = await createRuntime({ store, agents: [agent], work: false });
  const session = await runtime.sessions.open({ agent: "diary", customer: "crm-7", metadata: { hidden: "c4nary" } });
  await runtime.customers.setMetadata("crm-7", { set: { hidden: "c4nary" } });
  await session.setVariables({ set: { tier: "gold", city: "Turin" } });
  await session.setVariables({ set: { city: "Rome" } }, { scope: "session" });
  await runtime.agents.setVariables("diary", { set: { open: "9 to 5", tier: "none" } });
  await runtime.close();
  await store.close();
  const shown = documentOf(["sessions", "show", session.id, "--visible", ...diary, "--db", "diary.db"], { cwd }) as {
    readonly sections: readonly { readonly name: string; readonly text: string }[];
  };
  expect(dataIn(shown.sections.find(({ name }) => name === "variables")?.text ?? "")).toBe('{"city":"Rome","open":"9 to 5","tier":"gold"}');
  expect(JSON.stringify(shown)).not.toContain("c4nary");
});
