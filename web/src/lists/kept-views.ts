// What somebody has chosen for a list, kept in this browser: filters under names, and which columns are shown.
// What belongs here: keeping it. It is of one person at one merchant; how it is chosen is list-view.tsx.
import { useLocalStorage } from "@mantine/hooks";
import { useSession } from "../api/session.ts";

/** Filters by their names in the address, under the name that somebody gave them. */
export type SavedFilters = { readonly name: string; readonly filters: Readonly<Record<string, string>> };

type Kept = { readonly saved: readonly SavedFilters[]; readonly hidden: readonly string[] };
const NOTHING: Kept = { saved: [], hidden: [] };
const MOST_SAVED = 20;

export type ListView = Kept & {
  /** Keeps filters; those of the same name are replaced, and of too many the oldest is left out. */
  readonly save: (filters: SavedFilters) => void;
  readonly remove: (name: string) => void;
  readonly setHidden: (columns: readonly string[]) => void;
};

/** What is kept for the list at a route. */
export function useListView(path: string): ListView {
  const { kind, id, merchant } = useSession();
  const [stored, setKept] = useLocalStorage<unknown>({
    key: `nodal-list:${kind}-${id}:${merchant?.id ?? ""}:${path}`,
    defaultValue: NOTHING,
    getInitialValueInEffect: false,
  });
  const kept = isKept(stored) ? stored : NOTHING;
  const change = (changes: Partial<Kept>): void => setKept({ ...kept, ...changes });
  return {
    ...kept,
    save: (filters) => {
      const others = kept.saved.filter(({ name }) => name !== filters.name);
      change({ saved: [...others, filters].slice(-MOST_SAVED) });
    },
    remove: (removed) => change({ saved: kept.saved.filter(({ name }) => name !== removed) }),
    setHidden: (hidden) => change({ hidden }),
  };
}

/** What an older release, or somebody, may have put there is none. */
function isKept(stored: unknown): stored is Kept {
  const { saved, hidden } = (stored ?? {}) as Partial<Kept>;
  return (
    Array.isArray(saved) &&
    Array.isArray(hidden) &&
    saved.every((each) => typeof each?.name === "string" && typeof each.filters === "object" && each.filters !== null)
  );
}
