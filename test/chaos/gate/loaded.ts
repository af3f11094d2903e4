/** What a turn loads when it is first needed: loaded before, since time stands still for no file that is read. */
import "../../../src/runtime/loop/run.ts";
import "../../../src/runtime/safety/accept-screened.ts";
import "../../../src/runtime/safety/answer-safely.ts";
import "../../../src/runtime/safety/days.ts";
import "../../../src/runtime/safety/keeper.ts";
import "../../../src/runtime/safety/unbegun.ts";
import "../../../src/runtime/safety/unsaved.ts";
import "../../../src/runtime/safety/warm.ts";
import "../../../src/runtime/stage-of-turn.ts";
