/** Serves the inspector of an open database behind a one-time address. It runs no turns: the database's other processes do. */
import { isLoopback } from "throughline/internal";
import { type Clock, type Logger, ThroughlineError } from "throughline/kernel";
import { type Agent, createRuntime, type Store } from "throughline";
import { createServer } from "../server/create-server.ts";

/** Where an inspector listens. */
export interface InspectorPlace {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** What an inspector shows. */
interface InspectorOptions extends InspectorPlace {
  readonly store: Store;
  readonly agents: readonly Agent[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An inspector that listens. */
export interface Inspector {
  /** Admits one browser, once. */
  readonly address: string;
  readonly close: (options: { readonly drainMs: number }) => Promise<void>;
}

/** Starts an inspector. Throws `cli.usage` for a host that other machines reach. */
export async function openInspector({ store, agents, clock, logger, host, port }: InspectorOptions): Promise<Inspector> {
  if (!isLoopback(host))
    throw new ThroughlineError("cli.usage", `The inspector listens only on a loopback address, not on ${host}.`, {
      hint: "To reach it from another machine, use a tunnel, or `throughline serve --inspector` with an API key.",
    });
  const runtime = await createRuntime({ store, agents, logger, work: false });
  try {
    const server = await createServer({ runtime, agents, host, port, clock, logger, inspector: "link" });
    const { inspector: address = "" } = await server.listen();
    return {
      address,
      close: async ({ drainMs }) => {
        await server.close({ drainMs });
        await runtime.close({ drainMs });
      },
    };
  } catch (error) {
    await runtime.close();
    throw error;
  }
}
