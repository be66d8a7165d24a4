// Saves of new invoices. Those that arrive while another one of their merchant is being written wait here and go together in
// one transaction, which groups of several merchants share. What a save makes is in save-group.ts.
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
 * What is written at once has at most so many invoices, and about so many characters of them: it takes some tens of
 * milliseconds, for which whatever else writes for the merchants waits. A save that is larger goes by itself.
 */
const MAX_INVOICES = 128;
const MAX_CHARACTERS = 512 * 1024;
/** A save of more than this takes long, and is written beside no other such one. */
const HEAVY_CHARACTERS = 128 * 1024;
/** Of a row or a field, beside its texts. */
const CHARACTERS_OF_A_ROW = 100;

/** Runs `work` when it is the merchant's turn: nothing else of this process numbers invoices for it meanwhile. */
export type InTurn = <T>(merchant: MerchantKey, work: () => Promise<T>) => Promise<T>;

type QueuedSave = KeyedSave & { readonly origin: Origin; readonly characters: number };
type Answer = Answered<SavedInvoice[]>;
/** `origin` is who saves, from where. */
export type SaveContext = Pick<Context<Merchant>, "merchant" | "idempotency"> & { readonly origin: Origin };

/** The saves of a process: one for all entrances, or they would wait for each other in the database. */
export class InvoiceSaves {
  readonly #writes: Batcher<QueuedSave, Answer>;

  /** @param heldMs how long a save waits for rows of its merchant that something else has locked, in ms */
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
   * Saves a batch of invoices, all or none, together with what else of the merchant waits: durable when this resolves.
   * Numbers of a series are given in the order of arrival.
   * @throws NodalError `template_not_found`, `customer_not_found`, `franchise_not_found`, `customer_code_exists`,
   * `validation_failed`, `invoice_number_exists` or `invoice_number_reserved`, with the key paths of what is at fault
   */
  save(context: SaveContext, { templateId, invoices, lines }: SaveRequest): Promise<Answer> {
    const characters = invoices.reduce((sum, invoice) => sum + charactersOf(invoice), 0);
    const paths = invoices.map((_input, index) => `invoice[${index}]`);
    return this.#writes.add({ ...context, templateId, invoices, paths, characters, ...(lines ? { lines } : {}) });
  }

  /** For what makes invoices in a transaction of its own. */
  readonly inTurn: InTurn = (merchant, work) => this.#writes.alone(nameOf(merchant), work);
}

/** About how much there is to write, and how long it holds what it locks. */
function charactersOf({ rows, taxRows, headerFields }: InvoiceInput): number {
  const texts = [
    ...(rows ?? []).map(({ item, description }) => item.length + description.length),
    ...(headerFields ?? []).map(({ name, value }) => name.length + value.length),
    ...(taxRows ?? []).map(({ name }) => name.length),
  ];
  return texts.reduce((sum, length) => sum + length + CHARACTERS_OF_A_ROW, 0);
}

/**
 * Saves go together until there is enough, and those of one merchant no further than to one that names what an earlier one
 * brings, or the other way round: that one finds how it ended.
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

/** What the saves of a merchant in a batch have and name: Idempotency-Keys, and codes of customers. */
type Taken = { readonly keys: Set<string>; readonly named: Set<string>; readonly brought: Set<string> };

/** Adds a save, unless it has to wait for one of those before it. */
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

/** What a request asks to be saved, all or none: from one template, `null` for the merchant's default one. */
export type SaveRequest = {
  readonly templateId: bigint | null;
  readonly invoices: readonly InvoiceInput[];
  /** Where each begins in the file that they come from. The answer says it, so that it is known which lines are saved. */
  readonly lines?: readonly number[];
};

/** A save with its Idempotency-Key, where it has one. */
type KeyedSave = Save & { readonly idempotency: IdempotencyKey | null; readonly lines?: readonly number[] };

/**
 * Saves of one or several merchants that arrived together, no two of a merchant with the same key, in one transaction of
 * `pool`, each in the name of its own origin. Returns for each what became of it; one that is refused does not hold up or
 * undo the others.
 * @throws what the database refuses the group for, which is to be tried in parts, as `decideSaves` says
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
    // Of several, nobody can tell which one it is.
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
