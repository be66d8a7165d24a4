// The key that a form sends with what it saves: a second press, or a retry after a lost answer, saves nothing twice.
// When a new one is due is for the form to say: mostly once, when it opens.
import { useState } from "react";

/** A key that nobody else makes. */
export function makeRequestKey(): string {
  // `crypto.randomUUID` is missing where the page came over plain http from another machine.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The key of the form that is shown, and a way to begin with another one. */
export function useRequestKey(): readonly [string, () => void] {
  const [key, setKey] = useState(makeRequestKey);
  return [key, () => setKey(makeRequestKey())];
}
