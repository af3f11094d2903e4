/** A service that stalls in the middle of a reply, so that it can be killed there. Arguments: the database, and the shift of the clock. Prints its address. */
import { createServer } from "@throughline/server";
import { createRuntime, openStore } from "throughline";
import { orderDesk } from "./order-desk.ts";
import { shiftedClock } from "./picture-clock.ts";

/** The piece of text that the model never gives. */
const stalledPiece = 3;

const [, , location = "", shift = "0"] = process.argv;
const clock = shiftedClock(() => Number(shift));
const agents = [orderDesk((piece) => (piece < stalledPiece ? Promise.resolve() : new Promise(() => {})))];
const runtime = await createRuntime({ store: await openStore(location, { clock }), agents, clock, leaseMs: 2_000 });
const { url } = await (await createServer({ runtime, agents, clock, port: 0, demo: true })).listen();
console.log(url);
