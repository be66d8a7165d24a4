// Shortcuts of the keyboard: "g" and a letter go to a page, "?" lists them. Ctrl-K is palette.tsx, "/" is
// lists/filters.tsx, and "j", "k" and "x" are components/row-keys.ts.
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { isHandledElsewhere, useSingleKeys } from "../components/keys.ts";
import { Part } from "../components/part.tsx";
import { useNavigationEntries } from "./area.ts";

/** The letter after "g" for a page's path. The list shows them in this order. */
const LETTERS: Readonly<Record<string, string>> = {
  "/": "h",
  "/transfers": "t",
  "/bulk-payouts": "b",
  "/beneficiaries": "v",
  "/approvals": "a",
  "/statement": "s",
  "/invoices": "i",
  "/estimates": "e",
  "/payments": "p",
  "/customers": "c",
  "/franchises": "f",
  "/reports/ageing": "r",
};

const loadList = async () => (await import("./shortcut-list.tsx")).ShortcutList;

type Props = {
  /** Whether their list is shown. */
  readonly opened: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
};

/** Listens for shortcuts, and shows their list. Only pages that the person may see have one. */
export function Shortcuts({ opened, onOpen, onClose }: Props) {
  const places = usePlaces();
  const navigate = useNavigate();
  const isAfterG = useRef(false);
  const [singleKeys] = useSingleKeys();
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const wasAfterG = isAfterG.current;
    // Shift arrives as a separate key before "?".
    if (event.key === "Shift") return;
    isAfterG.current = false;
    if (!singleKeys || isHandledElsewhere(event)) return;
    if (event.key === "?") return onOpen();
    const place = wasAfterG && places.find(({ letter }) => letter === event.key);
    if (place) {
      event.preventDefault();
      return void navigate({ to: place.to });
    }
    isAfterG.current = event.key === "g";
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
  return <Part load={loadList} wanted={opened} of={{ opened, places, onClose }} />;
}

function usePlaces() {
  const entries = useNavigationEntries();
  return Object.entries(LETTERS).flatMap(([path, letter]) => {
    const entry = entries.find(({ to }) => to === path);
    return entry ? [{ letter, to: entry.to, label: entry.label }] : [];
  });
}
