// Keys that are shortcuts: what the browser's own are called, and whether those of a single key are on. Some people's
// software types letters that they did not mean, so they can be turned off (WCAG 2.1.4).
import { useLocalStorage } from "@mantine/hooks";

/** The key of the browser's own shortcuts. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

/** Whether shortcuts without Ctrl work in this browser, and what changes that. */
export function useSingleKeys() {
  return useLocalStorage({ key: "nodal-single-keys", defaultValue: true, getInitialValueInEffect: false });
}

/** Whether a key is typed into a field or a dialog, or is part of a shortcut of the browser. */
export function isForSomethingElse({ ctrlKey, metaKey, altKey, defaultPrevented, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented) return true;
  if (document.querySelector('[role="dialog"]')) return true;
  return target instanceof Element && target.closest(FIELDS) !== null;
}

/** What letters are typed into. */
const FIELDS = 'input:not([type="checkbox"]), textarea, select, [contenteditable]';
