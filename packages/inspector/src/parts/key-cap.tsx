/** The keys of a command, as they are printed on keyboards. */
const names: Readonly<Record<string, string>> = { Escape: "Esc", Enter: "↵", ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→" };

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

const nameOf = (key: string): string => {
  const [, plain] = /^mod\+(.+)$/.exec(key) ?? [];
  if (plain !== undefined) return `${isMac ? "⌘" : "Ctrl "}${plain.charAt(0).toUpperCase()}${plain.slice(1)}`;
  return names[key] ?? key;
};

export const KeyCap = ({ keys }: { readonly keys: readonly string[] }) => (
  <span class="keys">
    {keys.map((key) => (
      <kbd key={key}>{nameOf(key)}</kbd>
    ))}
  </span>
);
