// Use cases: create, change and decline estimates. Each is tried as the invoice that it may become.
import {
  customersOf,
  financialYearOf,
  findTemplate,
  newCustomerEvents,
  saveOne,
  takeNumbers,
  withoutOwnNumber,
  writeNumber,
  type InTurn,
  type Invoice,
} from "../invoices/index.ts";
import { recordEvents, type NewEvent } from "../ledger/index.ts";
import { runIdempotently, todayOf, type Answered, type Context, type Merchant } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTrial, type Connection } from "../platform/database/pool.ts";
import { fieldRefusal, NodalError } from "../platform/errors.ts";
import type { EstimateRequest } from "./estimate-fields.ts";
import { findEstimate, insertEstimate, updateEstimate } from "./estimate-store.ts";
import {
  estimateChanged,
  estimateCreated,
  estimateNotFound,
  requireOpenEstimate,
  type Estimate,
  type EstimateKey,
} from "./estimate.ts";

export type EstimateContext = Context<Merchant> & {
  /** Waits for the merchant's turn among the saves of this process. */
  readonly inTurn: InTurn;
};

/**
 * Makes an estimate, with its new customer if it names one, and returns its id. It has the next number of its series.
 * docs/rules/estimates.md#numbers
 * @throws NodalError the errors of a new invoice, with fields named `invoice.…`
 */
export async function createEstimate(
  { pool, ids, merchant, idempotency, inTurn }: EstimateContext,
  request: EstimateRequest,
): Promise<Answered<string>> {
  return inTurn(merchant, () =>
    runIdempotently(pool, merchant, idempotency, async (connection) => {
      const { content, events } = await tryOut(connection, ids, merchant, request);
      const { bucket, merchantId } = merchant;
      const template = (await findTemplate(connection, merchant, content.templateId))!;
      const series = template.series.estimate;
      const financialYear = financialYearOf(request.estimateDate);
      const counter = await takeNumbers(connection, merchant, series, financialYear, 1);
      const estimateNumber = writeNumber(series, financialYear, counter);
      if (estimateNumber === null) throw noNumbersLeft();
      const now = Temporal.Now.instant();
      const estimate: Estimate = {
        bucket,
        merchantId,
        estimateId: await ids.next(),
        seriesId: series.seriesId,
        financialYear,
        estimateNumber,
        ...content,
        state: "Open",
        reason: "",
        version: 1,
        invoiceId: null,
        createdAt: now,
        updatedAt: now,
      };
      await insertEstimate(connection, estimate);
      await recordEvents(connection, merchant, [...events, estimateCreated(estimate)]);
      return String(estimate.estimateId);
    }),
  );
}

/** An estimate as the caller read it. */
export type NamedEstimate = Pick<EstimateKey, "estimateId"> & { readonly version: number | null };

/**
 * Replaces an estimate's request; the number doesn't change.
 * @throws NodalError `estimate_not_found`, `estimate_state`, `estimate_changed`, `validation_failed` for a date in another
 * financial year, and as `createEstimate`
 */
export async function changeEstimate(
  { pool, ids, merchant, idempotency, inTurn }: EstimateContext,
  named: NamedEstimate,
  request: EstimateRequest,
): Promise<Answered<string>> {
  return inTurn(merchant, () =>
    runIdempotently(pool, merchant, idempotency, async (connection) => {
      const before = await lockEstimate(connection, merchant, named);
      requireOpenEstimate(before, todayOf(merchant), false);
      if (financialYearOf(request.estimateDate) !== before.financialYear) {
        const problem = `must stay in the financial year of the number ${before.estimateNumber}: make a new estimate.`;
        throw fieldRefusal("validation_failed", "estimate_date", problem);
      }
      const { content, events } = await tryOut(connection, ids, merchant, request);
      const after = { ...before, ...content, ...nextVersion(before) };
      await updateEstimate(connection, after);
      await recordEvents(connection, merchant, [...events, estimateChanged("estimate.changed", before, after)]);
      return String(after.estimateId);
    }),
  );
}

export type DeclineEstimate = NamedEstimate & { readonly reason: string };

/**
 * Declines an estimate for good.
 * @throws NodalError `estimate_not_found`, `estimate_state` or `estimate_changed`
 */
export async function declineEstimate(
  { pool, merchant, idempotency }: Omit<Context<Merchant>, "ids">,
  { reason, ...named }: DeclineEstimate,
): Promise<Answered<string>> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const before = await lockEstimate(connection, merchant, named);
    requireOpenEstimate(before, todayOf(merchant), false);
    const after: Estimate = { ...before, state: "Declined", reason, ...nextVersion(before) };
    await updateEstimate(connection, after);
    await recordEvents(connection, merchant, [estimateChanged("estimate.declined", before, after)]);
    return String(after.estimateId);
  });
}

/**
 * Locks an estimate.
 * @throws NodalError `estimate_not_found`, or `estimate_changed` where somebody changed it since `version`
 */
export async function lockEstimate(
  connection: Connection,
  merchant: Merchant,
  { estimateId, version }: NamedEstimate,
): Promise<Estimate> {
  const estimate = await findEstimate(connection, { ...merchant, estimateId }, true);
  if (!estimate) throw estimateNotFound();
  if (version === null || version === estimate.version) return estimate;
  throw new NodalError(
    "estimate_changed",
    `The estimate ${estimate.estimateNumber} changed after you opened it. Read it again, then make your changes.`,
    { details: { version: String(estimate.version) } },
  );
}

export function nextVersion({ version }: Estimate): Pick<Estimate, "version" | "updatedAt"> {
  return { version: version + 1, updatedAt: Temporal.Now.instant() };
}

type Content = Omit<
  Estimate,
  | keyof EstimateKey
  | ("seriesId" | "financialYear" | "estimateNumber" | "state" | "reason" | "version")
  | ("invoiceId" | "createdAt" | "updatedAt")
>;

/** Creates the invoice of an estimate in a trial, to run all its checks and to get its content. */
async function tryOut(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  request: EstimateRequest,
): Promise<{ readonly content: Content; readonly events: readonly NewEvent[] }> {
  const { templateId, input, invoice, estimateDate, validUntil, dueDays } = request;
  const [customer] = await customersOf({ connection, ids, merchant }, [input], ["invoice"]);
  const { customerId } = customer!;
  const tried = await inTrial(connection, async () => {
    const dates = { billDate: estimateDate, dueDate: estimateDate.add({ days: dueDays }) };
    const invoices = [{ ...input, ...dates, customerCode: null, newCustomer: null, customerId }];
    const save = { merchant, origin: null, templateId, invoices, paths: ["invoice"] };
    return (await saveOne(connection, ids, save)).invoices[0]!;
  });
  return {
    content: { customerId, estimateDate, validUntil, dueDays, invoice, ...contentOf(tried) },
    events: newCustomerEvents([input], [customer!]),
  };
}

function contentOf({ templateId, subTotalPaise, taxTotalPaise, amountPaise, content }: Invoice) {
  const printed = { ...content, headerFields: withoutOwnNumber(content.headerFields) };
  return { templateId, subTotalPaise, taxTotalPaise, amountPaise, content: printed };
}

function noNumbersLeft(): NodalError {
  const message = "The template's series of estimates has no numbers of 16 characters left: use another template.";
  return new NodalError("invoice_number_exists", message);
}
