/** A list of any length with rows of one height: only those in sight are in the document, and the selected one. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows beyond each edge of the visible part. */
const overscan = 8;

/** Pixels of the header, whatever the height of the rows. */
const headerRow = 30;

/** Milliseconds after which rows in sight count: a reader who scrolls on passes others. */
const rangeMs = 40;

export interface VirtualListProps {
  /** Unique on the page; rows are named `<id>-<index>`. */
  readonly id: string;
  readonly label: string;
  readonly count: number;
  /** The selected row; -1 if none is. */
  readonly selected: number;
  /** Pixels. */
  readonly rowHeight?: number;
  /** A grid has rows with cells and a header; a listbox has options. */
  readonly kind?: "listbox" | "grid";
  readonly header?: ComponentChildren;
  /** Whether the list follows its end as it grows. */
  readonly follows?: boolean;
  readonly row: (index: number) => ComponentChildren;
  readonly rowClass?: (index: number) => string;
  readonly onSelect: (index: number) => void;
  /** Called when the last row comes into sight. */
  readonly onEnd?: () => void;
  /** Called when other rows come into sight, with the first and the last. */
  readonly onRange?: ((first: number, last: number) => void) | undefined;
}

export function VirtualList(props: VirtualListProps) {
  const { id, label, count, selected, rowHeight = 30, kind = "listbox", header, follows = false, row, rowClass, onSelect, onEnd, onRange } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const isGrid = kind === "grid";
  const headerHeight = header === undefined ? 0 : headerRow;

  const look = (): void => {
    const { current } = box;
    if (current !== null) setView({ top: current.scrollTop, height: current.clientHeight });
  };
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    look();
    const observer = new ResizeObserver(look);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);

  // The selected row is brought into sight when the selection moves, not when the reader scrolls away from it.
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || selected < 0) return;
    const top = selected * rowHeight;
    const height = current.clientHeight - headerHeight;
    if (follows) current.scrollTop = current.scrollHeight;
    else if (top < current.scrollTop) current.scrollTop = top;
    else if (top + rowHeight > current.scrollTop + height) current.scrollTop = top + rowHeight - height;
    look();
  }, [selected, follows, follows ? count : 0]);

  const first = Math.max(0, Math.floor(view.top / rowHeight) - overscan);
  const last = Math.min(count - 1, Math.ceil((view.top + view.height) / rowHeight) + overscan);
  useEffect(() => {
    if (count > 0 && last === count - 1) onEnd?.();
  }, [last, count]);
  useEffect(() => {
    if (count === 0 || onRange === undefined) return;
    const timer = setTimeout(() => onRange(first, last), rangeMs);
    return () => clearTimeout(timer);
  }, [first, last, count]);
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  // A reader of `aria-activedescendant` needs the selected row in the document.
  if (selected >= 0 && selected < count && (selected < first || selected > last)) indexes.push(selected);

  return (
    <div
      ref={box}
      id={id}
      class="virtual-list"
      role={kind}
      aria-label={label}
      aria-rowcount={isGrid ? count + 1 : undefined}
      aria-activedescendant={selected >= 0 && selected < count ? `${id}-${selected}` : undefined}
      tabIndex={0}
      onScroll={look}
    >
      {header === undefined ? undefined : (
        <div class="row header" role="row" aria-rowindex={1}>
          {header}
        </div>
      )}
      <div class="rows" role={isGrid ? "rowgroup" : "presentation"} style={{ height: `${count * rowHeight}px` }}>
        {indexes.map((index) => (
          <div
            key={index}
            id={`${id}-${index}`}
            class={`row ${rowClass?.(index) ?? ""}`}
            role={isGrid ? "row" : "option"}
            aria-selected={index === selected}
            {...(isGrid ? { "aria-rowindex": index + 2 } : { "aria-posinset": index + 1, "aria-setsize": count })}
            style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
            onClick={() => onSelect(index)}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
