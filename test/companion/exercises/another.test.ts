/** A step that is left out, an exercise that is left for another, and names that are written apart, in six languages. */
import { createRuntime, openStore } from "throughline";
import { describe, expect, test } from "vitest";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";
import { hasClause, readClauses } from "../../../packages/companion/src/exercises/exercise-cues.ts";
import { exerciseCatalog } from "../../../packages/companion/src/exercises/exercise-definition.ts";
import { startRequests } from "../../../packages/companion/src/exercises/exercise-requests.ts";
import { readReply } from "../../../packages/companion/src/exercises/exercise-turn.ts";
import { exercisePhrases } from "../../../packages/companion/src/exercises/exercise-wording.ts";

const begun = (template: string): string => template.split("{")[0]?.trim() ?? "";

test("a step is left out, another exercise is offered without this one, and begins by its name", async () => {
  const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [createCompanion()] });
  const session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
  const replies: string[] = [];
  for (const message of ["Lass uns die Box-Atmung machen", "überspringen", "lieber eine andere Übung bitte", "Wertekompass"])
    replies.push((await session.send(message)).reply ?? "");
  expect(replies[0]).toContain("Boxatmung");
  expect(replies[1]).toContain(begun(exercisePhrases.de.skipped));
  expect(replies[2]).toContain(begun(exercisePhrases.de.offer));
  expect(replies[2]).not.toContain("Boxatmung");
  expect(replies[3]).toContain(begun(exercisePhrases.de.start));
  await runtime.close();
});

test.each(["skip", "überspringen", "saltar", "passe", "pular", "跳过"])("%s leaves the step out", (message) => {
  for (const { steps } of exerciseCatalog)
    for (const step of steps.slice(0, 1)) expect(readReply(message, step)).toMatchObject({ result: "complete", skipped: true });
});

test("done is no skip", () => {
  const [step] = exerciseCatalog.find(({ id }) => id === "grounding_box_breathing")?.steps ?? [];
  expect(step === undefined ? step : readReply("done", step)).toEqual({ result: "complete", items: 0 });
});

describe("another exercise is meant by", () => {
  test.each([
    ...["another one", "can we try another exercise instead?", "something else please", "not this one", "switch exercises"],
    ...["noch eine", "hast du eine andere Übung?", "nicht diese", "otra", "quiero un ejercicio distinto", "este no"],
    ...["une autre", "pas celui-ci", "tu as un autre exercice ?", "outra", "quero outro exercício", "另一个", "再来一个", "有别的练习吗"],
  ])("%s", (message) => expect(hasClause(message, "another")).toBe(true));

  test.each([
    "another lamp and a cup",
    "my other sister",
    "eine andere Lampe",
    "otra taza",
    "une autre tasse",
    "又一个杯子",
    "something else happened to me",
  ])("not by %s", (message) => expect(hasClause(message, "another")).toBe(false));
});

test.each(["skip this exercise", "die Übung überspringen", "saltar este ejercicio", "passer cet exercice", "pular este exercício", "跳过这个练习"])(
  "%s leaves the exercise",
  (message) => expect(readClauses(message).map(({ kind }) => kind)).toContain("exit_clear"),
);

test("a name counts however it is written apart, and not within other words", () => {
  const requests = startRequests(exerciseCatalog);
  expect(requests.named("die Box-Atmung bitte")?.id).toBe("grounding_box_breathing");
  expect(requests.named("boxbreathing please")?.id).toBe("grounding_box_breathing");
  expect(requests.named("I box, and then breathe")).toBeUndefined();
});
