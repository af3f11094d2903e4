/** As much of a browser as the example page needs: elements by their ids, what is in them, and what happens to them. */
import { runInNewContext } from "node:vm";
import { rolldown } from "rolldown";
import { root } from "../../scripts/root.ts";

type Listener = (event: Record<string, unknown>) => unknown;

/** An element of the page. */
export class FakeElement {
  readonly tag: string;
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, Listener[]>();
  readonly dataset: Record<string, string> = {};
  children: (FakeElement | string)[] = [];
  parentElement: FakeElement | null = null;
  value = "";
  scrollTop = 0;
  scrollHeight = 0;
  clientHeight = 0;

  constructor(tag: string) {
    this.tag = tag;
  }
  get textContent(): string {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }
  set textContent(text: string) {
    this.children = text === "" ? [] : [text];
  }
  get hidden(): boolean {
    return this.attributes.has("hidden");
  }
  set hidden(on: boolean) {
    this.toggleAttribute("hidden", on);
  }
  get disabled(): boolean {
    return this.attributes.has("disabled");
  }
  set disabled(on: boolean) {
    this.toggleAttribute("disabled", on);
  }
  get options(): readonly FakeElement[] {
    return this.all("option");
  }
  get form(): FakeElement | null {
    return this.parentElement === null || this.parentElement.tag === "form" ? this.parentElement : this.parentElement.form;
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  toggleAttribute(name: string, on: boolean): void {
    if (on) this.attributes.set(name, "");
    else this.attributes.delete(name);
  }
  append(...added: (FakeElement | string)[]): void {
    for (const one of added) if (typeof one !== "string") one.parentElement = this;
    this.children.push(...added);
  }
  replaceChildren(...added: (FakeElement | string)[]): void {
    this.children = [];
    this.append(...added);
    const [first] = this.options;
    if (this.tag === "select" && first !== undefined) this.value = first.value;
  }
  remove(): void {
    if (this.parentElement !== null) this.parentElement.children = this.parentElement.children.filter((child) => child !== this);
  }
  /** Everything below with this tag. */
  all(tag: string): readonly FakeElement[] {
    return this.children.flatMap((child) => (typeof child === "string" ? [] : [...(child.tag === tag ? [child] : []), ...child.all(tag)]));
  }
  querySelectorAll(tag: string): readonly FakeElement[] {
    return this.all(tag);
  }
  querySelector(tag: string): FakeElement | null {
    return this.all(tag)[0] ?? null;
  }
  addEventListener(type: string, listener: Listener): void {
    this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener]);
  }
  focus(): void {}
  reset(): void {
    for (const field of this.all("input")) field.value = field.attributes.get("value") ?? "";
  }
  requestSubmit(): void {
    this.happen("submit");
  }
  /** Lets an event happen; a button that is disabled takes none. */
  happen(type: string, more: Record<string, unknown> = {}): void {
    const button = type === "submit" ? this.querySelector("button") : this;
    if (button?.disabled === true) throw new Error(`${type} on something that is disabled`);
    for (const listener of this.listeners.get(type) ?? []) listener({ preventDefault: () => {}, ...more });
  }
}

const empty = new Set(["meta", "link", "input", "br", "img"]);
const pattern = /<!--[\s\S]*?-->|<!doctype[^>]*>|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>|[^<]+/gi;

/** Reads a page; refuses one whose elements are not closed in order. */
export function parsePage(html: string): FakeElement {
  const top = new FakeElement("document");
  let current = top;
  let read = 0;
  for (const { 0: whole, 1: closing, 2: tag, 3: attributes = "", index } of html.matchAll(pattern)) {
    if (index !== read) throw new Error(`cannot be read: ${html.slice(read, index)}`);
    read = index + whole.length;
    if (tag === undefined) {
      if (!whole.startsWith("<") && whole.trim() !== "") current.append(whole.trim());
    } else if (closing === "/") {
      if (current.tag !== tag) throw new Error(`</${tag}> closes <${current.tag}>`);
      current = current.parentElement ?? top;
    } else {
      const element = new FakeElement(tag);
      for (const [, name = "", value = ""] of attributes.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)) element.setAttribute(name, value);
      element.value = element.attributes.get("value") ?? "";
      current.append(element);
      if (!empty.has(tag)) current = element;
    }
  }
  if (current !== top || read !== html.length) throw new Error(`<${current.tag}> is not closed`);
  return top;
}

/** Every element of a page. */
export const elementsOf = (page: FakeElement): readonly FakeElement[] =>
  page.children.flatMap((child) => (typeof child === "string" ? [] : [child, ...elementsOf(child)]));

/** Runs the page's script in it, as if it had been loaded from `origin`. */
export async function runPage(page: FakeElement, origin: string): Promise<void> {
  const bundle = await rolldown({
    input: `${root}/packages/server/chat-page/chat.js`,
    platform: "browser",
    plugins: [{ name: "client", resolveId: (id) => (id === "./client/src/client.js" ? `${root}/packages/client/src/client.ts` : undefined) }],
  });
  const { output } = await bundle.generate({ format: "iife" });
  const byId = new Map(elementsOf(page).map((element) => [element.attributes.get("id"), element]));
  const Option = class extends FakeElement {
    constructor(name: string) {
      super("option");
      this.value = name;
    }
  };
  const kinds = ["HTMLElement", "HTMLFormElement", "HTMLInputElement", "HTMLTextAreaElement", "HTMLSelectElement", "HTMLButtonElement"];
  const more = ["HTMLOListElement", "HTMLUListElement", "HTMLParagraphElement"];
  const document = { getElementById: (id: string) => byId.get(id) ?? null, createElement: (tag: string) => new FakeElement(tag) };
  const platform = { fetch, AbortController, AbortSignal, URLSearchParams, Headers, TextDecoder, crypto, setTimeout, clearTimeout, Error };
  runInNewContext(output[0].code, {
    ...Object.fromEntries([...kinds, ...more].map((name) => [name, FakeElement])),
    ...platform,
    document,
    location: { origin },
    Option,
  });
}
