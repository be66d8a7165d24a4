// Proofs that the server wrote the rows of reconciliation: keyed hashes over the columns that affect amounts of money.
import type { MerchantKey } from "../merchants/index.ts";
import { isSame } from "../platform/bytes.ts";
import type { Secrets } from "../platform/secrets/index.ts";
import type { Item } from "./match-lines.ts";
import type { ReadLine } from "./reading/statement.ts";
import type { StatementAccount, StatementImport } from "./statement-import.ts";

/** The proved columns of a line. */
export type ProvedLine = MerchantKey &
  Pick<ReadLine, "fileLine" | "bookedOn" | "side" | "amountPaise" | "reference" | "balancePaise"> & {
    readonly lineId: bigint;
    readonly accountId: bigint;
    readonly importId: bigint;
    readonly narration: string | null;
    readonly otherDays: string;
    readonly copyNo: number;
    readonly keys: string;
    readonly paymentOf: bigint | null;
    readonly isCharge: boolean;
    readonly duplicateOf: bigint | null;
  };

/**
 * The proof of a line: its content in the file, the values read from it, and which line it may repeat. Its match is not included,
 * since that changes later.
 */
export function proveLine(secrets: Secrets, line: ProvedLine): Buffer {
  const { bucket, merchantId, lineId, accountId, importId, fileLine, bookedOn, side, amountPaise, reference } = line;
  const { narration, otherDays, balancePaise, copyNo, keys, paymentOf, isCharge, duplicateOf } = line;
  const ids = [bucket, merchantId, lineId, accountId, importId, fileLine, copyNo, paymentOf, duplicateOf];
  const said = [bookedOn, side, amountPaise, reference, narration, balancePaise, keys, isCharge, otherDays];
  return secrets.mac("statement_line.proof", textsOf([...ids, ...said]));
}

/** The proof of an import: everything except its time. */
export function proveImport(secrets: Secrets, made: StatementImport): Buffer {
  const { bucket, merchantId, importId, accountId, fileName, format, layout, fromOn, toOn, openingPaise } = made;
  const { closingPaise, lineCount, newCount } = made;
  const file = [fileName, format, layout, fromOn, toOn, openingPaise, closingPaise, lineCount, newCount];
  return secrets.mac("statement_import.proof", textsOf([bucket, merchantId, importId, accountId, ...file]));
}

/** The proof of an account: its name, and the settings for reading its files. */
export function proveAccount(secrets: Secrets, account: StatementAccount): Buffer {
  const { bucket, merchantId, accountId, name, mapping, dateOrder } = account;
  // The database reorders the members of an object.
  const columns = Object.entries(mapping ?? {})
    .map(([column, heading]) => `${column} ${JSON.stringify(heading)}`)
    .toSorted();
  const said = [bucket, merchantId, accountId, name, dateOrder, mapping !== null, ...columns];
  return secrets.mac("statement_account.proof", textsOf(said));
}

/** The proof of an item: its day and its references. Its amount follows from the journal. */
export function proveItem(
  secrets: Secrets,
  item: MerchantKey & Pick<Item, "subjectId" | "kind" | "postedOn" | "utrKey" | "referenceKey">,
): Buffer {
  const { bucket, merchantId, subjectId, kind, postedOn, utrKey, referenceKey } = item;
  const said = [bucket, merchantId, subjectId, kind, postedOn, utrKey, referenceKey];
  return secrets.mac("clearing_item.proof", textsOf(said));
}

/** Whether an item is as the server wrote it, except for its amount. */
export function isProvedItem(
  secrets: Secrets,
  { proof, ...item }: Parameters<typeof proveItem>[1] & { readonly proof: Uint8Array | null },
): boolean {
  return proof !== null && isSame(Buffer.from(proof), proveItem(secrets, item));
}

function textsOf(values: readonly (bigint | number | boolean | string | Temporal.PlainDate | null)[]): string[] {
  return values.map((value) => (value === null ? "" : String(value)));
}
