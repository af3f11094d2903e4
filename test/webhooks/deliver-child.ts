/** A process that delivers what is due, and may die at one of its writes. It ends when nothing is due. */
import { createWebhooks } from "../../packages/server/src/server/webhooks/webhooks.ts";
import { openStore, systemClock } from "../../packages/throughline/src/index.ts";
import { type Doom, doomedStore } from "../chaos/doomed-store.ts";

const { location, url, later, doom } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly location: string;
  readonly url: string;
  /** Milliseconds by which its clock is ahead, so that the leases of the process before it have expired. */
  readonly later: number;
  readonly doom?: Doom;
};

const store = await openStore(location);
const webhooks = createWebhooks({
  ...{ store: doomedStore(store, doom), agents: [], allowHosts: ["127.0.0.1"], pollMs: 20 },
  targets: [{ name: "crm", url, kinds: ["custom"] }],
  clock: { ...systemClock, now: () => systemClock.now() + later },
});
await webhooks.start();
while ((await store.list({ of: "records", kind: "webhook_due", limit: 1 })).total > 0) await new Promise((resolve) => setTimeout(resolve, 20));
await webhooks.close();
await store.close();
