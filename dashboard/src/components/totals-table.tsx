// What amounts add up to: a line each, and the total last.
// What belongs here: that table. What is added up is the server's.
import { Table } from "@mantine/core";
import { Money } from "./money.tsx";

export type TotalsLine = { readonly label: string; readonly amount: string };

/** Lines and total. `label` names the table. */
export function TotalsTable({
  label,
  lines,
  total,
}: {
  readonly label: string;
  readonly lines: readonly TotalsLine[];
  readonly total: TotalsLine;
}) {
  return (
    <Table aria-label={label}>
      <Table.Tbody>
        {[...lines, total].map((line) => (
          <Table.Tr key={line.label}>
            <Table.Th scope="row" fw={line === total ? 650 : 400} ta="right">
              {line.label}
            </Table.Th>
            <Table.Td ta="right" fw={line === total ? 650 : 400} w="11rem">
              <Money amount={line.amount} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
