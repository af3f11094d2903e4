import { describe, expect, test } from "vitest";
import { diary, documentOf, newFolder, run, say, start } from "./run-cli.ts";

const idOf = (err: string): string => /ses_[0-9a-z]{26}/.exec(err)?.[0] ?? "none";

describe("/crash", () => {
  test("kills the process in the middle of a reply, and the next start gives it once, with the right state", () => {
    const cwd = newFolder();
    const crashed = say(cwd, ["I'm Ada", "/crash", "I went to bed at 23:00 and woke at 7", "never sent"]);
    expect(crashed).toMatchObject({
      code: null,
      signal: "SIGKILL",
      out: "Nice to meet you, Ada. When did you go to bed last night, and when did you wake up?\n",
    });
    const id = idOf(crashed.err);
    expect(crashed.err).toContain(`Start again: throughline chat --session ${id}`);
    expect(documentOf(["events", "list", "--kinds", "message"], { cwd })).toMatchObject({ events: [{}, {}, { data: { role: "user" } }] });

    const resumed = say(cwd, ["what is my streak?"], ["--session", id]);
    expect(resumed.code).toBe(0);
    expect(resumed.err).toContain("Resuming turn 2, which was left in the middle");
    expect(resumed.out).toMatch(/^Noted, Ada: in bed at 23:00 and up at 07:00 on the night of \S+\.\nYour streak is 1 night, Ada\.\n$/);
    const { events } = documentOf(["events", "list", "--kinds", "message,state"], { cwd }) as { events: readonly { kind: string }[] };
    expect(events.map((event) => event.kind)).toEqual(["message", "state", "message", "message", "state", "state", "message", "message", "message"]);
    expect(documentOf(["state", "get"], { cwd })).toMatchObject({
      state: { user_name: "Ada", nights: [{ bed: "23:00", woke: "07:00" }], streak: 1 },
    });
    expect(run(["doctor", ...diary], { cwd }).code).toBe(0);
  });

  test("a process that is killed from outside loses nothing either", async () => {
    const cwd = newFolder();
    const live = start(["chat", ...diary], { cwd });
    live.write("I'm Ada\n");
    await live.until("Nice to meet you");
    live.child.kill("SIGKILL");
    await live.ended;
    expect(say(cwd, ["what is my name?"], ["--session", idOf(live.text())]).out).toBe("Your name is Ada.\n");
  });
});
