/** What a line of the journal holds: a call that the store accepted, with its time. */
import { ThroughlineError } from "throughline";
import type { ClaimRequest, Commit, ReleaseRequest, SessionId, Store } from "throughline/store";

/** `first`: the offset that the commit's first event got. `epoch`: that of the claim. `done`: what the call took away has left the file. */
export type Entry = { readonly at: number; readonly done?: true } & (
  | { readonly commit: Commit; readonly first?: number }
  | { readonly claim: Exclude<ClaimRequest, { kind: "next" }>; readonly epoch: number }
  | { readonly release: ReleaseRequest }
  | { readonly erase: Parameters<Store["erase"]>[0] }
);

/** The claim that was given, as a claim of its session: at replay, which session comes next may depend on more than the journal has. */
export const claimOf = (request: ClaimRequest, session_id: SessionId): Exclude<ClaimRequest, { kind: "next" }> =>
  request.kind === "next" ? { ...request, kind: "session", session_id } : request;

/** A commit as it was accepted: what it depended on held, and need not be looked at again. */
export function accepted(commit: Commit): Commit {
  const { depends: _owner, ...owner } = commit.owner ?? {};
  const { depends: _session, ...session } = commit.session ?? {};
  return {
    ...commit,
    ...(commit.owner === undefined ? {} : { owner: { ...owner, owner_id: commit.owner.owner_id } }),
    ...(commit.session === undefined ? {} : { session: { ...session, session_id: commit.session.session_id } }),
  };
}

/** Applies an entry again. Whatever was accepted once must be accepted again, with the same result. */
export async function replay(store: Store, entry: Entry, line: number): Promise<void> {
  const same = await (async () => {
    if ("commit" in entry) {
      const result = await store.commit(entry.commit);
      return result.outcome === "committed" && !result.replayed && result.session?.first_offset === entry.first;
    }
    if ("claim" in entry) return (await store.claim(entry.claim))?.epoch === entry.epoch;
    if ("release" in entry) return store.release(entry.release);
    await store.erase(entry.erase);
    return true;
  })();
  if (!same)
    throw new ThroughlineError("store.corrupt", `Line ${line} of the journal does not follow from the lines before it.`, { details: { line } });
}
