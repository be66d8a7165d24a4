// Notices: errors, empty states, and information.
import { Alert, Center, List, Stack, Text, Title, type AlertProps } from "@mantine/core";
import type { ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { sayRefusal } from "../format/refusal.ts";
import { refusalLinks } from "../strings/refusals.ts";
import { parts, shell } from "../strings/shell.ts";
import { Action, LinkTo } from "./actions.tsx";
import { AlertIcon } from "./icons.tsx";

type Props = Pick<AlertProps, "m" | "mb" | "title"> & {
  readonly error: Error;
  readonly onRetry?: () => void;
};

/** An error. Screen readers read it out when it appears. */
export function ErrorNotice({ error, onRetry, ...rest }: Props) {
  const { requestId, beneficiaryId } = error instanceof ApiError ? error : { requestId: null, beneficiaryId: null };
  return (
    <Alert role="alert" color="red" variant="outline" icon={<AlertIcon />} {...rest}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{sayRefusal(error)}</Text>
        {beneficiaryId !== null && (
          <LinkTo
            label={refusalLinks.beneficiary}
            to={`/beneficiaries/${beneficiaryId}`}
            size="sm"
            underline="always"
          />
        )}
        {requestId !== null && <Text size="sm">{shell.requestId(requestId)}</Text>}
        {onRetry && <Action label={shell.retry} size="xs" onClick={onRetry} />}
      </Stack>
    </Alert>
  );
}

type EmptyStateProps = {
  readonly title: string;
  readonly hint?: ReactNode;
  /** A button or link for the first step. */
  readonly action?: ReactNode;
};

/** An empty state. */
export function EmptyState({ title, hint, action }: EmptyStateProps) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={460}>
        <Title order={2} ta="center">
          {title}
        </Title>
        {hint !== undefined && (
          <Text c="dimmed" ta="center" style={{ textWrap: "balance" }}>
            {hint}
          </Text>
        )}
        {action !== undefined && <div>{action}</div>}
      </Stack>
    </Center>
  );
}

/** Lists the characters that can't be printed; nothing if there are none. */
export function UnprintableNotice({ letters }: { readonly letters: string }) {
  return letters === "" ? null : <Notice title={shell.unprintable}>{shell.unprintableLetters(letters)}</Notice>;
}

/** A notice; read out by screen readers when it appears. */
export function Notice(props: Omit<AlertProps, "variant" | "icon" | "role">) {
  return <Alert color="yellow" variant="outline" icon={<AlertIcon />} role="status" {...props} />;
}

type RefusedProps = {
  readonly title: string;
  /** Each with the page that leads to it, and why it was refused. */
  readonly refused: readonly { readonly label: string; readonly to: string; readonly error: string | null }[];
  readonly onClose: () => void;
};

/** Lists the items of a bulk action that were refused, and why; nothing if there are none. */
export function RefusedNotice({ title, refused, onClose }: RefusedProps) {
  if (refused.length === 0) return null;
  return (
    <Notice title={title} withCloseButton closeButtonLabel={parts.close} onClose={onClose}>
      <List size="sm" spacing={4}>
        {refused.map(({ label, to, error }) => (
          <List.Item key={to}>
            <LinkTo label={label} to={to} underline="always" />: {error}
          </List.Item>
        ))}
      </List>
    </Notice>
  );
}
