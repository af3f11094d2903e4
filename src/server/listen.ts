import type { Server } from "node:http";
import { ThroughlineError } from "../kernel/error.ts";

/** Where a server listens. */
export interface Listening {
  readonly url: string;
  /** As it was given, or the free one that was taken. */
  readonly port: number;
}

/** Connections that may come at once before they are taken up; those beyond come again after a second, or three. */
const backlog = 4096;

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process listens there",
  EADDRNOTAVAIL: "it is no address of this machine",
  EACCES: "this process may not",
  ENOTFOUND: "there is no such host",
};

/** Listens at an address. `service.cannot_listen` if that is not possible. */
export const listen = (server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<Listening> =>
  new Promise((resolve, reject) => {
    const named = host.includes(":") ? `[${host}]` : host;
    const refuse = (cause: NodeJS.ErrnoException): void => {
      const why = reasons[cause.code ?? ""] ?? cause.code ?? "the system refuses";
      reject(
        new ThroughlineError("service.cannot_listen", `The service cannot listen at ${named}:${port}: ${why}.`, { details: { host, port }, cause }),
      );
    };
    server.once("error", refuse);
    server.listen({ port, host, backlog }, () => {
      server.off("error", refuse);
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      resolve({ url: `http://${named}:${bound}`, port: bound });
    });
  });
