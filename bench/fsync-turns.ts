/** Runs turns between two marks on the standard output: for a tool that counts what the kernel is asked in between. */
import { writeSync } from "node:fs";
import { openStore } from "../packages/throughline/src/index.ts";
import { converse } from "./conversation.ts";
import { sqlite } from "./sqlite.ts";

const database = await sqlite.create();
const store = await openStore(database.location);
const conversation = await converse(store);
await conversation.turns(5);
writeSync(1, "<begin>\n");
await conversation.turns(Number(process.argv[2]));
writeSync(1, "<end>\n");
await conversation.close();
await store.close();
await database.remove();
