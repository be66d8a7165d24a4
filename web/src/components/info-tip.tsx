// An "i" whose tooltip explains what is beside it.
import { ActionIcon, Tooltip } from "@mantine/core";
import { parts } from "../strings/shell.ts";
import { InfoIcon } from "./icons.tsx";

/** Opens on hover, focus and touch; screen readers read `text` as the description of the button. */
export function InfoTip({ about, text }: { readonly about: string; readonly text: string }) {
  return (
    <Tooltip label={text} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        my={-6}
        style={{ verticalAlign: "middle" }}
        aria-label={parts.moreAbout(about)}
        aria-description={text}
      >
        <InfoIcon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
