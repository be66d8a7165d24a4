// The global search: the button in the header, and Ctrl-K. The dialog is loaded on first use.
import { Kbd, UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useState } from "react";
import { SearchIcon } from "../components/icons.tsx";
import { MOD } from "../components/keys.ts";
import { Part } from "../components/part.tsx";
import { finding } from "../strings/finding.ts";
import classes from "./palette.module.css";

const load = async () => (await import("./palette-dialog.tsx")).PaletteDialog;

/** The button, and the dialog once it was opened. */
export function Palette() {
  const [asked, setAsked] = useState(0);
  const open = () => setAsked((times) => times + 1);
  useHotkeys([["mod+K", open]], []);
  const prepare = () => void load().catch(() => {});
  return (
    <>
      <UnstyledButton
        className={classes["button"]}
        onClick={open}
        onPointerEnter={prepare}
        onFocus={prepare}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <SearchIcon size={16} />
        <span className={classes["name"]}>{finding.title}</span>
        <Kbd size="xs" visibleFrom="sm" aria-hidden>
          {MOD} K
        </Kbd>
      </UnstyledButton>
      <Part load={load} wanted={asked} of={{ asked }} />
    </>
  );
}
