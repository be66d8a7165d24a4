// How many rows a page of a list has: chosen once, for every list in this browser.
import { useLocalStorage } from "@mantine/hooks";

export const PAGE_SIZES: readonly number[] = [25, 50, 100];
const DEFAULT = 50;

/** The rows of a page, and what changes it. Anything else that may be stored counts as the default. */
export function usePageSize(): readonly [size: number, setSize: (size: number) => void] {
  const [stored, setSize] = useLocalStorage<unknown>({
    key: "nodal-page-size",
    defaultValue: DEFAULT,
    getInitialValueInEffect: false,
  });
  return [typeof stored === "number" && PAGE_SIZES.includes(stored) ? stored : DEFAULT, setSize];
}
