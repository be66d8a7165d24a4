// Asks before a page with a changed form is left: by a link, by "back", or by closing the tab.
import { Group, Modal, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { createContext, useContext } from "react";
import { Action } from "../components/actions.tsx";
import { parts } from "../strings/shell.ts";
import { unsaved } from "../strings/unsaved.ts";

/** Around forms that may be left at will: in dialogs, and before signing in. */
export const FreeToLeave = createContext(false);

type Props = {
  readonly isChanged: () => boolean;
  /** The typed values stay in the browser. */
  readonly hasDraft: boolean;
};

/** The guard of a form. */
export function LeaveGuard(props: Props) {
  return useContext(FreeToLeave) ? null : <Guard {...props} />;
}

function Guard({ isChanged, hasDraft }: Props) {
  const blocked = useBlocker({
    // A change of the list or tab on the page keeps the form.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isChanged(),
    enableBeforeUnload: () => isChanged() && !hasDraft,
    withResolver: true,
  });
  if (blocked.status !== "blocked") return null;
  return (
    <Modal opened onClose={blocked.reset} title={unsaved.leaveTitle} closeButtonProps={{ "aria-label": parts.close }}>
      <Stack gap="md">
        <Text>{hasDraft ? unsaved.leaveDraft : unsaved.leaveText}</Text>
        <Group justify="flex-end" gap="xs">
          <Action label={unsaved.leave} onClick={blocked.proceed} />
          <Action label={unsaved.stay} primary onClick={blocked.reset} data-autofocus />
        </Group>
      </Stack>
    </Modal>
  );
}
