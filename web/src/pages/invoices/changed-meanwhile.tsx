// Two people edit one invoice: the second is told what the first has saved, beside what the form has, and chooses.
import { Group, Stack, Table, Text } from "@mantine/core";
import { Action } from "../../components/actions.tsx";
import { rupees } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { Dialog } from "../../forms/dialogs.tsx";
import type { InvoiceValues } from "../../forms/invoice/invoice-values.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { unsaved } from "../../strings/unsaved.ts";

type Props = {
  /** What the form began with, what is saved now, and what the form has. */
  readonly began: InvoiceValues;
  readonly theirs: InvoiceValues;
  readonly mine: InvoiceValues;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
  readonly onClose: () => void;
};

/** Shows what differs. Nothing is sent here: the form is saved, or goes on, from what was chosen. */
export function ChangedMeanwhile({ began, theirs, mine, onMine, onTheirs, onClose }: Props) {
  const [atFirst, saved, typed] = [linesOf(began), linesOf(theirs), linesOf(mine)];
  const names = [...new Set([...atFirst.keys(), ...saved.keys()])];
  const changed = names.filter((name) => atFirst.get(name) !== saved.get(name));
  return (
    <Dialog title={unsaved.changedTitle} size="lg" onClose={onClose}>
      <Stack gap="md">
        <Text>{changed.length > 0 ? unsaved.changedText : unsaved.noDifference}</Text>
        {changed.length > 0 && (
          <Table aria-label={unsaved.changedTitle}>
            <Table.Thead>
              <Table.Tr>
                {[unsaved.what, unsaved.theirs, unsaved.yours].map((title) => (
                  <Table.Th key={title} scope="col">
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changed.map((name) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row" fw={400}>
                    {name}
                  </Table.Th>
                  <Table.Td>{saved.get(name) || unsaved.nothing}</Table.Td>
                  <Table.Td>{typed.get(name) || unsaved.nothing}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Group justify="flex-end" gap="xs">
          <Action label={unsaved.takeTheirs} onClick={onTheirs} />
          <Action label={unsaved.saveMine} primary onClick={onMine} />
        </Group>
      </Stack>
    </Dialog>
  );
}

/** What an invoice says, by what it is called on the page. */
function linesOf(values: InvoiceValues): Map<string, string> {
  const { customer, is_new_customer: isNew, new_customer: made } = values;
  return new Map([
    [words.billTo, isNew ? made.customer_name : (customer?.customer_name ?? "")],
    [words.billDate, day(values.bill_date)],
    [words.dueDate, day(values.due_date)],
    [words.cycle, values.bill_cycle_name],
    [words.franchise, values.franchise_id],
    ...values.custom_header_fields.map(({ name, value }) => [name, value] as const),
    ...values.particular_rows.map((row, place) => {
      const rate = row.gst === "" ? "" : `${row.gst} %`;
      const parts = [row.item, row.description, row.sac_code, rate, rupees(row.total_amount)];
      return [words.rowLegend(place + 1), parts.filter((part) => part !== "").join(" · ")] as const;
    }),
    ...values.tax_rows.map(
      (tax, place) =>
        [words.taxLegend(place + 1), `${tax.name} ${tax.percentage} %, ${rupees(tax.applicable_on)}`] as const,
    ),
    [words.previousDues, values.previous_dues === "" ? "" : rupees(values.previous_dues)],
  ]);
}
