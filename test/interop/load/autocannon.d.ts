/** What of autocannon is used here: the package has no types. */
declare module "autocannon" {
  interface Request {
    readonly method: "GET" | "POST";
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly setupRequest?: (request: Request) => Request;
    readonly onResponse?: (status: number, body: string) => void;
  }
  interface Client {
    setRequests(requests: readonly Request[]): void;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    /** Seconds. */
    readonly timeout?: number;
    readonly setupClient: (client: Client) => void;
  }
  interface Result {
    readonly requests: { readonly average: number; readonly total: number };
    /** Milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number };
    readonly errors: number;
    readonly non2xx: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
