/** What the page shows. Everything is put in as text: nothing that anybody wrote becomes part of the page itself. */

/**
 * A part of the page.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function part(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${id}.`);
}

const log = part("log", HTMLOListElement);
const draft = part("draft", HTMLParagraphElement);
const problem = part("problem", HTMLParagraphElement);

/**
 * An element with a text.
 * @param {string} name
 * @param {string} text
 */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/** Follows the end of the conversation, unless somebody has scrolled up to read. @param {() => void} change */
function atTheEnd(change) {
  const frame = log.parentElement;
  const follows = frame !== null && frame.scrollHeight - frame.scrollTop - frame.clientHeight < 60;
  change();
  if (follows) frame.scrollTop = frame.scrollHeight;
}

/** Shows a message. @param {{ offset: number, source: string, who: string, text: string }} message */
export function showMessage({ offset, source, who, text }) {
  const item = document.createElement("li");
  item.dataset["offset"] = String(offset);
  item.dataset["source"] = source;
  item.append(element("cite", `${who} · #${offset}`), text);
  atTheEnd(() => log.append(item));
}

/** Takes away what was taken back. @param {number} from */
export function removeFrom(from) {
  for (const item of log.querySelectorAll("li")) if (Number(item.dataset["offset"]) >= from) item.remove();
}

/** Takes the messages at these offsets away. @param {readonly unknown[]} offsets */
export function removeAt(offsets) {
  for (const item of log.querySelectorAll("li")) if (offsets.includes(Number(item.dataset["offset"]))) item.remove();
}

/** Takes everything away. */
export const removeAll = () => log.replaceChildren();

/** Shows more of a reply that is being written. @param {string} text */
export function showDraft(text) {
  atTheEnd(() => {
    draft.hidden = false;
    draft.append(text);
  });
}

/** Takes it back: it is over, whether or not a message comes of it. */
export function removeDraft() {
  draft.hidden = true;
  draft.replaceChildren();
}

/** Says something in a place of the page. @param {"connection" | "mode" | "offset" | "activity" | "standing"} id @param {string} text */
export function say(id, text) {
  part(id, HTMLElement).textContent = text;
}

/** Shows whether the log is followed. @param {"open" | "lost" | "closed"} state */
export function showConnection(state) {
  part("connection", HTMLElement).dataset["state"] = state;
  say("connection", { open: "connected", lost: "connection lost, trying again", closed: "not connected" }[state]);
}

/** Says what the service has to say to the person where it could not take their message, or what went wrong, and what to do; nothing any more without an error. @param {unknown} [error] */
export function showProblem(error) {
  problem.hidden = error === undefined;
  const { message, hint, reply } = /** @type {{ message?: string, hint?: string, reply?: string }} */ (error ?? {});
  problem.textContent = reply ?? [message ?? "", hint ?? ""].join(" ").trim();
}

/**
 * Shows the variables, each with a button that takes it away.
 * @param {Readonly<Record<string, unknown>>} values
 * @param {(name: string) => void} unset
 */
export function showVariables(values, unset) {
  const items = Object.entries(values).map(([name, value]) => {
    const item = document.createElement("li");
    const remove = element("button", "Take away");
    remove.setAttribute("aria-label", `Take away ${name}`);
    remove.addEventListener("click", () => unset(name));
    item.append(element("code", `${name} = ${JSON.stringify(value)}`), remove);
    return item;
  });
  part("variables", HTMLUListElement).replaceChildren(...items);
}
