// Keyboard shortcuts: the browser's modifier key, and whether single-key shortcuts are on. Speech input may type letters by accident, so they can be
// turned off (WCAG 2.1.4).
import { useLocalStorage } from "@mantine/hooks";

/** The modifier key of the browser's own shortcuts. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

/** Whether shortcuts without Ctrl work in this browser, and what changes that. */
export function useSingleKeys() {
  return useLocalStorage({ key: "nodal-single-keys", defaultValue: true, getInitialValueInEffect: false });
}

/** Whether a key is typed into a field or a dialog, or is part of a shortcut of the browser. */
export function isHandledElsewhere({ ctrlKey, metaKey, altKey, defaultPrevented, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented) return true;
  if (document.querySelector('[role="dialog"]')) return true;
  return target instanceof Element && target.closest(FIELDS) !== null;
}

/** Elements that letters are typed into. */
const FIELDS = 'input:not([type="checkbox"]), textarea, select, [contenteditable]';
