// Use case: import a statement. Lines of an earlier file count once. Reading is in reading/, matching in reconcile.ts.
import { auditValues, recordEvents } from "../ledger/index.ts";
import type { Merchant, WriteContext } from "../merchants/index.ts";
import { listProviders, readPaymentId } from "../payouts/index.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { inTurns } from "../platform/turns.ts";
import { lockReconciliation } from "./clearing-store.ts";
import { isCharge, keysOfLine, paymentIdsIn } from "./line-keys.ts";
import { requireWholeMapping } from "./reading/csv-columns.ts";
import { readStatementAside } from "./reading/read-aside.ts";
import type { ColumnMapping, DateOrder, ReadLine, ReadStatement, StatementFormat } from "./reading/statement.ts";
import { listEarlierLines } from "./earlier-line-store.ts";
import { leaveOutKnown, type ComparedLine } from "./same-lines.ts";
import { findStatementAccount, insertImport, openStatementAccount, rememberFiles } from "./import-store.ts";
import type { StatementAccount, StatementImport } from "./statement-import.ts";
import {
  comparedNarration,
  comparedReference,
  findLines,
  insertLines,
  narrationIndexOf,
  type StatementLine,
} from "./statement-store.ts";

export type ImportStatement = {
  /** The account's name; a new name creates an account. */
  readonly account: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** The format, if it can't be detected. */
  readonly format?: StatementFormat | null;
  /** The roles of CSV columns; `null` for the account's saved roles, or else by the headings. */
  readonly mapping?: ColumnMapping | null;
  /** Whether its dates have the day or the month first; `null` to use what the file or an earlier one shows. */
  readonly dateOrder?: DateOrder | null;
};

/** `accounts` sees the provider accounts of all merchants; each look-up names its own. */
export type ImportContext = WriteContext<Merchant> & { readonly accounts: Pool };

/** Lines per batch: their narrations are encrypted, and hashed for search, before other work gets its turn. */
const SLICE_LINES = 250;

/** Reads a file with the account's settings, and saves nothing. @throws NodalError `validation_failed`, with line and column */
export async function previewStatement(
  { pool, merchant }: Pick<WriteContext<Merchant>, "pool" | "merchant">,
  { account, bytes, format = null, mapping = null, dateOrder = null }: Omit<ImportStatement, "fileName">,
): Promise<ReadStatement> {
  if (mapping) requireWholeMapping(mapping);
  const known = await findStatementAccount(pool, merchant, account);
  const key = String(merchant.merchantId);
  const remembered = { remembered: known?.mapping ?? null, rememberedOrder: known?.dateOrder ?? null };
  return readStatementAside(bytes, { format, mapping, dateOrder, ...remembered, key });
}

/**
 * Imports a statement, whole or not at all. docs/rules/reconciliation.md#once
 * @throws NodalError `validation_failed`, with line and column
 */
export async function importStatement(
  context: ImportContext,
  input: ImportStatement,
): Promise<StatementImport & Pick<ReadStatement, "notBookedCount">> {
  const { pool, ids, merchant, accounts } = context;
  const statement = await previewStatement(context, input);
  const { bucket, merchantId } = merchant;
  const [accountId, importId] = [await ids.next(), await ids.next()];
  // Its payments may use its own accounts and the installation's.
  const own = await listProviders({ pool: accounts, merchant });
  const tags = [...own, ...(await listProviders({ pool: accounts, merchant: null }))].map(({ tag }) => tag);
  const lines = await toLines(context, statement.lines, tags);
  return inTransaction(pool, async (connection) => {
    await lockReconciliation(connection, merchant);
    const now = Temporal.Now.instant();
    const opened = {
      bucket,
      merchantId,
      accountId,
      name: input.account,
      mapping: null,
      dateOrder: null,
      createdAt: now,
    };
    const account = await openStatementAccount(connection, opened);
    const { mapping = null } = input;
    const { dateOrder, notBookedCount } = statement;
    if (mapping || dateOrder)
      await rememberFiles(connection, account, { ...(mapping && { mapping }), ...(dateOrder && { dateOrder }) });
    const { fromOn, toOn } = await periodOf(lines);
    const fresh = await leaveOutEarlier(connection, account, { lines, layout: statement.layout, fromOn, toOn });
    let newCount = 0;
    for (let from = 0; from < fresh.length; from += SLICE_LINES) {
      const slice = fresh.slice(from, from + SLICE_LINES);
      newCount += await insertLines(
        connection,
        slice.map(({ line, duplicateOf }) => ({ ...line, duplicateOf, accountId: account.accountId, importId })),
      );
    }
    const made = {
      bucket,
      merchantId,
      importId,
      accountId: account.accountId,
      fileName: input.fileName.slice(0, 200),
      format: statement.format,
      layout: statement.layout,
      fromOn,
      toOn,
      openingPaise: statement.openingPaise,
      closingPaise: statement.closingPaise,
      lineCount: lines.length,
      newCount,
      importedAt: now,
    };
    await insertImport(connection, made);
    const after = auditValues({
      account: account.name,
      file: made.fileName,
      lines: made.lineCount,
      new_lines: newCount,
      ...(notBookedCount > 0 && { not_booked: notBookedCount }),
    });
    await recordEvents(connection, merchant, [{ type: "statement.imported", subjectId: importId, after }], now);
    return { ...made, notBookedCount };
  });
}

type NewLine = Omit<StatementLine, "accountId" | "importId" | "duplicateOf">;

/**
 * The lines that no earlier file of the account has, each with the earlier line it may repeat. docs/rules/reconciliation.md#once
 */
async function leaveOutEarlier(
  connection: Connection,
  account: StatementAccount,
  file: Pick<StatementImport, "fromOn" | "toOn" | "layout"> & { readonly lines: readonly NewLine[] },
): Promise<{ readonly line: NewLine; readonly duplicateOf: bigint | null }[]> {
  const { lines, layout, fromOn, toOn } = file;
  if (fromOn === null || toOn === null) return [];
  const secrets = await secretsOf(connection);
  const compared: (ComparedLine & { readonly line: NewLine })[] = [];
  for await (const line of inTurns(lines)) {
    compared.push({
      ...line,
      line,
      comparedReference: comparedReference(line.reference),
      comparedNarration: comparedNarration(line.narration) ?? "",
      narrationIndex: narrationIndexOf(secrets, line),
    });
  }
  const earlier = await listEarlierLines(connection, account, layout, { from: fromOn, to: toOn });
  const fresh = await leaveOutKnown(compared, earlier, async (ids) => {
    const found = ids.length === 0 ? [] : await findLines(connection, account, ids);
    return new Map(found.map(({ lineId, narration }) => [lineId, comparedNarration(narration) ?? ""]));
  });
  return fresh.map(({ line: { line }, duplicateOf }) => ({ line, duplicateOf }));
}

/** The initial state of a line. */
const NEW = {
  state: "missing_here",
  matchId: null,
  matchedBy: null,
  aboutId: null,
  difference: null,
  note: null,
} as const;
/** The initial state of a line for another merchant's payment over the same account. docs/rules/reconciliation.md#matching */
const OF_ANOTHER = { keys: "", state: "noted", note: "Another merchant's payment over this account" } as const;

async function toLines(
  { ids, merchant: { bucket, merchantId } }: WriteContext<Merchant>,
  lines: readonly ReadLine[],
  tags: readonly string[],
): Promise<NewLine[]> {
  const copies = new Map<string, number>();
  const made: NewLine[] = [];
  for await (const line of inTurns(lines)) {
    const { otherWords = [], otherDays = [], ...kept } = line;
    const { bookedOn, side, amountPaise, reference, balancePaise, narration } = kept;
    const compared = [comparedReference(reference), comparedNarration(narration)];
    const same = JSON.stringify([bookedOn, side, String(amountPaise), String(balancePaise), ...compared]);
    const copyNo = (copies.get(same) ?? 0) + 1;
    copies.set(same, copyNo);
    const said = [...otherWords, narration].join(" ");
    const payments = paymentsIn(tags, reference, said);
    const own = payments.find((payment) => payment.merchantId === merchantId && payment.bucket === bucket) ?? null;
    made.push({
      ...kept,
      ...NEW,
      bucket,
      merchantId,
      lineId: await ids.next(),
      otherDays: otherDays.filter((day) => day !== bookedOn.toString()).join(" "),
      copyNo,
      keys: keysOfLine(reference, said).join(" "),
      isCharge: isCharge(narration),
      paymentOf: own?.transferId ?? null,
      ...(own === null && payments.length > 0 ? OF_ANOTHER : {}),
    });
  }
  return made;
}

/** The payments of this installation, of any merchant, whose provider ids are in a line. */
function paymentsIn(tags: readonly string[], reference: string | null, said: string) {
  return paymentIdsIn(reference, said).flatMap((id) => tags.flatMap((tag) => readPaymentId(tag, id) ?? []));
}

async function periodOf(lines: readonly NewLine[]): Promise<Pick<StatementImport, "fromOn" | "toOn">> {
  let [fromOn, toOn] = [lines[0]?.bookedOn ?? null, lines[0]?.bookedOn ?? null];
  for await (const { bookedOn } of inTurns(lines)) {
    if (Temporal.PlainDate.compare(bookedOn, fromOn!) < 0) fromOn = bookedOn;
    if (Temporal.PlainDate.compare(bookedOn, toOn!) > 0) toOn = bookedOn;
  }
  return { fromOn, toOn };
}
