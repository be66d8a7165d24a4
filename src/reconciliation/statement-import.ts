// An account whose statements are imported, and an import: types.
import type { MerchantKey } from "../merchants/index.ts";
import type { ColumnMapping, DateOrder } from "./reading/statement.ts";

/** An account whose statements are imported. */
export type StatementAccount = MerchantKey & {
  readonly accountId: bigint;
  readonly name: string;
  /** Of CSV: which column is what, as somebody has said. */
  readonly mapping: ColumnMapping | null;
  /** Of CSV: the order of its dates, once a file or somebody has told it. */
  readonly dateOrder: DateOrder | null;
  readonly createdAt: Temporal.Instant;
};

export type StatementImport = MerchantKey & {
  readonly importId: bigint;
  readonly accountId: bigint;
  readonly fileName: string;
  readonly format: string;
  /** What the file's table looks like: files of one layout write the same line in the same way. */
  readonly layout: string;
  readonly fromOn: Temporal.PlainDate | null;
  readonly toOn: Temporal.PlainDate | null;
  readonly openingPaise: bigint | null;
  readonly closingPaise: bigint | null;
  readonly lineCount: number;
  readonly newCount: number;
  readonly importedAt: Temporal.Instant;
};
