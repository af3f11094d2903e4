/** A conversation in a browser, from both sides: the page and `@throughline/client`, and nothing else. */
import { createClient, eventText } from "./client/src/client.js";
import {
  part,
  removeAll,
  removeAt,
  removeDraft,
  removeFrom,
  say,
  showConnection,
  showDraft,
  showMessage,
  showProblem,
  showVariables,
} from "./view.js";

/** @typedef {import("./client/src/client.js").ThroughlineClient} Client */
/** @typedef {import("./client/src/client.js").ClientSession} Session */
/** @typedef {import("./client/src/client.js").WireEvent} Event */

const key = part("key", HTMLInputElement);
const agent = part("agent", HTMLSelectElement);
const customer = part("customer", HTMLInputElement);
const operator = part("operator", HTMLInputElement);

/** The conversation that is open, and what ends reading it. @type {{ client: Client, session: Session, closing: AbortController } | undefined} */
let open;

const clientOf = () => createClient({ baseUrl: location.origin, ...(key.value === "" ? {} : { key: key.value }) });

/** Runs what a person asked for, and tells them if it failed. @param {() => Promise<unknown>} act */
async function run(act) {
  try {
    showProblem();
    await act();
    return true;
  } catch (error) {
    showProblem(error);
    return false;
  }
}

/** Runs something in the conversation that is open. @param {(session: Session, client: Client) => Promise<unknown>} act */
const inSession = (act) => run(async () => open !== undefined && act(open.session, open.client));

/** What is done with a form, instead of sending it. @param {string} id @param {(form: HTMLFormElement) => Promise<unknown>} act */
function onSubmit(id, act) {
  const form = part(id, HTMLFormElement);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void act(form);
  });
}

/** Sends the text of a form's field, which comes back if it could not be sent. @param {HTMLTextAreaElement} field @param {(text: string) => Promise<boolean>} send */
async function sendFrom(field, send) {
  const text = field.value;
  if (text.trim() === "") return;
  field.value = "";
  if (!(await send(text)) && field.value === "") field.value = text;
  field.focus();
}

/** Enter sends, as people are used to; not while a word is being composed. @param {HTMLTextAreaElement} field */
function sendByEnter(field) {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    field.form?.requestSubmit();
  });
}

/** Who speaks. @param {Extract<Event, { kind: "message" }>} event */
function nameOf({ source, data }) {
  if (source === "customer") return "Customer";
  return data.participant?.display_name ?? (source === "human_agent" ? "A person" : agent.value);
}

/** What an event changes on the page. @param {Event} event */
function show(event) {
  say("offset", String(event.offset));
  if (event.kind === "message" && eventText(event) !== "")
    showMessage({ offset: event.offset, source: event.source, who: nameOf(event), text: eventText(event) });
  if (event.kind === "status") {
    const { status } = event.data;
    say(
      "activity",
      status === "processing" || status === "typing" ? "The agent is writing." : status === "error" ? "The agent could not answer." : "",
    );
  }
  if (event.kind !== "session") return;
  const { data } = event;
  // People have a right to be told that they talk with an AI, when a conversation begins and at intervals.
  if (data.type === "disclosure") showMessage({ offset: event.offset, source: "disclosure", who: "Please note", text: data.text });
  if (data.type === "withdrawn") removeFrom(data.from);
  if (data.type === "redacted") removeAt(data.offsets);
  if (data.type === "mode") showMode(data.mode === "manual", data.handover?.operator);
  if (data.type === "handover") showMode(true, data.handover.operator);
}

/** Shows who answers. @param {boolean} manual @param {string} [who] */
function showMode(manual, who) {
  say("mode", manual ? (who ?? "people") : "the agent");
  say("standing", !manual ? "The agent answers." : who === undefined ? "The customer waits for a person." : `${who} has taken over.`);
  for (const [id, on] of /** @type {const} */ ([
    ["ask-person", !manual],
    ["take-over", true],
  ]))
    part(id, HTMLButtonElement).disabled = !on;
  for (const id of ["answer", "back"]) part(id, HTMLFormElement).querySelector("button")?.toggleAttribute("disabled", !manual);
}

/** Follows the log until another conversation is opened. @param {Session} session @param {AbortSignal} signal */
async function follow(session, signal) {
  try {
    for await (const item of session.live({ signal, onConnection: showConnection })) {
      if (signal.aborted) return;
      if (!("type" in item)) show(item);
      else if (item.type === "draft.delta") showDraft(item.text);
      else if (item.type === "draft.reset") removeDraft();
    }
  } catch (error) {
    showConnection("closed");
    showProblem(error);
  }
}

const showCustomer = () => inSession(async (_, client) => showVariables((await client.customers.get(customer.value)).variables, unsetVariable));

/** @param {string} name */
const unsetVariable = (name) => void inSession((_, client) => client.customers.setVariables(customer.value, { [name]: null }).then(showCustomer));

/** A text, unless it is JSON. @param {string} text */
function valueOf(text) {
  try {
    return /** @type {import("./client/src/client.js").BodyFor<"setCustomerVariable">["value"]} */ (JSON.parse(text));
  } catch {
    return text;
  }
}

async function listAgents() {
  const names = (await clientOf().agents.list()).map(({ name }) => name);
  if (names.join() !== [...agent.options].map(({ value }) => value).join()) agent.replaceChildren(...names.map((name) => new Option(name)));
}

onSubmit("open", () =>
  run(async () => {
    await listAgents();
    open?.closing.abort();
    const client = clientOf();
    const session = await client.sessions.open({ agent: agent.value, customer_id: customer.value, key: "chat-page" });
    open = { client, session, closing: new AbortController() };
    removeAll();
    removeDraft();
    const { mode, handover } = await session.info();
    part("say", HTMLFormElement).querySelector("button")?.removeAttribute("disabled");
    part("variable", HTMLFormElement).querySelector("button")?.removeAttribute("disabled");
    showMode(mode === "manual", handover?.operator);
    void follow(session, open.closing.signal);
    await showCustomer();
    part("message", HTMLTextAreaElement).focus();
  }),
);
onSubmit("say", () => sendFrom(part("message", HTMLTextAreaElement), (text) => inSession((session) => session.post(text))));
onSubmit("answer", () =>
  sendFrom(part("answer-text", HTMLTextAreaElement), (text) => inSession((session) => session.postOperator(text, { name: operator.value }))),
);
onSubmit("back", (form) =>
  inSession(async (session) => {
    const summary = part("summary", HTMLInputElement).value;
    await session.handBack(summary.trim() === "" ? {} : { summary });
    form.reset();
  }),
);
onSubmit("variable", (form) =>
  inSession(async (_, client) => {
    const { value } = part("variable-name", HTMLInputElement);
    await client.customers.setVariables(customer.value, { [value]: valueOf(part("variable-value", HTMLInputElement).value) });
    form.reset();
    await showCustomer();
  }),
);
part("ask-person", HTMLButtonElement).addEventListener(
  "click",
  () => void inSession((session) => session.handOver({ reason: "the customer asked for a person" })),
);
part("take-over", HTMLButtonElement).addEventListener("click", () => void inSession((session) => session.handOver({ operator: operator.value })));
sendByEnter(part("message", HTMLTextAreaElement));
sendByEnter(part("answer-text", HTMLTextAreaElement));
void run(listAgents);
