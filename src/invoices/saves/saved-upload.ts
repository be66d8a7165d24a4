// Batches of an uploaded file: which of its invoices are saved already, and saving further ones. A batch is identified by the file
// and its place in it. A file never changes, but its valid invoices do: an unknown customer may exist the next time. So a batch's
// key covers the file's content, whichever customers exist by then, and the answer says which lines were saved. Lines that become
// valid later use the batch's next key, so that a batch's keys are consecutive, and two uploads of further lines compete for one
// key.
import { findCustomersByCode, type CustomerDetails } from "../../customers/index.ts";
import { readAnswers, refuseUnlessAnswered, type Answered, type Merchant } from "../../merchants/index.ts";
import type { Connection, Pool, Queryable } from "../../platform/database/pool.ts";
import { NodalError, validationError, type FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import { newCustomersOf } from "../invoice-references.ts";
import type { SavedInvoice } from "../invoice-wire.ts";
import type { InvoiceInput } from "../invoice.ts";
import { columnsOfCustomer, contradictionOf, contradictions } from "./customers-in-files.ts";
import type { InvoiceSaves, SaveContext, SaveRequest } from "./invoice-saves.ts";

/** The saved part of a batch, and the key for the rest. */
export type SavedBatch = {
  readonly key: string;
  readonly saved: readonly SavedInvoice[];
  /** By their first lines. */
  readonly byLine: ReadonlyMap<number, SavedInvoice>;
  /** Some were saved without a list of them: any of its lines may be among them. */
  readonly isUnclear: boolean;
};

/** The saved part of each of these batches, in order. `names` are their first keys. */
export async function readSavedBatches(
  connection: Connection,
  merchant: Merchant,
  names: readonly string[],
): Promise<SavedBatch[]> {
  const found = names.map((name) => ({ name, key: name, saved: [] as SavedInvoice[] }));
  let open = found;
  for (let round = 1; open.length > 0; round++) {
    const answers = await readAnswers(
      connection,
      merchant,
      open.map(({ key }) => key),
    );
    open = open.filter((batch) => {
      const answer = answers.get(batch.key) as SavedInvoice[] | null | undefined;
      if (answer === undefined) return false;
      batch.saved.push(...(answer ?? []));
      batch.key = `${batch.name}-${round}`;
      return true;
    });
  }
  return found.map(({ key, saved }) => ({
    key,
    saved,
    byLine: new Map(saved.flatMap((each) => (each.line === undefined ? [] : [[each.line, each] as const]))),
    isUnclear: saved.some(({ line }) => line === undefined),
  }));
}

/** A concurrent request may create the same customer; a third time is no coincidence. */
const MAX_ATTEMPTS = 3;

export type SaveUpload = SaveRequest & { readonly lines: readonly number[] };

/**
 * Saves invoices of a file, all or none. A new customer that exists by now is billed as saved, unless the file contradicts it.
 * `check` gets the invoices as they will be saved, and throws to refuse them.
 * @throws NodalError `validation_failed` for a contradiction, or as `InvoiceSaves.save` does
 */
export async function saveUpload(
  { db, saves, ...context }: SaveContext & { readonly db: Pool; readonly saves: InvoiceSaves },
  request: SaveUpload,
  check: (input: InvoiceInput) => void,
): Promise<Answered<SavedInvoice[]>> {
  for (let tries = 1; ; tries++) {
    const errors: FieldError[] = [];
    const invoices = await withKnownCustomers(db, context.merchant, request.invoices, errors);
    if (errors.length > 0) return refuseUnlessAnswered({ pool: db, ...context }, validationError(errors));
    for (const invoice of invoices) check(invoice);
    try {
      return await saves.save(context, { ...request, invoices });
    } catch (error) {
      // A refusal has saved nothing. The next attempt finds the customer.
      const existsByNow = error instanceof NodalError && error.code === "customer_code_exists";
      if (!existsByNow || tries === MAX_ATTEMPTS) throw error;
    }
  }
}

/**
 * Replaces new customers by existing ones with the same codes. Of several with one code, the first creates it. Adds an error for a
 * new customer that contradicts the billed one.
 */
async function withKnownCustomers(
  db: Queryable,
  merchant: Merchant,
  inputs: readonly InvoiceInput[],
  errors: FieldError[],
): Promise<InvoiceInput[]> {
  const codes = new Set(newCustomersOf(inputs).map(({ customerCode }) => customerCode));
  const known = codes.size === 0 ? [] : await findCustomersByCode(db, merchant, [...codes]);
  const billed = new Map<string, CustomerDetails>(known);
  return inputs.map((input) => {
    const sent = input.newCustomer;
    if (sent === null) return input;
    const customer = billed.get(sent.customerCode);
    if (customer === undefined) {
      billed.set(sent.customerCode, sent);
      return input;
    }
    for (const column of contradictions(columnsOfCustomer(sent), columnsOfCustomer(customer))) {
      const field = `${sent.path}.${column === "gstin" ? "custom_fields" : column}`;
      fail(
        errors,
        field,
        "invalid",
        contradictionOf(column, columnsOfCustomer(sent), columnsOfCustomer(customer), sent.customerCode),
      );
    }
    return { ...input, newCustomer: null, customerCode: sent.customerCode };
  });
}
