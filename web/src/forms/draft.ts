// Drafts: the browser keeps unsaved form values for a week at most. They belong to one user at one merchant, and are deleted when
// that user signs out.
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { sessionQuery, type Session } from "../api/session.ts";

const PREFIX = "nodal-draft:";
const KEPT_MS = 7 * 24 * 3_600_000;
/** A moment after the last key, or when the page is left. */
const WRITING = { delay: 500, flushOnUnmount: true };

type Kept = { readonly at: number; readonly values: Readonly<Record<string, unknown>> };

export type Draft = {
  /** When the restored values were typed, in milliseconds; `null` if the form did not start with a draft. */
  readonly restoredAt: number | null;
  /** Discards the draft and restores the form's initial values. */
  readonly discard: () => void;
  /** Deletes the draft, once the form is saved. */
  readonly forget: () => void;
};

/** Removes all drafts of this browser, at sign-out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}

/** The key of a draft; `null` for a form that keeps none, and where nobody is signed in. */
function useDraftKey(name: string | null): string | null {
  const session = useQueryClient().getQueryData<Session | null>(sessionQuery.queryKey);
  if (name === null || !session) return null;
  return `${PREFIX}${session.kind}-${session.id}:${session.merchant?.id ?? ""}:${name}`;
}

/** The draft of a form with these members; `null` if there is none, or one of another form. */
function findDraft(key: string, members: Readonly<Record<string, unknown>>): Kept | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "null") as Kept | null;
    if (!kept || Date.now() - kept.at > KEPT_MS) return null;
    const has = Object.keys(kept.values).toSorted().join(" ");
    return has === Object.keys(members).toSorted().join(" ") ? kept : null;
  } catch {
    return null;
  }
}

/** Saves a form's values under a name, except for `secrets`, and starts with the saved ones; `null` saves nothing. */
export function useDraft<Values extends Record<string, unknown>>(
  name: string | null,
  form: UseFormReturnType<Values>,
  initialValues: Values,
  secrets: readonly (keyof Values)[] = [],
): Draft & { readonly keep: () => void } {
  const key = useDraftKey(name);
  const [kept, setKept] = useState(() => (key === null ? null : findDraft(key, initialValues)));
  useEffect(() => {
    if (kept) form.setValues(kept.values as Values);
    // Once, when the form opens.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const keep = useDebouncedCallback(() => {
    if (key === null) return;
    if (!form.isDirty()) return localStorage.removeItem(key);
    const values = { ...form.getValues() };
    for (const name of secrets) values[name] = initialValues[name];
    try {
      localStorage.setItem(key, JSON.stringify({ at: Date.now(), values }));
    } catch {
      // The browser has no storage, or no room: then there is no draft.
    }
  }, WRITING);
  const forget = (): void => {
    keep.cancel();
    if (key !== null) localStorage.removeItem(key);
    setKept(null);
  };
  const discard = (): void => {
    form.setValues(initialValues);
    forget();
  };
  return { restoredAt: kept?.at ?? null, discard, forget, keep };
}
