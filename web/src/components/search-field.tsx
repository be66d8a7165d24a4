// The field that `/` leads to, on pages that can be searched.
import { Kbd, TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback, useHotkeys } from "@mantine/hooks";
import { useRef, useState } from "react";
import { parts } from "../strings/shell.ts";
import { SearchIcon } from "./icons.tsx";

const TYPING_MS = 300;

type Props = Pick<TextInputProps, "w" | "maw" | "flex"> & {
  readonly label?: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
};

/** Searches a moment after the last key, or at once with Enter. */
export function SearchField({ label = parts.search, placeholder = "", value, onSearch, ...size }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const searchLater = useDebouncedCallback(onSearch, TYPING_MS);
  if (value !== known) {
    setKnown(value);
    // "Back" and "clear" change the field; the answer to what was typed leaves a space at its end alone.
    if (value !== typed.trim()) setTyped(value);
  }
  useHotkeys([["/", () => field.current?.focus()]]);
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label={label}
      aria-keyshortcuts="/"
      title={parts.searchShortcut}
      placeholder={placeholder || label}
      leftSection={<SearchIcon size={16} />}
      rightSection={
        // There is no such key on a phone.
        <Kbd size="xs" visibleFrom="sm">
          /
        </Kbd>
      }
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        searchLater(currentTarget.value.trim());
      }}
      onKeyDown={({ key }) => {
        if (key === "Enter") searchLater.flush();
        if (key === "Escape") field.current?.blur();
      }}
      {...size}
    />
  );
}
