// Batches of an uploaded file: which of its invoices are saved already, and saving further ones.
// A batch is known by the file and its place in it. What a file says never changes, but what of it can be saved does: a
// customer that there was not is there the next time. So what is asked under a batch's key is what the file says, whoever of
// its customers there is by then, and its answer says which lines were saved. Lines of it that can be saved only later go
// under its next key, so that the keys of a batch follow one another, and two uploads of further lines meet in one key.
import { findCustomersByCode, type CustomerDetails } from "../../customers/index.ts";
import { readAnswers, refuseUnlessAnswered, type Answered, type Merchant } from "../../merchants/index.ts";
import type { Connection, Pool, Queryable } from "../../platform/database/pool.ts";
import { NodalError, validationError, type FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import { newCustomersOf } from "../invoice-references.ts";
import type { SavedInvoice } from "../invoice-wire.ts";
import type { InvoiceInput } from "../invoice.ts";
import { asSaid, contradictionOf, contradictions } from "./said-customers.ts";
import type { InvoiceSaves, SaveContext, SaveRequest } from "./invoice-saves.ts";

/** What was saved of a batch, and the key for what was not. */
export type SavedBatch = {
  readonly key: string;
  readonly saved: readonly SavedInvoice[];
  /** By the lines where they begin. */
  readonly byLine: ReadonlyMap<number, SavedInvoice>;
  /** Some were saved without saying which: any of its lines may be among them. */
  readonly isUnclear: boolean;
};

/** What was saved of each of these batches, in their order. `names` are their first keys. */
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

/** Another request may make the same customer at the same time; a third time is no accident. */
const MAX_ATTEMPTS = 3;

export type SaveUpload = SaveRequest & { readonly lines: readonly number[] };

/**
 * Saves invoices of a file, all or none. A new customer that exists by now is billed as saved, unless the file contradicts
 * it. `check` sees the invoices as they will be saved, and throws where they may not be.
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
      // Refused, it has saved nothing. The customer is found the next time.
      const isMadeMeanwhile = error instanceof NodalError && error.code === "customer_code_exists";
      if (!isMadeMeanwhile || tries === MAX_ATTEMPTS) throw error;
    }
  }
}

/**
 * Invoices with existing customers in place of new ones with their codes. Of several with one code, the first creates it.
 * A new customer that contradicts the one that is billed goes to `errors`.
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
    for (const column of contradictions(asSaid(sent), asSaid(customer))) {
      const field = `${sent.path}.${column === "gstin" ? "custom_fields" : column}`;
      fail(errors, field, "invalid", contradictionOf(column, asSaid(sent), asSaid(customer), sent.customerCode));
    }
    return { ...input, newCustomer: null, customerCode: sent.customerCode };
  });
}
