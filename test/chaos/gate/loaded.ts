/** What a turn loads when it is first needed: loaded before, since time stands still for no file that is read. */
import "../../../src/runtime/loop/run.ts";
import "../../../src/safety/turn/accept-screened.ts";
import "../../../src/safety/turn/answer-safely.ts";
import "../../../src/safety/audit/audit-days.ts";
import "../../../src/safety/audit/safety-keeper.ts";
import "../../../src/safety/turn/without-store.ts";
import "../../../src/runtime/turn/unsaved.ts";
import "../../../src/runtime/turn/stage-of-turn.ts";
