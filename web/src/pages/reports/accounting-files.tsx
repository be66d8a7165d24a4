// The files of a period for accounting software.
import { Group, Stack, Text } from "@mantine/core";
import { ExportButton } from "../../components/export-button.tsx";
import { Panel } from "../../components/page.tsx";
import { day } from "../../format/time.ts";
import { reports as words } from "../../strings/reports.ts";

type Period = { readonly from_date: string; readonly to_date: string };

/** Of each program, in the order in which it imports them. Customers are of no period. */
const FILES = [
  { program: "Tally Prime", files: ["tally-masters.xml", "tally-vouchers.xml"] },
  {
    program: "Zoho Books",
    files: ["zoho-customers.csv", "zoho-invoices.csv", "zoho-credit-notes.csv", "zoho-payments.csv"],
  },
] as const;

/** The files for Tally Prime and Zoho Books. */
export function AccountingFiles({ period }: { readonly period: Period }) {
  return (
    <Panel title={words.accounting.title}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {words.accounting.hint(day(period.from_date), day(period.to_date))}
        </Text>
        {FILES.map(({ program, files }) => (
          <Group key={program} gap="sm" role="group" aria-label={program}>
            <Text w="6rem">{program}</Text>
            {files.map((file) => (
              <ExportButton
                key={file}
                path={`/reports/${file}`}
                query={file === "zoho-customers.csv" ? {} : period}
                fileName={nameOf(file, period)}
                label={words.accounting.files[file]}
              />
            ))}
          </Group>
        ))}
      </Stack>
    </Panel>
  );
}

function nameOf(file: string, { from_date: from, to_date: to }: Period): string {
  return file === "zoho-customers.csv" ? file : file.replace(".", `-${from}-to-${to}.`);
}
