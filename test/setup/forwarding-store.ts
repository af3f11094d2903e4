import type { Store } from "../../packages/throughline/src/store/port.ts";

/** A store that hands every call on to another one: what a test changes about a store stands alone beside it. */
export const forwarding = (store: Store): Store => ({
  open: (selector) => store.open(selector),
  load: (request) => store.load(request),
  commit: (commit) => store.commit(commit),
  read: (request) => store.read(request),
  watch: (session, after, signal) => store.watch(session, after, signal),
  list: (query) => store.list(query),
  entries: (request) => store.entries(request),
  claim: (request) => store.claim(request),
  release: (request) => store.release(request),
  writeDraft: (piece) => store.writeDraft(piece),
  watchDrafts: (session, listen) => store.watchDrafts(session, listen),
  watchTurns: (listen) => store.watchTurns(listen),
  watchErasures: (listen) => store.watchErasures(listen),
  erase: (target) => store.erase(target),
  migrate: () => store.migrate(),
  close: () => store.close(),
});
