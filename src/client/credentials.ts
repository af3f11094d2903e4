/** A token, or a function that returns one: called once, and again when the service refuses the last token. */
export type TokenSource = string | (() => string | Promise<string>);

/** What requests say of who sends them. Those that are under way at the same time share one token, and one asking for it. */
export interface Credentials {
  /** The token to send; undefined if there is none to send. */
  token(): Promise<string | undefined>;
  /** Whether there may be another token, now that the service has refused this one. */
  refused(token: string | undefined): boolean;
}

export function credentialsOf(source: TokenSource | undefined): Credentials {
  if (typeof source !== "function") return { token: () => Promise.resolve(source), refused: () => false };
  let asked: Promise<string> | undefined;
  let last: string | undefined;
  const ask = async (): Promise<string> => (last = await source());
  const forget = (): void => {
    [asked, last] = [undefined, undefined];
  };
  return {
    token: () => {
      if (asked === undefined) {
        asked = ask();
        asked.catch(forget);
      }
      return asked;
    },
    refused: (token) => {
      // Otherwise another request has replaced it, or is about to.
      if (token === last) forget();
      return true;
    },
  };
}
