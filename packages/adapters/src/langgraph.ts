/** Throughline as the storage of LangGraph.js: a checkpointer, and a store of values that threads share. Needs `@langchain/langgraph-checkpoint`, which comes with `@langchain/langgraph`. @module */

export { ThroughlineSaver } from "./langgraph/langgraph-saver.ts";
export { storeAgent, ThroughlineStore, type ThroughlineStoreOptions } from "./langgraph/langgraph-store.ts";
export { threadAgent } from "./langgraph/stored-thread.ts";
