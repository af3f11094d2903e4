/** What the compiler knows of a loop: its exits, its model, and what it may be given. Checked by `npm run check`, never run. */
import { expectTypeOf } from "vitest";
import { defineTool, exitOn, hook, loop, scripted, type ExitPolicy, type Loop } from "../../packages/throughline/src/index.ts";

const model = scripted([]);
const tool = defineTool({ name: "t", description: "A tool.", execute: () => 1 });

expectTypeOf(loop({ model, tools: [tool], exit: [exitOn.text, exitOn.tools("t")] })).toEqualTypeOf<Loop>();
expectTypeOf(
  exitOn.when((step, calls, state) => step.response?.text === "" && calls.length > 0 && state["done"] === true),
).toEqualTypeOf<ExitPolicy>();
loop({ model: (state) => (state["big"] === true ? model : scripted(["x"])) });

// @ts-expect-error: a promise would pass every time
exitOn.when(async () => true);
// @ts-expect-error: names are texts
exitOn.tools(tool);
// @ts-expect-error: a loop needs a model
loop({ tools: [tool] });
// @ts-expect-error: an option that there is not
loop({ model, tool: [tool] });
// @ts-expect-error: a policy that there is not
loop({ model, conflicts: "first" });
// @ts-expect-error: a hook is no function
loop({ model, hooks: [() => undefined] });
// @ts-expect-error: a tool is no hook
loop({ model, hooks: [tool] });
// @ts-expect-error: a hook is no tool
loop({ model, tools: [hook("h", { beforeStep: () => undefined })] });
// @ts-expect-error: a price has both sides
loop({ model, prices: { gpt: { input: 1 } } });
