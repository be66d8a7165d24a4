// The line of a bank statement that a receipt is recorded from, and the suggested customers.
import { Group, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import type { ApiError } from "../../api/client.ts";
import { useGet } from "../../api/queries.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { Notice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { Facts, Money } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { receiptLine as words } from "../../strings/receipts.ts";
import { paiseOf, type ReceiptLine, type Suggestion } from "./receipt-values.ts";

type FoundLine = {
  /** Whether the address names a line. */
  readonly isAsked: boolean;
  readonly data: ReceiptLine | undefined;
  /** Why nothing can be recorded from it. */
  readonly error: ApiError | null;
};

/** The line that the address names, with the customer of a sure suggestion chosen. */
export function useReceiptLine(lineId: string | undefined): FoundLine {
  const { customer }: Readonly<Record<string, string>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const isNamed = lineId !== undefined && /^\d+$/.test(lineId);
  const { data, error } = useGet(`/session/receipt-lines/${isNamed ? lineId : "0"}`, { enabled: isNamed });
  const sure = data?.suggestions.find(({ is_possible }) => !is_possible);
  const chosen = customer === undefined ? sure?.customer_id : undefined;
  useEffect(() => {
    if (lineId === undefined || chosen === undefined) return;
    void navigate({ to: ".", search: { line: lineId, customer: chosen }, replace: true });
  }, [navigate, lineId, chosen]);
  return { isAsked: isNamed, data, error };
}

type Props = {
  readonly of: ReceiptLine;
  readonly chosen: Suggestion | null;
  readonly onChoose: (suggestion: Suggestion) => void;
};

/** The bank's text, existing records of the money, and suggestions. */
export function LinePanel({ of: { line, recorded, suggestions }, chosen, onChoose }: Props) {
  return (
    <Panel title={words.title}>
      <Stack gap="sm">
        <Facts
          facts={[
            { label: words.date, value: day(line.date) },
            { label: words.amount, value: <Money amount={line.amount} /> },
            { label: words.narration, value: line.narration || line.reference },
          ]}
        />
        {recorded.map(({ kind, id, number, amount }) => (
          <Notice key={number}>
            {words.recorded} <LinkTo label={number} to={kind === "receipt" ? `/receipts/${id}` : `/invoices/${id}`} /> (
            {rupees(amount)})
          </Notice>
        ))}
        {suggestions.map((suggestion) => (
          <Suggested
            key={`${suggestion.customer_id} ${suggestion.reason}`}
            of={suggestion}
            isChosen={suggestion === chosen}
            onChoose={() => onChoose(suggestion)}
          />
        ))}
        {suggestions.length === 0 && recorded.length === 0 && <Text c="dimmed">{words.none}</Text>}
      </Stack>
    </Panel>
  );
}

type SuggestedProps = { readonly of: Suggestion; readonly isChosen: boolean; readonly onChoose: () => void };

/** A suggested customer, the reason, and the invoices that it would pay. */
function Suggested({ of, isChosen, onChoose }: SuggestedProps) {
  const { customer_name: name, customer_code: code, reason, is_possible, invoices, advance_amount: advance } = of;
  const numbers = invoices.map(({ invoice_number, amount }) => `${invoice_number} ${rupees(amount)}`);
  const rest = paiseOf(advance) > 0n ? [words.advance(rupees(advance))] : [];
  return (
    <Group justify="space-between" gap="sm" align="flex-start">
      <div>
        <Text>
          {name} ({code})
        </Text>
        <Text size="sm" c="dimmed">
          {[words.reasons[reason], ...(is_possible ? [words.possible] : [])].join(" ")}
        </Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {[...numbers, ...rest].join(" · ")}
        </Text>
      </div>
      {isChosen ? (
        <Text size="sm" c="dimmed">
          {words.chosen}
        </Text>
      ) : (
        <Action label={words.choose} aria-label={words.chooseOf(name)} onClick={onChoose} />
      )}
    </Group>
  );
}
