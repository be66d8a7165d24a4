// Saves of new invoices. Saves that arrive while their merchant's last group is being written are queued and written together in
// one transaction, which groups of several merchants share. save-group.ts does the writing.
import {
  decideTogether,
  runTogether,
  type Answered,
  type Context,
  type IdempotencyKey,
  type Merchant,
  type MerchantKey,
  todayOf,
} from "../../merchants/index.ts";
import type { Batcher } from "../../platform/batcher.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import { givingWay, inTransaction, inTwoRoundTrips, type Pool } from "../../platform/database/pool.ts";
import type { TenantGroups } from "../../platform/database/tenant.ts";
import { NodalError } from "../../platform/errors.ts";
import type { Origin } from "../../platform/origin.ts";
import { codeOf, newCustomersOf } from "../invoice-references.ts";
import { describeSaved, type SavedInvoice } from "../invoice-wire.ts";
import type { InvoiceInput } from "../invoice.ts";
import { findFreeCounters } from "../numbers/number-counter-store.ts";
import { isNumberTaken } from "./number-invoices.ts";
import { decideSaves, saveOne, type Save, type Saved } from "./save-group.ts";
import { nameOf, sharedWrites } from "../shared-writes.ts";

/**
 * The most invoices, and approximate characters, in one write: it takes some tens of milliseconds, during which the merchants'
 * other writes wait. A larger save is written alone.
 */
const MAX_INVOICES = 128;
const MAX_CHARACTERS = 512 * 1024;
/** A larger save takes long, and only one such runs at a time. */
const HEAVY_CHARACTERS = 128 * 1024;
/** The overhead of a row or a field, besides its texts. */
const CHARACTERS_OF_A_ROW = 100;

/** Runs `work` in the merchant's turn: nothing else in this process numbers its invoices meanwhile. */
export type InTurn = <T>(merchant: MerchantKey, work: () => Promise<T>) => Promise<T>;

type QueuedSave = KeyedSave & { readonly origin: Origin; readonly characters: number };
type Answer = Answered<SavedInvoice[]>;
/** `origin`: the actor and address of the request. */
export type SaveContext = Pick<Context<Merchant>, "merchant" | "idempotency"> & { readonly origin: Origin };

/** The saves of a process: one instance for all routes, or they would wait for each other in the database. */
export class InvoiceSaves {
  readonly #writes: Batcher<QueuedSave, Answer>;

  /** @param heldMs how long a save waits for its merchant's rows if they are locked, in ms */
  constructor(tenants: TenantGroups, ids: IdSource, heldMs: number) {
    this.#writes = sharedWrites<QueuedSave, Answer>({
      tenants,
      heldMs,
      maxBatch: MAX_INVOICES,
      openBatch,
      isHeavy: ({ characters }) => characters > HEAVY_CHARACTERS,
      write: (pool, saves) => saveGroup(pool, ids, saves),
      findFree: findFreeCounters,
    });
  }

  /**
   * Saves a batch of invoices, all or none, together with other waiting ones of the merchant: durable when this resolves. Numbers
   * of a series are given in the order of arrival.
   * @throws NodalError `template_not_found`, `customer_not_found`, `franchise_not_found`, `customer_code_exists`,
   * `validation_failed`, `invoice_number_exists` or `invoice_number_reserved`, with the paths of the fields at fault
   */
  save(context: SaveContext, { templateId, invoices, lines }: SaveRequest): Promise<Answer> {
    const characters = invoices.reduce((sum, invoice) => sum + charactersOf(invoice), 0);
    const paths = invoices.map((_input, index) => `invoice[${index}]`);
    return this.#writes.add({ ...context, templateId, invoices, paths, characters, ...(lines ? { lines } : {}) });
  }

  /** For code that creates invoices in its own transaction. */
  readonly inTurn: InTurn = (merchant, work) => this.#writes.alone(nameOf(merchant), work);
}

/** An estimate of a save's size, and so of how long it holds its locks. */
function charactersOf({ rows, taxRows, headerFields }: InvoiceInput): number {
  const texts = [
    ...(rows ?? []).map(({ item, description }) => item.length + description.length),
    ...(headerFields ?? []).map(({ name, value }) => name.length + value.length),
    ...(taxRows ?? []).map(({ name }) => name.length),
  ];
  return texts.reduce((sum, length) => sum + length + CHARACTERS_OF_A_ROW, 0);
}

/**
 * Groups saves up to a size. A merchant's group ends before a save that refers to something an earlier one creates, or the reverse:
 * that one must see the earlier result.
 */
function openBatch(): (save: QueuedSave) => boolean {
  let invoices = 0;
  let characters = 0;
  const taken = new Map<bigint, Taken>();
  return (save) => {
    const isFull = invoices + save.invoices.length > MAX_INVOICES || characters + save.characters > MAX_CHARACTERS;
    const own = taken.get(save.merchant.merchantId) ?? { keys: new Set(), named: new Set(), brought: new Set() };
    if ((isFull && invoices > 0) || !take(own, save)) return false;
    taken.set(save.merchant.merchantId, own);
    invoices += save.invoices.length;
    characters += save.characters;
    return true;
  };
}

/** The Idempotency-Keys and customer codes that a merchant's saves in a batch create or refer to. */
type Taken = { readonly keys: Set<string>; readonly named: Set<string>; readonly brought: Set<string> };

/** Adds a save, unless it has to wait for an earlier one. */
function take({ keys, named, brought }: Taken, { idempotency, invoices }: QueuedSave): boolean {
  const names = invoices.map(codeOf).filter((code) => code !== null);
  const brings = newCustomersOf(invoices).map(({ customerCode }) => customerCode);
  const isDuplicate = idempotency !== null && keys.has(idempotency.key);
  if (isDuplicate || names.some((code) => brought.has(code))) return false;
  if (brings.some((code) => brought.has(code) || named.has(code))) return false;
  if (idempotency !== null) keys.add(idempotency.key);
  for (const code of names) named.add(code);
  for (const code of brings) brought.add(code);
  return true;
}

/** A save request, all or none: from one template, `null` for the merchant's default one. */
export type SaveRequest = {
  readonly templateId: bigint | null;
  readonly invoices: readonly InvoiceInput[];
  /** The line on which each begins in its file. The answer includes it, to show which lines are saved. */
  readonly lines?: readonly number[];
};

/** A save with its Idempotency-Key, if it has one. */
type KeyedSave = Save & { readonly idempotency: IdempotencyKey | null; readonly lines?: readonly number[] };

/**
 * Saves of one or several merchants that arrived together, with keys unique per merchant, in one transaction of `pool`, each in the
 * name of its own origin. Returns each result; a refused one does not delay or undo the others.
 * @throws the database's refusal of the group, which is then retried in parts, as `decideSaves` says
 */
async function saveGroup(
  pool: Pool,
  ids: IdSource,
  saves: readonly KeyedSave[],
): Promise<readonly (Answered<SavedInvoice[]> | NodalError)[]> {
  try {
    return await givingWay(() => tryGroup(pool, ids, saves));
  } catch (error) {
    const [only, ...others] = saves;
    // Among several, it is unknown which one it is.
    if (others.length > 0 || !isNumberTaken(error)) throw error;
    return inTransaction(pool, (connection) =>
      runTogether(connection, [only!], async () => [describe(await saveOne(connection, ids, only!), only!)]),
    );
  }
}

/** Decides, and sends what is written with the commit: others wait for the numbers until then. */
async function tryGroup(
  pool: Pool,
  ids: IdSource,
  saves: readonly KeyedSave[],
): Promise<readonly (Answered<SavedInvoice[]> | NodalError)[]> {
  const { outcomes } = await inTwoRoundTrips(
    pool,
    (connection) =>
      decideTogether(connection, saves, async (fresh) => {
        const { outcomes: saved, writes } = await decideSaves(connection, ids, fresh);
        const described = saved.map((each, index) =>
          each instanceof NodalError ? each : describe(each, fresh[index]!),
        );
        return { outcomes: described, writes };
      }),
    (_connection, { writes }) => writes,
  );
  return outcomes;
}

function describe({ invoices, customers }: Saved, { lines, merchant }: KeyedSave): SavedInvoice[] {
  const today = todayOf(merchant);
  return invoices.map((invoice, index) => {
    const saved = describeSaved(invoice, customers[index]!, today);
    return lines ? { ...saved, line: lines[index]! } : saved;
  });
}
