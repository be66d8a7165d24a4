// What a merchant sends of an invoice, once the wire has been read.
// What belongs here: the type that the use cases of saving and updating share.
import type { NewCustomer } from "../customers/index.ts";
import type { CustomField } from "./invoice.ts";
import type { Row, TaxRow } from "./totals.ts";

/** `null` where it is not sent. */
export type InvoiceInput = {
  readonly customerCode: string | null;
  readonly newCustomer: NewCustomer | null;
  /** A customer that is known already: no code is looked at then. */
  readonly customerId: bigint | null;
  readonly cycleName: string | null;
  readonly billDate: Temporal.PlainDate | null;
  readonly dueDate: Temporal.PlainDate | null;
  readonly notify: boolean;
  readonly headerFields: readonly CustomField[] | null;
  /** Whether a number in the header fields is of another invoice, so that this one takes the series'. */
  readonly takesSeriesNumber: boolean;
  readonly rows: readonly Row[] | null;
  readonly taxRows: readonly TaxRow[] | null;
  readonly franchiseId: bigint | null;
  readonly previousDuesPaise: bigint | null;
  /** Earlier invoices: what is still due on them moves onto this one. */
  readonly carries: readonly bigint[];
};
