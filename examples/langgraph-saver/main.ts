/** A graph of LangGraph.js whose threads are kept in Throughline. Each start of the program continues the same thread. */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ThroughlineSaver } from "@throughline/adapters/langgraph";

const [location = "./threads.db", text = "hello"] = process.argv.slice(2);
const { saver, close } = await ThroughlineSaver.open(location);
const graph = new StateGraph(MessagesAnnotation)
  .addNode("answer", ({ messages }) => ({ messages: [new AIMessage(`You have said ${Math.ceil(messages.length / 2)} things.`)] }))
  .addEdge(START, "answer")
  .addEdge("answer", END)
  .compile({ checkpointer: saver });
const { messages } = await graph.invoke({ messages: [new HumanMessage(text)] }, { configurable: { thread_id: "c-17" } });
console.log(messages.at(-1)?.text);
await close();
