// What forms have around their fields: the failure of the whole, and the buttons.
// What belongs here: parts of forms that are not fields.
import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { ErrorNotice } from "../components/error-notice.tsx";
import { parts } from "../strings/shell.ts";
import type { ApiForm } from "./use-api-form.ts";

/** What is wrong with the form as a whole; nothing where nothing is. */
export function FormError({ error }: { readonly error: Error | null }) {
  return error && <ErrorNotice error={error} title={parts.formFailed} />;
}

type SubmitProps = {
  readonly of: Pick<ApiForm<Record<string, unknown>>, "isSending">;
  readonly label: string;
  readonly onCancel?: () => void;
  readonly danger?: boolean;
  readonly children?: ReactNode;
};

/** The button that sends the form, and the one that leaves it. */
export function SubmitRow({ of, label, onCancel, danger = false, children }: SubmitProps) {
  return (
    <Group justify="flex-end" gap="xs">
      {children}
      {onCancel && (
        <Button variant="default" onClick={onCancel}>
          {parts.cancel}
        </Button>
      )}
      <Button type="submit" loading={of.isSending} {...(danger ? { color: "red.9" } : {})}>
        {label}
      </Button>
    </Group>
  );
}
