// Saves of one merchant that are written together: looked up, decided one by one, and written with a statement for all.
// What belongs here: the order of the work. Every new invoice comes through here, by request or by subscription.
import { randomBytes } from "node:crypto";
import { draftCustomers, holdCodes, writeCustomers, type Customer } from "../customers/index.ts";
import { recordEvents, type Happening } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { actInTurn } from "../platform/database/acting-pool.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { together } from "../platform/database/together.ts";
import { NodalError, validationError, type FieldError } from "../platform/errors.ts";
import type { Origin } from "../platform/origin.ts";
import { carryDues, duesOf, type InvoiceChange } from "./carry-dues.ts";
import { draftInvoice, ownNumberOf, recipientOf, supplierOf, type Draft } from "./draft.ts";
import { headerFieldsOf } from "./header-field.ts";
import { createdEvent, statusEvents } from "./invoice-events.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import {
  findCustomersOf,
  findFranchisesOf,
  newCustomerEvents,
  newCustomersOf,
  pickCustomers,
  refuseFranchises,
  templateNotFound,
  type KnownCustomers,
} from "./invoice-references.ts";
import { insertInvoices, lockDueInvoices } from "./invoice-store.ts";
import { statusOf, type Invoice } from "./invoice.ts";
import { queueNotifications } from "./notification-store.ts";
import { OwnNumbers, refusingTakenNumbers, takeSeriesNumbers, type Numbered } from "./number-invoices.ts";
import { financialYearOf } from "./number-series.ts";
import type { Template } from "./template.ts";
import { findTemplate } from "./template-store.ts";

/** New invoices from one template that are saved all or none. */
export type Save = {
  readonly merchant: Merchant;
  /** Who saves them, from where; `null` for whoever acts in the transaction, for all of a group. */
  readonly origin: Origin | null;
  /** `null` for the merchant's default template. */
  readonly templateId: bigint | null;
  readonly invoices: readonly InvoiceInput[];
  /** What errors call them. */
  readonly paths: readonly string[];
};

/** The invoices of a save, in its order, and the customer of each. */
export type Saved = { readonly invoices: readonly Invoice[]; readonly customers: readonly Customer[] };

/** What the saves of a group refer to, as far as there is it. */
type References = {
  readonly templates: ReadonlyMap<bigint | null, Template | null>;
  readonly franchises: ReadonlySet<bigint>;
  readonly customers: KnownCustomers;
  /** Of the codes of new customers, those that are taken. */
  readonly takenCodes: ReadonlySet<string>;
  /** The earlier invoices, held, whose dues are to move. */
  readonly due: readonly Invoice[];
};

/** An invoice on its way: what was sent, what it refers to, and what it comes to. */
type PreparedInvoice = Numbered & {
  readonly input: InvoiceInput;
  readonly customer: Customer;
  /** The earlier invoices, held, whose dues move onto this one. */
  readonly carried: readonly Invoice[];
  readonly draft: Draft;
};

/** A save that nothing speaks against. */
type PreparedSave = {
  readonly save: Save;
  readonly template: Template;
  readonly invoices: readonly PreparedInvoice[];
  readonly newCustomers: readonly Customer[];
};

/**
 * Saves in the caller's transaction, in order, what may be saved, and answers for each what became of it: numbers of a
 * series follow each other, and a save that is refused has changed nothing. All are of one merchant; what one brings
 * (a new customer, an Idempotency-Key) no other one may name. `acting` is in whose name the transaction began.
 * @throws NodalError where numbers turn out to be taken only as they are written, or have run out: the transaction, or
 * its savepoint, must be rolled back then, and a group is to be tried in parts
 */
export async function saveTogether(
  connection: Connection,
  ids: IdSource,
  saves: readonly Save[],
  acting: Origin | null = null,
): Promise<(Saved | NodalError)[]> {
  const found = await lookUp(connection, saves);
  const prepared: (PreparedSave | NodalError)[] = [];
  for (const save of saves) prepared.push(await attempt(() => prepareSave(ids, save, found)));
  const own = await OwnNumbers.read(
    connection,
    saves[0]!.merchant,
    sound(prepared).flatMap(({ invoices }) => invoices),
  );
  for (const [index, each] of prepared.entries()) {
    if (each instanceof NodalError) continue;
    prepared[index] = await attempt(() => {
      own.take(each.invoices);
      return each;
    });
  }
  const accepted = sound(prepared);
  const written = accepted.length === 0 ? [] : await writeSaves(connection, ids, accepted, acting);
  return prepared.map((each) => (each instanceof NodalError ? each : written.shift()!));
}

function sound(prepared: readonly (PreparedSave | NodalError)[]): PreparedSave[] {
  return prepared.flatMap((each) => (each instanceof NodalError ? [] : [each]));
}

/** A refusal is an answer; whatever else goes wrong ends the group. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T | NodalError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NodalError) return error;
    throw error;
  }
}

/** Reads what the saves refer to, with one statement for each kind of thing that any of them names. */
async function lookUp(connection: Connection, saves: readonly Save[]): Promise<References> {
  const { merchant } = saves[0]!;
  const inputs = saves.flatMap(({ invoices }) => invoices);
  const templateIds = [...new Set(saves.map(({ templateId }) => templateId))];
  const brought = newCustomersOf(inputs);
  const carried = [...new Set(inputs.flatMap(({ carries }) => carries))];
  // The merchant's lock comes before all others.
  const takenCodes = brought.length === 0 ? new Set<string>() : await holdCodes(connection, merchant, brought);
  const [templates, franchises, customers, due] = await together(
    connection,
    () =>
      together(connection, ...templateIds.map((templateId) => () => findTemplate(connection, merchant, templateId))),
    () => findFranchisesOf(connection, merchant, inputs),
    () => findCustomersOf(connection, merchant, inputs),
    async () => (carried.length === 0 ? [] : lockDueInvoices(connection, merchant, carried)),
  );
  return {
    templates: new Map(templateIds.map((templateId, index) => [templateId, templates[index]!])),
    franchises,
    customers,
    takenCodes,
    due,
  };
}

/** @throws NodalError for what speaks against the save, but for its numbers */
async function prepareSave(ids: IdSource, save: Save, found: References): Promise<PreparedSave> {
  const { merchant, invoices: inputs, paths } = save;
  const template = found.templates.get(save.templateId);
  if (!template) throw templateNotFound();
  refuseFranchises(found.franchises, inputs, paths);
  const newCustomers = await draftCustomers(ids, merchant, newCustomersOf(inputs), found.takenCodes);
  const customers = pickCustomers(found.customers, newCustomers, inputs, paths);
  const errors: FieldError[] = [];
  const invoices = inputs.map((input, index) =>
    prepareInvoice({ save, template, due: found.due }, input, customers[index]!, paths[index]!, errors),
  );
  if (errors.length > 0) throw validationError(errors);
  return { save, template, invoices, newCustomers };
}

function prepareInvoice(
  { save, template, due }: { readonly save: Save; readonly template: Template; readonly due: readonly Invoice[] },
  input: InvoiceInput,
  customer: Customer,
  path: string,
  errors: FieldError[],
): PreparedInvoice {
  // Nobody is billed for what another customer owes.
  const carried = due.filter(
    ({ invoiceId, customerId }) => input.carries.includes(invoiceId) && customerId === customer.customerId,
  );
  const headerFields = headerFieldsOf(template.headerFields, input, null);
  const draft = draftInvoice(
    {
      supplier: supplierOf(save.merchant, template.company),
      recipient: recipientOf(customer),
      customerCode: customer.customerCode,
      headerFields,
      rows: input.rows ?? [],
      taxRows: input.taxRows ?? [],
      previousDuesPaise: (input.previousDuesPaise ?? 0n) + duesOf(carried),
      billDate: input.billDate!,
      dueDate: input.dueDate!,
    },
    path,
    errors,
  );
  const ownNumber = ownNumberOf(headerFields, path, errors);
  return { input, path, customer, carried, draft, ownNumber, financialYear: financialYearOf(input.billDate!) };
}

/** Numbers and writes saves that were accepted, with what goes with them. */
async function writeSaves(
  connection: Connection,
  ids: IdSource,
  saves: readonly PreparedSave[],
  acting: Origin | null,
): Promise<Saved[]> {
  const { merchant } = saves[0]!.save;
  const brought = saves.flatMap(({ save }) => newCustomersOf(save.invoices));
  const newCustomers = saves.flatMap((each) => each.newCustomers);
  if (brought.length > 0) await writeCustomers(connection, ids, merchant, brought, newCustomers);
  const numberings = saves.map(({ template, invoices }) => ({ series: template.series, invoices }));
  const numbers = await takeSeriesNumbers(connection, merchant, numberings);
  const createdAt = Temporal.Now.instant();
  const written: WrittenSave[] = [];
  for (const [place, each] of saves.entries()) {
    const invoices: Invoice[] = [];
    for (const [index, prepared] of each.invoices.entries()) {
      const naming = { invoiceId: await ids.next(), invoiceNumber: numbers[place]![index]!, createdAt };
      invoices.push(toInvoice(merchant, each.template, prepared, naming));
    }
    written.push({ of: each, invoices, customers: each.invoices.map(({ customer }) => customer) });
  }
  const all = written.flatMap(({ invoices }) => invoices);
  await refusingTakenNumbers(
    connection,
    merchant,
    saves.flatMap(({ invoices }) => invoices),
    numbers.flat(),
    () => insertInvoices(connection, all),
    () => followUp(connection, ids, written, acting),
  );
  return written;
}

type WrittenSave = Saved & { readonly of: PreparedSave };

/** What new invoices bring about: dues that move onto them, messages that are owed, and what the log says, in that order. */
async function followUp(
  connection: Connection,
  ids: IdSource,
  saves: readonly WrittenSave[],
  acting: Origin | null,
): Promise<void> {
  const { merchant } = saves[0]!.of.save;
  const pairs = saves.flatMap(({ of, invoices }) =>
    of.invoices.map((each, index) => ({ each, invoice: invoices[index]! })),
  );
  const carriers = pairs.filter(({ each }) => each.carried.length > 0);
  const moved =
    carriers.length === 0
      ? []
      : await carryDues(
          connection,
          carriers.map(({ each, invoice }) => ({ earlier: each.carried, later: invoice })),
        );
  const owed = pairs
    .filter(({ each }) => each.input.notify)
    .map(({ invoice }) => ({ subjectId: invoice.invoiceId, customerId: invoice.customerId }));
  if (owed.length > 0) await queueNotifications(connection, ids, merchant, "invoice", owed);
  await recordSaves(connection, saves, moved, acting);
}

/** Records each save in the name of who made it, in order: with one statement those of one origin that follow each other. */
async function recordSaves(
  connection: Connection,
  saves: readonly WrittenSave[],
  moved: readonly InvoiceChange[],
  acting: Origin | null,
): Promise<void> {
  const { merchant } = saves[0]!.of.save;
  const runs: { readonly origin: Origin | null; readonly happenings: Happening[] }[] = [];
  for (const written of saves) {
    const { origin } = written.of.save;
    const last = runs.at(-1);
    const run = last && isSameOrigin(last.origin, origin) ? last : { origin, happenings: [] };
    if (run !== last) runs.push(run);
    run.happenings.push(...happeningsOf(written, moved));
  }
  let current = acting;
  for (const { origin, happenings } of runs) {
    if (origin !== null && !isSameOrigin(origin, current)) await actInTurn(connection, origin);
    current = origin;
    await recordEvents(connection, merchant, happenings);
  }
}

function isSameOrigin(one: Origin | null, other: Origin | null): boolean {
  return one?.actor === other?.actor && one?.address === other?.address && one?.mayMoveMoney === other?.mayMoveMoney;
}

function happeningsOf({ of, invoices, customers }: WrittenSave, moved: readonly InvoiceChange[]): Happening[] {
  const ids = new Set(invoices.map(({ invoiceId }) => invoiceId));
  return [
    ...newCustomerEvents(of.save.invoices, customers),
    ...moved.filter(({ subjectId }) => ids.has(subjectId)).flatMap(({ before, after }) => statusEvents(before, after)),
    ...invoices.map(createdEvent),
  ];
}

function toInvoice(
  { bucket, merchantId }: Merchant,
  { templateId, series }: Template,
  { input, customer, carried, draft, ownNumber, financialYear }: PreparedInvoice,
  naming: Pick<Invoice, "invoiceId" | "invoiceNumber" | "createdAt">,
): Invoice {
  const amounts = {
    subTotalPaise: draft.subTotalPaise,
    taxTotalPaise: draft.taxTotalPaise,
    previousDuesPaise: draft.previousDuesPaise,
    amountPaise: draft.amountPaise,
    paidPaise: 0n,
    creditedPaise: 0n,
    carriedTo: null,
  };
  return {
    ...amounts,
    ...naming,
    bucket,
    merchantId,
    customerId: customer.customerId,
    templateId,
    franchiseId: input.franchiseId ?? 0n,
    seriesId: ownNumber === null ? series.seriesId : null,
    financialYear,
    cycleName: input.cycleName ?? "",
    billDate: input.billDate!,
    dueDate: input.dueDate!,
    sentAt: null,
    sentDate: null,
    paidDate: null,
    status: statusOf(amounts),
    carriedPaise: duesOf(carried),
    carriedDuePaise: 0n,
    content: draft.content,
    publicToken: randomBytes(16).toString("base64url"),
    revision: 1,
  };
}
