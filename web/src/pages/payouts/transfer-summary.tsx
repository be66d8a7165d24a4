// A summary of a transfer beside its form, updated while the user types.
import { Stack, Text } from "@mantine/core";
import { Panel } from "../../components/page.tsx";
import { type Fact, Facts, Money } from "../../components/values.tsx";
import { day } from "../../format/time.ts";
import { AmountInWords } from "../../forms/dialogs.tsx";
import { beforeMoney } from "../../strings/before-money.ts";
import { newTransfer, transfers } from "../../strings/payouts.ts";
import { accountOf, type Beneficiary } from "./beneficiary.ts";
import { ApprovalNotice, type Terms } from "./preview.tsx";
import { wireAmount } from "./transfer-list.tsx";

type Props = {
  readonly values: { readonly amount: string; readonly scheduled_for: string };
  readonly payee: Beneficiary | null;
  /** `null` while payee or amount are missing. */
  readonly terms: Terms | null;
};

/** The summary. */
export function TransferSummary({ values: { amount: typed, scheduled_for: on }, payee, terms }: Props) {
  const amount = wireAmount(typed);
  const facts: Fact[] = [
    { label: transfers.payee, value: payee?.name },
    { label: transfers.account, value: payee && accountOf(payee) },
    { label: newTransfer.arrives, value: terms && newTransfer.arrivals[terms.mode] },
    { label: beforeMoney.left, value: terms && <Money amount={terms.left} /> },
    ...(on === "" ? [] : [{ label: newTransfer.day, value: day(on) }]),
  ];
  return (
    <Panel title={newTransfer.summary}>
      <Stack gap="md">
        {amount === null ? <Text c="dimmed">{newTransfer.summaryHint}</Text> : <AmountInWords amount={amount} />}
        <Facts facts={facts} inRows />
        {terms && on === "" && <ApprovalNotice terms={terms} />}
      </Stack>
    </Panel>
  );
}
