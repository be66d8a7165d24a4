// Several invoices at once: they are sent, their customers are reminded, and their PDFs come as one file.
// What belongs here: choosing, asking once for all of them, and saying of each what did not go.
import { Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { makeRequestKey } from "../../api/request-key.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { RefusedNotice } from "../../components/notices.tsx";
import type { Selection } from "../../components/row-selection.tsx";
import { toPaise } from "../../format/money.ts";
import { countFilesIn } from "../../format/save-file.ts";
import { AmountInWords, FormDialog } from "../../forms/dialogs.tsx";
import { manyInvoices as words } from "../../strings/invoices.ts";
import { formatPaise } from "../../../../src/platform/money.ts";
import { CHANGES } from "./dialogs.tsx";

type Row = Answer<"GET", "/invoices">["invoices"][number];
type Outcome = Answer<"POST", "/invoices/send">["outcomes"][number];
type Letter = "send" | "remind";

/** Which rows of the page are ticked. */
export function useChosenInvoices(rows: readonly Row[]): {
  readonly selection: Selection<Row>;
  readonly chosen: readonly Row[];
} {
  const [selected, onChange] = useState<ReadonlySet<string>>(new Set());
  const labels = { allLabel: words.selectAll, labelOf: (row: Row) => words.selectOne(row.invoice_number) };
  return {
    selection: { selected, onChange, mayChoose: () => true, ...labels },
    chosen: rows.filter((row) => selected.has(row.invoice_id)),
  };
}

type Refusal = { readonly label: string; readonly to: string; readonly error: string | null };

/** What can be done with the rows that are ticked, and what of it was refused. */
export function ManyInvoices({ chosen, onClear }: { readonly chosen: readonly Row[]; readonly onClear: () => void }) {
  const may = usePermissions();
  const [letter, setLetter] = useState<Letter | null>(null);
  const [refused, setRefused] = useState<{ readonly title: string; readonly of: readonly Refusal[] } | null>(null);
  const isNone = chosen.length === 0;
  const mayWrite = may("invoices.manage");
  return (
    <Stack gap="sm" px="md" pb="md">
      {refused && <RefusedNotice title={refused.title} refused={refused.of} onClose={() => setRefused(null)} />}
      <Group gap="xs">
        {mayWrite && <Action label={words.send} disabled={isNone} onClick={() => setLetter("send")} />}
        {mayWrite && <Action label={words.remind} disabled={isNone} onClick={() => setLetter("remind")} />}
        <Pdfs of={chosen} />
        <Text size="sm" c="dimmed" role="status">
          {isNone ? (mayWrite ? words.selectHint : words.pdfHint) : words.selected(chosen.length)}
        </Text>
      </Group>
      {letter && (
        <WriteDialog
          letter={letter}
          chosen={chosen}
          onDone={(left) => {
            setRefused({ title: words.refused(letter, left.length), of: left });
            setLetter(null);
            onClear();
          }}
          onClose={() => setLetter(null)}
        />
      )}
    </Stack>
  );
}

type DialogProps = {
  readonly letter: Letter;
  readonly chosen: readonly Row[];
  readonly onDone: (refused: readonly Refusal[]) => void;
  readonly onClose: () => void;
};

/** Asks once for all of them. Each has a key of its own: sent again after a lost answer, no customer is written to twice. */
function WriteDialog({ letter, chosen, onDone, onClose }: DialogProps) {
  const [invoices] = useState(() => chosen.map(({ invoice_id }) => ({ invoice_id, request_key: makeRequestKey() })));
  const numberOf = new Map(chosen.map((row) => [row.invoice_id, row.invoice_number]));
  const duePaise = chosen.reduce((sum, { due_amount }) => sum + (toPaise(due_amount) ?? 0n), 0n);
  const write = (): Promise<{ readonly outcomes: readonly Outcome[] }> =>
    letter === "send"
      ? api("POST", "/invoices/send", { body: { invoices } })
      : api("POST", "/invoices/remind", { body: { invoices } });
  return (
    <FormDialog
      title={words.title(letter, chosen.length)}
      label={words[letter]}
      hint={words.hint(letter)}
      initialValues={{}}
      intro={
        <div>
          <Text>{words.due}</Text>
          <AmountInWords amount={formatPaise(duePaise)} />
        </div>
      }
      submit={write}
      changes={CHANGES}
      done={({ outcomes }) => {
        const count = outcomes.filter(({ error }) => error === null).length;
        return count === 0 ? null : words.done(letter, count);
      }}
      onDone={({ outcomes }) =>
        onDone(
          outcomes
            .filter(({ error }) => error !== null)
            .map(({ invoice_id: id, error }) => ({ label: numberOf.get(id) ?? id, to: `/invoices/${id}`, error })),
        )
      }
      onClose={onClose}
    />
  );
}

/** The PDFs as one file, with a list of them: what could not be made is named in it. */
function Pdfs({ of }: { readonly of: readonly Row[] }) {
  const lookInto = async (file: Blob): Promise<void> => {
    const missing = of.length + 1 - (await countFilesIn(file));
    if (missing > 0) notifications.show({ color: "yellow", message: words.pdfsMissing(missing), autoClose: false });
  };
  return (
    <ExportButton
      label={words.pdfs}
      path="/invoices/pdfs.zip"
      query={{ invoices: of.map(({ invoice_id }) => invoice_id).join(",") }}
      fileName="invoices.zip"
      disabled={of.length === 0}
      onFile={(file) => void lookInto(file)}
    />
  );
}
