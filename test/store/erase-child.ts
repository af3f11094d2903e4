/** Erases an owner and kills itself with SIGKILL before the statement of that number. */
import { openStore } from "../../packages/throughline/src/index.ts";
import type { OwnerId } from "../../packages/throughline/src/kernel/id.ts";

const [location = "", owner = "", last = "0"] = process.argv.slice(2);
let armed = false;
let statements = 0;
const store = await openStore(location, {
  onStatement() {
    if (armed && ++statements === Number(last)) process.kill(process.pid, "SIGKILL");
  },
});
armed = true;
await store.erase({ owner_id: owner as OwnerId });
process.stdout.write(`done after ${statements} statements\n`);
process.exit(0);
