/** The page of the customer chat: who talks with whom, the conversation, and the inspector beside it where there is room. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { KeyForm } from "../app/key-form.tsx";
import { LostBanner } from "../app/lost-banner.tsx";
import { keptInBrowser } from "../base/browser.ts";
import { gate } from "../base/page-access.ts";
import { act, actionFailure } from "../base/page-actions.ts";
import { useLoaded } from "../base/page-service.ts";
import { texts } from "../base/page-texts.ts";
import { addressOf } from "../base/router.ts";
import { nextTheme, theme } from "../base/theme.ts";
import { Icon } from "../parts/icon.tsx";
import { Failure } from "../parts/notice.tsx";
import { beginChat, chatPlace, goToChat, openChat, type OpenChat } from "./chat-place.ts";
import { CustomerChat } from "./customer-chat.tsx";

/** The name of the window or the frame where links to the inspector open. */
const inspectorWindow = "inspector";

const keptBeside = keptInBrowser("chat-inspector");
const wantsBeside = signal(keptBeside.get() !== "apart");
/** Whether chat and inspector fit beside each other. */
const width = matchMedia("(min-width: 1000px)");
const isWide = signal(width.matches);
width.addEventListener("change", () => (isWide.value = width.matches));

function toggleBeside(): void {
  wantsBeside.value = !wantsBeside.peek();
  keptBeside.set(wantsBeside.peek() ? undefined : "apart");
}

const themeIcons = { system: "system", light: "sun", dark: "moon" } as const;

export function ChatPage() {
  const place = chatPlace.value;
  const { value: opened, error, fresh } = useLoaded(JSON.stringify(place), (signal) => openChat(place, signal));
  const title = opened === undefined ? texts.chat.title : texts.chat.with(opened.agent);
  useEffect(() => {
    document.title = `${title} · ${texts.brand}`;
  }, [title]);
  const isOpen = gate.value === "open";
  const isBeside = isOpen && isWide.value && wantsBeside.value && opened !== undefined;
  return (
    <div class={`chat-page ${isBeside ? "with-inspector" : ""}`}>
      <a class="skip" href="#message">
        {texts.chat.skip}
      </a>
      <header class="bar">
        <span class="brand">
          <Icon name="brand" />
          <span class="wordmark">{texts.brand}</span>
        </span>
        <h1>{texts.chat.title}</h1>
        <div class="bar-tools">
          {isWide.value ? (
            <button type="button" class="chip" aria-pressed={wantsBeside.value} onClick={toggleBeside}>
              {texts.chat.beside}
            </button>
          ) : undefined}
          <a class="button" href={opened === undefined ? addressOf("") : addressOf(`sessions/${opened.session.id}`)} target={inspectorWindow}>
            {texts.chat.inspect}
          </a>
          <button type="button" class="icon-button" onClick={nextTheme} aria-label={texts.theme[theme.value]} title={texts.theme[theme.value]}>
            <Icon name={themeIcons[theme.value]} />
          </button>
        </div>
      </header>
      <LostBanner />
      <main class="chat-main">
        {!isOpen ? (
          <KeyForm />
        ) : opened === undefined ? (
          error === undefined ? (
            <p class="waiting">{texts.loading}</p>
          ) : (
            <Failure error={error} />
          )
        ) : (
          <>
            <Participants opened={opened} />
            {error === undefined ? undefined : <Failure error={error} />}
            {actionFailure.value === undefined ? undefined : <Failure error={actionFailure.value} />}
            {fresh || error === undefined ? (
              <CustomerChat key={opened.session.id} session={opened.session} inspectorWindow={inspectorWindow} />
            ) : undefined}
          </>
        )}
      </main>
      {isBeside ? (
        <iframe
          key={opened.session.id}
          class="beside"
          name={inspectorWindow}
          title={texts.chat.frame}
          src={addressOf(`sessions/${opened.session.id}`)}
        />
      ) : undefined}
    </div>
  );
}

/** Who talks with whom. */
function Participants({ opened }: { readonly opened: OpenChat }) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    const text = (name: string): string | undefined => {
      const value = given.get(name);
      return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
    };
    goToChat({ agent: text("agent"), customer: text("customer") });
  };
  const { agents, agent, customer, session } = opened;
  return (
    <form class="participants" key={session.id} onSubmit={submit}>
      <label>
        <span>{texts.chat.agent}</span>
        <select name="agent">
          {agents.map((name) => (
            <option key={name} value={name} selected={name === agent}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{texts.chat.customer}</span>
        <input name="customer" required maxLength={200} defaultValue={customer} autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit" class="button">
        {texts.chat.open}
      </button>
      <button type="button" class="button" onClick={() => void act("chat.begin", () => beginChat(opened))}>
        {texts.chat.begin}
      </button>
    </form>
  );
}
