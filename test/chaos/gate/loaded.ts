/** What a turn loads when it is first needed: loaded before, since time stands still for no file that is read. */
import "../../../packages/throughline/src/runtime/loop/run-loop.ts";
import "../../../packages/throughline/src/safety/turn/accept-screened.ts";
import "../../../packages/throughline/src/safety/turn/answer-safely.ts";
import "../../../packages/throughline/src/safety/audit/audit-days.ts";
import "../../../packages/throughline/src/safety/audit/safety-worker.ts";
import "../../../packages/throughline/src/safety/turn/without-store.ts";
import "../../../packages/throughline/src/runtime/turn/unsaved.ts";
import "../../../packages/throughline/src/runtime/turn/stage-of-turn.ts";
