// Rows of a table with the mouse and the keyboard: a click anywhere in a row follows its link, "j" and "k" go from row to row,
// "x" ticks the one that has the focus, Shift ticks all up to the one that was ticked before.
import { type MouseEvent, type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { isHandledElsewhere, useSingleKeys } from "./keys.ts";

/** Elements that handle their own clicks. */
const CONTROLS = "a, button, input, label, select, textarea, [role=menu]";
const BOX = "input[type=checkbox]";
const LINK = "td a[href]";
/** A row without a link opens instead. */
const OPENER = "td button[aria-expanded]:not([aria-haspopup])";

/** Follows the row's first link, in a new tab with Ctrl or the middle button; a row without one opens. */
export function followRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { currentTarget: row, target, button, shiftKey } = event;
  // A menu's entries are elsewhere on the page, though the row's in React.
  if (!(target instanceof Element) || !row.contains(target) || target.closest(CONTROLS)) return;
  if (button > 1 || document.getSelection()?.toString()) return;
  // A tap just beside a box counts as a tap on the box.
  const box = target.closest("td")?.querySelector(BOX);
  if (box && button === 0)
    return void box.dispatchEvent(new globalThis.MouseEvent("click", { bubbles: true, shiftKey }));
  const link = row.querySelector<HTMLAnchorElement>(LINK);
  if (!link) return button === 0 ? row.querySelector<HTMLElement>(OPENER)?.click() : undefined;
  if (button === 1 || event.ctrlKey || event.metaKey) window.open(link.href, "_blank", "noopener");
  else link.click();
}

/** Listens for the keys of the rows of a table body. */
export function useRowKeys(body: RefObject<HTMLTableSectionElement | null>): void {
  const [singleKeys] = useSingleKeys();
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!singleKeys || isHandledElsewhere(event) || !body.current) return;
    const rows = [...body.current.rows].filter((row) => row.querySelector(`${LINK}, ${OPENER}`));
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    if (event.key === "x" && at >= 0) return rows[at]!.querySelector<HTMLElement>(BOX)?.click();
    const next = event.key === "j" ? rows[at + 1] : event.key === "k" ? rows[at < 0 ? 0 : at - 1] : undefined;
    if (!next) return;
    event.preventDefault();
    (next.querySelector<HTMLElement>(LINK) ?? next.querySelector<HTMLElement>(OPENER))?.focus();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}

/**
 * Ticks or unticks a row; with Shift, all rows from the previous one up to it.
 * @param keys of the rows that may be ticked, in their order
 */
export function useTicking(selected: ReadonlySet<string>, onChange: (selected: ReadonlySet<string>) => void) {
  const last = useRef<string | null>(null);
  return (keys: readonly string[], key: string, withShift: boolean): void => {
    const next = new Set(selected);
    const isTicked = !selected.has(key);
    const from = withShift && last.current !== null ? keys.indexOf(last.current) : -1;
    const to = keys.indexOf(key);
    const range = from < 0 ? [key] : keys.slice(Math.min(from, to), Math.max(from, to) + 1);
    for (const each of range) {
      if (isTicked) next.add(each);
      else next.delete(each);
    }
    last.current = key;
    onChange(next);
  };
}
