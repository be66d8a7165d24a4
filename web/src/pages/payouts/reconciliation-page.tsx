// Reconciliation: statement lines with their status, a summary of an account's day, and items that no statement has shown.
import { Box, NativeSelect, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { ListPanel } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Notice } from "../../components/notices.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Money, StatusBadge } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { FormDialog } from "../../forms/dialogs.tsx";
import { DateRange } from "../../lists/filters.tsx";
import { useList, type List } from "../../lists/use-list.ts";
import { CandidatePicker, matchError, type Candidate } from "./candidates.tsx";
import { reconciliation as words } from "../../strings/reconciliation.ts";
import { titles } from "../../strings/titles.ts";
import { WEIGHT } from "../../app/tokens.ts";

type Totals = Answer<"GET", "/reconciliation">;
type Line = Totals["lines"][number];
type Missing = Answer<"GET", "/reconciliation/missing">["items"][number];

const TONES = { matched: "success", missing_here: "warning", different: "danger", noted: "neutral" } as const;

const columns = (onResolve: ((line: Line) => void) | null): readonly Column<Line>[] => [
  { key: "date", title: words.date, hideBelow: "sm", as: "day" },
  { key: "narration", title: words.line, render: (line) => <Narration line={line} onResolve={onResolve} /> },
  { key: "reference", title: words.reference, hideBelow: "lg" },
  { key: "amount", title: words.amount, align: "right", render: (line) => <Moved line={line} /> },
  {
    key: "state",
    title: words.state,
    hideBelow: "sm",
    render: (line) => <LineStatus line={line} onResolve={onResolve} />,
  },
];

const MISSING: readonly Column<Missing>[] = [
  { key: "posted_on", title: words.date, as: "day" },
  { key: "what", title: words.what, render: ({ kind, subject_id }) => `${words.kinds[kind]} ${subject_id}` },
  { key: "amount", title: words.amount, as: "money" },
];

/** Reconciliation. */
export function Page() {
  const may = usePermissions();
  const list = useList({ path: "/reconciliation", rowsIn: "lines", filters: ["account", "from", "to", "state"] });
  const [resolving, setResolving] = useState<Line | null>(null);
  const { data: missing } = useGet("/reconciliation/missing");
  const canResolve = may("reconciliation.manage");
  const importButton = canResolve && <Action label={words.import} primary to="/reconciliation/import" />;
  return (
    <Outline title={titles.reconciliation} hint={words.hint} actions={importButton}>
      <ListPanel
        caption={titles.reconciliation}
        list={list}
        columns={columns(canResolve ? setResolving : null)}
        rowKey="line_id"
        filterFields={<Filters list={list} />}
        hasFile
        summary={list.answer?.day && <Day of={list.answer.day} />}
        empty={{ title: words.empty, hint: words.emptyHint, action: importButton }}
      />
      {missing && missing.items.length > 0 && (
        <TablePanel
          title={words.missing}
          hint={words.missingHint}
          columns={MISSING}
          rows={missing.items}
          rowKey="what"
        />
      )}
      {resolving?.state === "matched" && <UndoDialog line={resolving} onClose={() => setResolving(null)} />}
      {resolving && resolving.state !== "matched" && (
        <ResolveDialog line={resolving} onClose={() => setResolving(null)} />
      )}
    </Outline>
  );
}

function Filters({ list }: { readonly list: List<Line, Totals> }) {
  const accounts = list.answer?.accounts ?? [];
  const states = Object.entries(words.states).map(([value, label]) => ({ value, label }));
  return (
    <>
      <NativeSelect
        {...list.filter("account", words.account)}
        data={[{ value: "", label: words.allAccounts }, ...accounts.map((name) => ({ value: name, label: name }))]}
      />
      <NativeSelect {...list.filter("state", words.state)} data={[{ value: "", label: words.allStates }, ...states]} />
      <DateRange list={list} />
    </>
  );
}

function Day({ of }: { readonly of: NonNullable<Totals["day"]> }) {
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }} px="md" pb="md">
        {(["opening", "in", "out", "closing"] as const).map((name) => (
          <div key={name}>
            <Text size="sm" c="dimmed">
              {words[name]}
            </Text>
            <Text fw={WEIGHT.strong}>{of[name] === null ? "–" : <Money amount={of[name]} />}</Text>
          </div>
        ))}
        {Object.entries(of.counts).map(([state, count]) => (
          <div key={state}>
            <Text size="sm" c="dimmed">
              {words.states[state]}
            </Text>
            <Text fw={WEIGHT.strong}>{count}</Text>
          </div>
        ))}
      </SimpleGrid>
      {of.gap !== null && of.gap !== "0.00" && <Notice m="md">{words.gap}</Notice>}
    </>
  );
}

type LineProps = { readonly line: Line; readonly onResolve: ((line: Line) => void) | null };

/** The bank's text; on narrow screens, with the day above it and the status below. */
function Narration({ line, onResolve }: LineProps) {
  const { date, account, narration, reference } = line;
  return (
    <>
      <Text size="sm" c="dimmed" hiddenFrom="sm">
        {day(date)}
      </Text>
      <Text style={{ overflowWrap: "anywhere" }}>{narration || reference}</Text>
      <Text size="sm" c="dimmed">
        {account}
      </Text>
      <Box hiddenFrom="sm">
        <LineStatus line={line} onResolve={onResolve} />
      </Box>
    </>
  );
}

function Moved({ line: { side, amount } }: { readonly line: Line }) {
  if (side === "out") return <Money amount={`-${amount}`} />;
  return (
    <Text span inherit style={{ whiteSpace: "nowrap" }}>
      +<Money amount={amount} />
    </Text>
  );
}

/** The status of a line, the reason, and how to resolve it. */
function LineStatus({ line, onResolve }: LineProps) {
  const mayRecord = usePermissions()("invoices.settle");
  const { state, difference, note } = line;
  // The note of a receipt is its number, which the link says.
  const said = line.receipt_id === null ? note : null;
  const why = difference === null ? said : words.differences[difference];
  return (
    <>
      <StatusBadge status={state} tone={TONES[state]} word={words.states[state] ?? state} />
      {why !== null && (
        <Text size="sm" c="dimmed">
          {why}
        </Text>
      )}
      {line.receipt_id !== null && (
        <Text size="sm">
          <LinkTo label={words.receipt(line.receipt_number ?? "")} to={`/receipts/${line.receipt_id}`} />
        </Text>
      )}
      {onResolve && mayRecord && canBeReceipt(line) && (
        <Action
          label={words.record}
          variant="subtle"
          size="compact-sm"
          to="/receipts/new"
          search={{ line: line.line_id }}
        />
      )}
      {onResolve && line.receipt_id === null && (
        <Action
          label={state === "matched" ? words.undo : words.resolve}
          variant="subtle"
          size="compact-sm"
          onClick={() => onResolve(line)}
        />
      )}
    </>
  );
}

/** Whether it is money that came in and is open. */
function canBeReceipt({ side, state, difference }: Line): boolean {
  return side === "in" && (state === "missing_here" || difference === "undone");
}

function ResolveDialog({ line, onClose }: { readonly line: Line; readonly onClose: () => void }) {
  const may = usePermissions();
  const { line_id } = line;
  const hows = [
    ...(line.difference === "duplicate" ? ["aside", "own"] : []),
    ...(line.difference === "fee" && may("merchants.fund") ? ["fee"] : []),
    "match",
    ...(line.difference === "undone" ? ["reopen"] : []),
    ...(line.state === "noted" ? ["reopen"] : line.difference === "duplicate" ? [] : ["aside"]),
    ...(may("merchants.fund") && line.side === "in" ? ["fund"] : []),
  ];
  return (
    <FormDialog
      title={words.resolveTitle(rupees(line.amount))}
      label={words.resolve}
      size="lg"
      initialValues={{ how: hows[0]!, with: [] as readonly Candidate[], reason: "" }}
      validate={{ with: (chosen, { how }) => (how === "match" ? matchError(chosen, line) : null) }}
      submit={async ({ how, reason, ...values }) => {
        if (how === "fee") return api("POST", "/reconciliation/book-fee", { body: { line_id } });
        if (how === "fund") return api("POST", "/reconciliation/fund", { body: { line_id } });
        if (how === "match")
          return api("POST", "/reconciliation/match", {
            body: { line_id, with: values.with.map(({ what }) => what).join(), reason },
          });
        return api("POST", "/reconciliation/set-aside", { body: { line_id, reason: how === "aside" ? reason : "" } });
      }}
      changes={["/reconciliation", "/reconciliation/missing", "/reconciliation/candidates"]}
      done={words.resolved}
      onClose={onClose}
    >
      {({ form, field }) => (
        <>
          <NativeSelect
            {...field("how", words.how)}
            data={hows.map((value) => ({ value, label: words.hows[value] ?? value }))}
          />
          {form.values.how === "match" && (
            <CandidatePicker
              line={line}
              chosen={form.values.with}
              onChoose={(chosen) => form.setFieldValue("with", chosen)}
              error={form.errors["with"]}
            />
          )}
          {["match", "aside"].includes(form.values.how) && <TextInput {...field("reason", words.reason)} required />}
        </>
      )}
    </FormDialog>
  );
}

/** Undoes the match of a line, and takes back the fee that was booked from it. */
function UndoDialog({ line, onClose }: { readonly line: Line; readonly onClose: () => void }) {
  const may = usePermissions();
  const { match_id, fee_id } = line;
  const hows = ["undo", ...(fee_id !== null && may("merchants.fund") ? ["undoFee"] : [])];
  return (
    <FormDialog
      title={words.undoTitle(rupees(line.amount))}
      label={words.undo}
      initialValues={{ how: hows[0]!, reason: "" }}
      submit={({ how, reason }) =>
        how === "undoFee"
          ? api("POST", "/reconciliation/undo-fee", { body: { fee_id: fee_id!, reason } })
          : api("POST", "/reconciliation/undo", { body: { matches: [{ match_id: match_id! }], reason } })
      }
      changes={["/reconciliation", "/reconciliation/missing"]}
      done={words.undone}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <NativeSelect
            {...field("how", words.how)}
            data={hows.map((value) => ({ value, label: words.hows[value] ?? value }))}
          />
          <TextInput {...field("reason", words.reason)} required />
        </>
      )}
    </FormDialog>
  );
}
