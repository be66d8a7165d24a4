// An address to hand on: opened in a tab of its own, or copied.
// What belongs here: those two ways.
import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { parts } from "../strings/shell.ts";

/** Copies an address; the button says when it has. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <Button variant="default" onClick={() => clipboard.copy(text)} aria-live="polite">
      {clipboard.copied ? parts.copied : label}
    </Button>
  );
}
