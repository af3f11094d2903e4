/** The frame of every screen: navigation, banner, dialogs and the live region. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { EmptyState } from "../parts/notice.tsx";
import { texts } from "../base/page-texts.ts";
import { gate } from "../base/page-access.ts";
import { KeyForm } from "./key-form.tsx";
import { LostBanner } from "./lost-banner.tsx";
import { announcement, closeDialog, overlay } from "../base/overlays.ts";
import { Palette } from "./palette.tsx";
import { addressOf, place } from "../base/router.ts";
import { screenAt, screens } from "./screen-list.ts";
import { ShortcutSheet } from "./shortcut-sheet.tsx";
import { nextTheme, theme } from "../base/theme.ts";

const themeIcons = { system: "system", light: "sun", dark: "moon" } as const;

export function App() {
  const { path } = place.value;
  const found = screenAt(path);
  const title = found?.screen.title(found.parts) ?? texts.notFound.title;
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
  }, [title]);
  // On a narrow page the navigation scrolls sideways.
  useEffect(() => document.querySelector(".bar nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [found?.screen.id]);
  // A dialog belongs to the place where it was opened.
  useLayoutEffect(closeDialog, [path]);
  const isOpen = gate.value === "open";
  const View = found?.screen.view;
  const Own = typeof overlay.value === "string" ? undefined : overlay.value;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {texts.skip}
      </a>
      <header class="bar">
        <a class="brand" href={addressOf("")} aria-label={texts.product}>
          <Icon name="brand" />
          <span class="wordmark">{texts.brand}</span>
        </a>
        <nav aria-label={texts.navigation}>
          <ul>
            {screens.map(({ id, path: own, entry }) =>
              entry === undefined ? undefined : (
                <li key={id}>
                  <a href={addressOf(own)} aria-current={found?.screen.id === id ? "page" : path.startsWith(`${id}/`) ? "true" : undefined}>
                    <Icon name={entry.icon} />
                    {entry.title}
                  </a>
                </li>
              ),
            )}
          </ul>
        </nav>
        <div class="bar-tools">
          <button type="button" class="search-button" onClick={() => (overlay.value = "palette")} aria-keyshortcuts="Control+K Meta+K">
            <Icon name="search" />
            <span>{texts.palette.open}</span>
            <kbd aria-hidden="true">{texts.palette.key}</kbd>
          </button>
          <button type="button" class="icon-button" onClick={nextTheme} aria-label={texts.theme[theme.value]} title={texts.theme[theme.value]}>
            <Icon name={themeIcons[theme.value]} />
          </button>
          <button
            type="button"
            class="icon-button"
            onClick={() => (overlay.value = "shortcuts")}
            aria-label={texts.commands.shortcuts}
            title={texts.commands.shortcuts}
          >
            <Icon name="help" />
          </button>
        </div>
      </header>
      <LostBanner />
      <main id="main" ref={main} tabIndex={-1}>
        {!isOpen ? (
          <KeyForm />
        ) : View === undefined || found === undefined ? (
          <EmptyState title={texts.notFound.title} text={texts.notFound.text}>
            <a class="button" href={addressOf("")}>
              {texts.commands.sessions}
            </a>
          </EmptyState>
        ) : (
          <View key={path} parts={found.parts} />
        )}
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
      {overlay.value === "palette" ? <Palette /> : undefined}
      {overlay.value === "shortcuts" ? <ShortcutSheet /> : undefined}
      {Own === undefined ? undefined : <Own />}
    </>
  );
}
