// Saves of one or several merchants that are written together: looked up, decided one by one, and written with one statement of
// each kind for all. Every new invoice passes through here, by request or by subscription.
import { draftCustomers, holdCodes, writeCustomers, type Customer } from "../../customers/index.ts";
import { findLocks, isLocked, lockedDayError } from "../../books/index.ts";
import { inBookOrder } from "../../ledger/index.ts";
import type { Decided, Merchant, MerchantKey, TransactionContext } from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import { type Connection, together, type Works } from "../../platform/database/pool.ts";
import { fieldsRefusal, NodalError, validationError, type FieldError } from "../../platform/errors.ts";
import { Nonces } from "../../platform/bytes.ts";
import type { Origin } from "../../platform/origin.ts";
import { changeWrites, type BillingRecord, type InvoiceChange } from "../change-store.ts";
import { carryDues } from "../dues/carry-dues.ts";
import { draftInvoice, newInvoice, ownNumberOf, partsOf, billedTo, type Draft } from "./draft.ts";
import {
  findCustomersOf,
  findFranchisesOf,
  newCustomerEvents,
  newCustomersOf,
  pickCustomers,
  refuseFranchises,
  templateNotFound,
  type KnownCustomers,
} from "../invoice-references.ts";
import { seriesNameOf } from "../document-kind.ts";
import { contentToJson } from "../content-codec.ts";
import { insertInvoices, lockDueInvoices, updateStatement } from "../invoice-store.ts";
import { duesOf, type Invoice, type InvoiceInput } from "../invoice.ts";
import { queueNotifications } from "../notification-store.ts";
import { OwnNumbers, refusingTakenNumbers, takeSeriesNumbers, type Numbered } from "./number-invoices.ts";
import { financialYearOf, type NumberSeries } from "../numbers/number-series.ts";
import { findTemplatesOfInvoices, type TemplateChoice, type TemplateOfInvoice } from "../templates/template-store.ts";

/** Secrets of public links. */
const tokens = new Nonces(16);

/** New invoices from one template, saved all or none. */
export type Save = {
  readonly merchant: Merchant;
  /** The actor and address; `null` for the transaction's actor. */
  readonly origin: Origin | null;
  /** `null` for the merchant's default template. */
  readonly templateId: bigint | null;
  readonly invoices: readonly InvoiceInput[];
  /** Their paths in errors. */
  readonly paths: readonly string[];
};

/** The invoices of a save, in its order, and the customer of each. */
export type Saved = { readonly invoices: readonly Invoice[]; readonly customers: readonly Customer[] };

/** The existing objects that the saves of a group refer to. */
type References = {
  readonly templateOf: (save: Save) => TemplateOfInvoice | null;
  readonly franchises: ReadonlySet<string>;
  readonly customers: KnownCustomers;
  /** Of the codes of new customers, those that are taken, by merchant. */
  readonly takenCodes: ReadonlyMap<bigint, ReadonlySet<string>>;
  /** The earlier invoices, locked, whose dues are to be carried. */
  readonly due: readonly Invoice[];
  /** The locked periods of the merchants' books. A period that is locked later refuses the postings. */
  readonly locks: ReadonlyMap<bigint, Temporal.PlainDate>;
};

/** An invoice in progress: its input, references and totals. */
type PreparedInvoice = Numbered & {
  readonly input: InvoiceInput;
  readonly customer: Customer;
  /** The earlier invoices, locked, whose dues are carried to this one. */
  readonly carried: readonly Invoice[];
  readonly draft: Draft;
  /** The series of its number, unless the merchant gave the number. */
  readonly series: NumberSeries;
  readonly invoiceId: bigint;
};

/** A save that passed all checks. */
type PreparedSave = {
  readonly save: Save;
  readonly template: TemplateOfInvoice;
  readonly invoices: readonly PreparedInvoice[];
  readonly newCustomers: readonly Customer[];
};

/** The same with its final invoices, and their contents as JSON. */
type NumberedSave = Saved & { readonly of: PreparedSave; readonly contents: readonly string[] };

/** The results of saves, and the accepted ones. */
type DecidedSaves = Decided<Saved> & { readonly accepted: readonly NumberedSave[] };

/**
 * Decides in the caller's transaction, in order, which saves are accepted, and returns the result of each: numbers of a series are
 * consecutive, and a refused save has changed nothing. A save must not refer to something that another save of the merchant creates
 * (a new customer, an Idempotency-Key). The numbers are taken last, and their counters are locked from then on: the caller sends
 * the `writes` at once, with the commit if it can.
 * @throws NodalError if numbers have run out: the transaction, or its savepoint, must then be rolled back, and a group retried in
 * parts. The same applies if the database refuses a number that another invoice has (`isNumberTaken`).
 */
export async function decideSaves(
  connection: Connection,
  ids: IdSource,
  saves: readonly Save[],
): Promise<DecidedSaves> {
  const found = await lookUp(connection, saves);
  const prepared: (PreparedSave | NodalError)[] = [];
  for (const save of saves) prepared.push(await attempt(() => prepareSave(ids, save, found)));
  const own = await readOwnNumbers(connection, sound(prepared));
  for (const [index, each] of prepared.entries()) {
    if (each instanceof NodalError) continue;
    prepared[index] = await attempt(() => {
      own.get(each.save.merchant.merchantId)!.take(each.invoices);
      return each;
    });
  }
  const accepted = await numberSaves(connection, ids, sound(prepared));
  const writes = accepted.length === 0 ? [] : await writesOf(connection, accepted);
  const numbered = accepted.values();
  const outcomes = prepared.map((each) => (each instanceof NodalError ? each : numbered.next().value!));
  return { outcomes, writes, accepted };
}

/**
 * Saves new invoices in the caller's transaction.
 * @throws NodalError for a refused save; the transaction, or its savepoint, must then be rolled back
 */
export async function saveOne(connection: Connection, ids: IdSource, save: Save): Promise<Saved> {
  const { outcomes, writes, accepted } = await decideSaves(connection, ids, [save]);
  const [saved] = outcomes;
  if (saved instanceof NodalError) throw saved;
  const { of, invoices } = accepted[0]!;
  const numbers = invoices.map(({ invoiceNumber }) => invoiceNumber);
  const write = (): Promise<unknown> => together(connection, ...writes);
  await refusingTakenNumbers(connection, save.merchant, of.invoices, numbers, write);
  return saved!;
}

/**
 * Creates invoices inside the caller's transaction, from one template (`null` for the default one), in the order of their numbers.
 * `paths` are their paths in errors.
 * @throws NodalError as `saveOne` does
 */
export async function billInvoices(
  { connection, ids, merchant }: TransactionContext<Merchant>,
  { templateId, invoices }: Pick<Save, "templateId" | "invoices">,
): Promise<readonly Invoice[]> {
  const paths = invoices.map(() => "invoice");
  return (await saveOne(connection, ids, { merchant, origin: null, templateId, invoices, paths })).invoices;
}

/** The data for checking the own numbers of each merchant's invoices. */
async function readOwnNumbers(
  connection: Connection,
  saves: readonly PreparedSave[],
): Promise<Map<bigint, OwnNumbers>> {
  const ofMerchants = byMerchant(saves, ({ save }) => save.merchant);
  const read = await together(
    connection,
    ...ofMerchants.map(({ merchant, items }) => () => {
      const invoices = items.flatMap((each) => each.invoices);
      return OwnNumbers.read(connection, merchant, invoices);
    }),
  );
  return new Map(ofMerchants.map(({ merchant }, index) => [merchant.merchantId, read[index]!]));
}

/** Groups items by merchant, in the order of the merchants' books. */
function byMerchant<T>(
  things: readonly T[],
  merchantOf: (thing: T) => MerchantKey,
): { readonly merchant: MerchantKey; readonly items: readonly T[] }[] {
  return [...Map.groupBy(things, (thing) => merchantOf(thing).merchantId).values()]
    .map((items) => ({ merchant: merchantOf(items[0]!), items }))
    .sort((one, other) => inBookOrder(one.merchant, other.merchant));
}

function sound(prepared: readonly (PreparedSave | NodalError)[]): PreparedSave[] {
  return prepared.flatMap((each) => (each instanceof NodalError ? [] : [each]));
}

/** A refusal is a result; any other error ends the group. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T | NodalError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NodalError) return error;
    throw error;
  }
}

/** Reads the objects that the saves refer to, with one statement for each kind in use. */
async function lookUp(connection: Connection, saves: readonly Save[]): Promise<References> {
  // Merchants' locks come before all others.
  const takenCodes = await holdNewCodes(connection, saves);
  const wanted = new Map<string, TemplateChoice>();
  const nameOf = ({ merchant: { merchantId }, templateId }: Save): string => `${merchantId} ${templateId}`;
  for (const save of saves) {
    const { bucket, merchantId } = save.merchant;
    wanted.set(nameOf(save), { bucket, merchantId, templateId: save.templateId });
  }
  const [templates, franchises, customers, due, locks] = await together(
    connection,
    () => findTemplatesOfInvoices(connection, [...wanted.values()]),
    () => findFranchisesOf(connection, saves),
    () => findCustomersOf(connection, saves),
    () => lockCarried(connection, saves),
    () => findLocks(connection, merchantsOf(saves)),
  );
  const templatesByName = new Map([...wanted.keys()].map((name, index) => [name, templates[index]!]));
  const templateOf = (save: Save): TemplateOfInvoice => templatesByName.get(nameOf(save))!;
  return { templateOf, franchises, customers, takenCodes, due, locks };
}

function merchantsOf(saves: readonly Save[]): MerchantKey[] {
  return byMerchant(saves, (save) => save.merchant).map(({ merchant }) => merchant);
}

/** Locks the codes of the saves' new customers. Returns those that are taken, by merchant. */
async function holdNewCodes(connection: Connection, saves: readonly Save[]): Promise<Map<bigint, ReadonlySet<string>>> {
  const taken = new Map<bigint, ReadonlySet<string>>();
  for (const { merchant, items } of byMerchant(saves, (save) => save.merchant)) {
    const brought = newCustomersOf(items.flatMap(({ invoices }) => invoices));
    if (brought.length > 0) taken.set(merchant.merchantId, await holdCodes({ connection, merchant }, brought));
  }
  return taken;
}

/** Locks the earlier invoices whose dues are to be carried. */
async function lockCarried(connection: Connection, saves: readonly Save[]): Promise<readonly Invoice[]> {
  const due: Invoice[] = [];
  for (const { merchant, items } of byMerchant(saves, (save) => save.merchant)) {
    const carried = new Set(items.flatMap(({ invoices }) => invoices.flatMap(({ carries }) => carries)));
    if (carried.size > 0) due.push(...(await lockDueInvoices(connection, merchant, [...carried])));
  }
  return due;
}

/** @throws NodalError for a refused save, except for its numbers */
async function prepareSave(ids: IdSource, save: Save, found: References): Promise<PreparedSave> {
  const { merchant, invoices: inputs, paths } = save;
  const template = found.templateOf(save);
  if (!template) throw templateNotFound();
  refuseFranchises(found.franchises, merchant, inputs, paths);
  const takenCodes = found.takenCodes.get(merchant.merchantId) ?? new Set();
  const drafts = { customers: newCustomersOf(inputs), taken: takenCodes };
  const newCustomers = await draftCustomers({ ids, merchant }, drafts);
  const customers = pickCustomers(found.customers, merchant, newCustomers, inputs, paths);
  refuseLocked(found.locks.get(merchant.merchantId) ?? null, inputs, paths);
  const errors: FieldError[] = [];
  const invoices: PreparedInvoice[] = [];
  for (const [index, input] of inputs.entries()) {
    const [of, place] = [
      { save, template, due: found.due },
      { path: paths[index]!, invoiceId: await ids.next() },
    ];
    invoices.push(prepareInvoice(of, input, customers[index]!, place, errors));
  }
  if (errors.length > 0) throw validationError(errors);
  return { save, template, invoices, newCustomers };
}

/** @throws NodalError `period_locked`, naming each date in a locked period */
function refuseLocked(
  lockedUntil: Temporal.PlainDate | null,
  inputs: readonly InvoiceInput[],
  paths: readonly string[],
): void {
  const errors = inputs.flatMap(({ billDate }, index) =>
    isLocked(lockedUntil, billDate!) ? [lockedDayError(`${paths[index]!}.bill_date`, lockedUntil!)] : [],
  );
  if (errors.length > 0) throw fieldsRefusal("period_locked", errors);
}

function prepareInvoice(
  { save, template, due }: Pick<PreparedSave, "save" | "template"> & Pick<References, "due">,
  input: InvoiceInput,
  customer: Customer,
  { path, invoiceId }: Pick<PreparedInvoice, "path" | "invoiceId">,
  errors: FieldError[],
): PreparedInvoice {
  // One customer is never billed for another's dues.
  const carried = due.filter(
    ({ invoiceId, customerId }) => input.carries.includes(invoiceId) && customerId === customer.customerId,
  );
  const sent = partsOf({ merchant: save.merchant, template, ...billedTo(customer) }, input, null);
  const parts = { ...sent, previousDuesPaise: sent.previousDuesPaise + duesOf(carried) };
  const draft = draftInvoice(parts, path, errors);
  const ownNumber = ownNumberOf(parts.headerFields, path, errors);
  const financialYear = financialYearOf(input.billDate!);
  const series = template.series[seriesNameOf(draft.content.kind)];
  return { input, path, customer, carried, draft, series, ownNumber, financialYear, invoiceId };
}

/**
 * Gives accepted saves their numbers. Everything else is done before: the counters are locked from then on, and other servers wait
 * for them.
 */
async function numberSaves(
  connection: Connection,
  ids: IdSource,
  saves: readonly PreparedSave[],
): Promise<NumberedSave[]> {
  await writeNewCustomers(connection, ids, saves);
  await queueNotifications(connection, ids, "invoice", saves.flatMap(owedOf));
  const createdAt = Temporal.Now.instant();
  const drafts = saves.map((of) => {
    const invoices = of.invoices.map((prepared) => toInvoice(of, prepared, createdAt));
    const contents = invoices.map(({ content }) => contentToJson(content));
    return { of, invoices, contents, customers: of.invoices.map(({ customer }) => customer) };
  });
  const numbers = await takeSeriesNumbers(
    connection,
    saves.map(({ save, invoices }) => ({ merchant: save.merchant, invoices })),
  );
  return drafts.map((each, place) => {
    const invoices = each.invoices.map((draft, index) => ({ ...draft, invoiceNumber: numbers[place]![index]! }));
    return { ...each, invoices };
  });
}

async function writeNewCustomers(connection: Connection, ids: IdSource, saves: readonly PreparedSave[]): Promise<void> {
  for (const { merchant, items } of byMerchant(saves, ({ save }) => save.merchant)) {
    const brought = newCustomersOf(items.flatMap(({ save }) => save.invoices));
    const drafted = items.flatMap((each) => each.newCustomers);
    if (brought.length > 0) await writeCustomers({ connection, ids, merchant }, { customers: brought, drafted });
  }
}

/** The messages owed for a save's invoices. */
function owedOf({ save: { merchant }, invoices }: PreparedSave) {
  const { bucket, merchantId } = merchant;
  return invoices
    .filter(({ input }) => input.notify)
    .map(({ invoiceId: subjectId, customer: { customerId } }) => ({ bucket, merchantId, subjectId, customerId }));
}

/** The writes of new invoices, of the earlier ones whose dues they carry, and of the log. */
async function writesOf(connection: Connection, saves: readonly NumberedSave[]): Promise<Works> {
  const moved = saves.map(({ of, invoices }) =>
    of.invoices.flatMap(({ carried }, index) => (carried.length === 0 ? [] : carryDues(carried, invoices[index]!))),
  );
  const earlier = moved.flatMap((changes) => changes.map(({ after }) => after));
  const invoices = saves.flatMap((each) => each.invoices);
  const contents = saves.flatMap((each) => each.contents);
  const statements = [...(earlier.length > 0 ? [updateStatement(earlier)] : []), insertInvoices(invoices, contents)];
  const records = saves.map((numbered, index) => toRecord(numbered, moved[index]!));
  return changeWrites(connection, statements, records);
}

function toRecord({ of, invoices, customers }: NumberedSave, moved: readonly InvoiceChange[]): BillingRecord {
  const { merchant, origin, invoices: inputs } = of.save;
  const created = invoices.map((after): InvoiceChange => {
    return { before: null, after, subject: { kind: "revision", id: after.invoiceId, no: after.revision } };
  });
  const { bucket, merchantId } = merchant;
  const events = newCustomerEvents(inputs, customers);
  return { bucket, merchantId, origin, events, changes: [...moved, ...created] };
}

/** A new invoice without its number. */
function toInvoice(
  { save: { merchant }, template: { templateId } }: PreparedSave,
  { invoiceId, input, customer: { customerId }, carried, draft, series, ownNumber }: PreparedInvoice,
  createdAt: Temporal.Instant,
): Invoice {
  return newInvoice(draft, {
    bucket: merchant.bucket,
    merchantId: merchant.merchantId,
    invoiceId,
    invoiceNumber: "",
    customerId,
    templateId,
    franchiseId: input.franchiseId ?? 0n,
    seriesId: ownNumber === null ? series.seriesId : null,
    cycleName: input.cycleName ?? "",
    billDate: input.billDate!,
    dueDate: input.dueDate!,
    carriedPaise: duesOf(carried),
    publicToken: tokens.next().toString("base64url"),
    createdAt,
  });
}
