// Taking back one's own request for approval.
import { Text, Textarea } from "@mantine/core";
import { api } from "../../api/client.ts";
import { EVERYTHING } from "../../api/queries.ts";
import { FormDialog } from "../../forms/dialogs.tsx";
import { approvals } from "../../strings/approvals.ts";
import { LONGEST_NOTE } from "./decide-many.tsx";
import type { Approval } from "./policy-facts.ts";

type Props = { readonly approval: Approval; readonly onClose: () => void };

/** Asks first, since nobody can approve it afterwards. */
export function WithdrawDialog({ approval: { approval_id: id }, onClose }: Props) {
  return (
    <FormDialog
      title={approvals.withdrawTitle}
      label={approvals.withdraw}
      danger
      initialValues={{ note: "" }}
      intro={<Text>{approvals.withdrawText}</Text>}
      submit={(body) => api("POST", `/approvals/${id}/withdraw`, { body })}
      changes={EVERYTHING}
      done={approvals.withdrawn}
      onClose={onClose}
    >
      {({ field }) => (
        <Textarea
          {...field("note", approvals.withdrawNote)}
          maxLength={LONGEST_NOTE}
          autosize
          minRows={2}
          data-autofocus
        />
      )}
    </FormDialog>
  );
}
