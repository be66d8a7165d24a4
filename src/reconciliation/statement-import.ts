// An account whose statements are imported, and an import: types.
import type { MerchantKey } from "../merchants/index.ts";
import type { ColumnMapping, DateOrder } from "./reading/statement.ts";

/** An account whose statements are imported. */
export type StatementAccount = MerchantKey & {
  readonly accountId: bigint;
  readonly name: string;
  /** CSV only: the roles of columns, as a person has set them. */
  readonly mapping: ColumnMapping | null;
  /** CSV only: the order of dates, once a file or a person has set it. */
  readonly dateOrder: DateOrder | null;
  readonly createdAt: Temporal.Instant;
};

export type StatementImport = MerchantKey & {
  readonly importId: bigint;
  readonly accountId: bigint;
  readonly fileName: string;
  readonly format: string;
  /** The layout of the file's table: files of one layout write the same line in the same way. */
  readonly layout: string;
  readonly fromOn: Temporal.PlainDate | null;
  readonly toOn: Temporal.PlainDate | null;
  readonly openingPaise: bigint | null;
  readonly closingPaise: bigint | null;
  readonly lineCount: number;
  readonly newCount: number;
  readonly importedAt: Temporal.Instant;
};
