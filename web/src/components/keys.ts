// Keys that are shortcuts: what the browser's own are called, and whether those of a single key are on. Some people's
// software types letters that they did not mean, so they can be turned off (WCAG 2.1.4).
import { useLocalStorage } from "@mantine/hooks";

/** The key of the browser's own shortcuts. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

/** Whether shortcuts without Ctrl work in this browser, and what changes that. */
export function useSingleKeys() {
  return useLocalStorage({ key: "nodal-single-keys", defaultValue: true, getInitialValueInEffect: false });
}
