/** Throughline as the storage of LangGraph.js: a checkpointer. Needs `@langchain/langgraph-checkpoint`, which comes with `@langchain/langgraph`. @module */

export { ThroughlineSaver } from "./langgraph/langgraph-saver.ts";
export { threadAgent } from "./langgraph/stored-thread.ts";
