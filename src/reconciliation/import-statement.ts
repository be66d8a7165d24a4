// One use case: a statement is taken in. Lines that an earlier file had count once.
// What belongs here: what becomes a line of ours. Reading is in reading/, matching in reconcile.ts.
import { setImmediate as nextTurn } from "node:timers/promises";
import { auditValues, recordEvents } from "../ledger/index.ts";
import type { Merchant, WriteContext } from "../merchants/index.ts";
import { listProviders, readPaymentId } from "../payouts/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { lockReconciliation } from "./clearing-store.ts";
import { isCharge, keysOfLine, paymentIdsIn } from "./line-keys.ts";
import { requireWholeMapping } from "./reading/csv-columns.ts";
import { readStatementAside } from "./reading/read-aside.ts";
import type { ColumnMapping, ReadLine, ReadStatement, StatementFormat } from "./reading/statement.ts";
import {
  findStatementAccount,
  insertImport,
  insertLines,
  openStatementAccount,
  rememberMapping,
  type StatementImport,
  type StatementLine,
} from "./statement-store.ts";

export type ImportStatement = {
  /** The name of the account; one that is new is made. */
  readonly account: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** Where it is not to be told by what the file looks like. */
  readonly format?: StatementFormat | null;
  /** Which column of CSV is what; `null` for what was said of the account before, or else what the headings say. */
  readonly mapping?: ColumnMapping | null;
};

const SLICE_LINES = 2000;

/** Reads a file as the account's files are read, and keeps nothing. @throws NodalError `validation_failed`, with line and column */
export async function previewStatement(
  { pool, merchant }: Pick<WriteContext<Merchant>, "pool" | "merchant">,
  { account, bytes, format = null, mapping = null }: Omit<ImportStatement, "fileName">,
): Promise<ReadStatement> {
  if (mapping) requireWholeMapping(mapping);
  const known = await findStatementAccount(pool, merchant, account);
  const key = String(merchant.merchantId);
  return readStatementAside(bytes, { format, mapping, remembered: known?.mapping ?? null, key });
}

/**
 * Takes a statement in, whole or not at all. docs/rules/reconciliation.md#once
 * @throws NodalError `validation_failed`, with line and column
 */
export async function importStatement(
  context: WriteContext<Merchant>,
  input: ImportStatement,
): Promise<StatementImport> {
  const { pool, ids, merchant } = context;
  const statement = await previewStatement(context, input);
  const { bucket, merchantId } = merchant;
  const [accountId, importId] = [await ids.next(), await ids.next()];
  // Its payments may leave over its own accounts and over the installation's.
  const providers = [...(await listProviders({ pool, merchant })), ...(await listProviders({ pool, merchant: null }))];
  const tags = providers.map(({ tag }) => tag);
  const lines = await toLines(context, statement.lines, tags);
  return inTransaction(pool, async (connection) => {
    await lockReconciliation(connection, merchant);
    const now = Temporal.Now.instant();
    const opened = { bucket, merchantId, accountId, name: input.account, mapping: null, createdAt: now };
    const account = await openStatementAccount(connection, opened);
    if (input.mapping) await rememberMapping(connection, account, input.mapping);
    let newCount = 0;
    for (let from = 0; from < lines.length; from += SLICE_LINES) {
      const slice = lines.slice(from, from + SLICE_LINES);
      newCount += await insertLines(
        connection,
        slice.map((line) => ({ ...line, accountId: account.accountId, importId })),
      );
    }
    const made = {
      bucket,
      merchantId,
      importId,
      accountId: account.accountId,
      fileName: input.fileName.slice(0, 200),
      format: statement.format,
      ...periodOf(lines),
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
    });
    await recordEvents(connection, merchant, [{ type: "statement.imported", subjectId: importId, after }], now);
    return made;
  });
}

type NewLine = Omit<StatementLine, "accountId" | "importId">;

/** How each line begins: nothing is known of it. */
const NEW = {
  state: "missing_here",
  matchId: null,
  matchedBy: null,
  aboutId: null,
  difference: null,
  note: null,
} as const;

async function toLines(
  { ids, merchant: { bucket, merchantId } }: WriteContext<Merchant>,
  lines: readonly ReadLine[],
  tags: readonly string[],
): Promise<NewLine[]> {
  const copies = new Map<string, number>();
  const made: NewLine[] = [];
  for (const line of lines) {
    const { bookedOn, side, amountPaise, reference, balancePaise, narration } = line;
    const same = JSON.stringify([bookedOn, side, String(amountPaise), reference, String(balancePaise), narration]);
    const copyNo = (copies.get(same) ?? 0) + 1;
    copies.set(same, copyNo);
    made.push({
      ...line,
      ...NEW,
      bucket,
      merchantId,
      lineId: await ids.next(),
      copyNo,
      keys: keysOfLine(reference, narration).join(" "),
      isCharge: isCharge(narration),
      paymentOf: paymentOf({ bucket, merchantId }, tags, line),
    });
    if (made.length % SLICE_LINES === 0) await nextTurn();
  }
  return made;
}

/** The transfer of this merchant whose id at a provider is in a line. */
function paymentOf(
  { bucket, merchantId }: { readonly bucket: number; readonly merchantId: bigint },
  tags: readonly string[],
  { reference, narration }: ReadLine,
): bigint | null {
  for (const id of paymentIdsIn(reference, narration)) {
    for (const tag of tags) {
      const named = readPaymentId(tag, id);
      if (named?.merchantId === merchantId && named.bucket === bucket) return named.transferId;
    }
  }
  return null;
}

function periodOf(lines: readonly NewLine[]): Pick<StatementImport, "fromOn" | "toOn"> {
  let [fromOn, toOn] = [lines[0]?.bookedOn ?? null, lines[0]?.bookedOn ?? null];
  for (const { bookedOn } of lines) {
    if (Temporal.PlainDate.compare(bookedOn, fromOn!) < 0) fromOn = bookedOn;
    if (Temporal.PlainDate.compare(bookedOn, toOn!) > 0) toOn = bookedOn;
  }
  return { fromOn, toOn };
}
