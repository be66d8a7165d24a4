// Saves that arrive while another one of their merchant is being written: they wait here and go together in one transaction.
// What belongs here: what may go together, how much of it, and whose turn it is. Writing is in save-invoices.ts.
import type { Answered, IdempotencyKey, Merchant, MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import { writeBatch } from "../platform/group-commit.ts";
import { GroupQueue } from "../platform/group-queue.ts";
import type { Origin } from "../platform/origin.ts";
import { codeOf, newCustomersOf } from "./invoice-references.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import { saveGroup, toSave, type KeyedSave, type SaveRequest } from "./save-invoices.ts";
import type { SavedInvoice } from "./saved-invoice.ts";

/**
 * A group has at most so many invoices, and about so many characters of them: it takes some tens of milliseconds, for
 * which whatever else writes for the merchant waits. A save that is larger goes by itself.
 */
const MAX_INVOICES = 128;
const MAX_CHARACTERS = 512 * 1024;
/** Of a row or a field, beside its texts. */
const CHARACTERS_OF_A_ROW = 100;

/** Runs `work` when it is the merchant's turn: nothing else of this process numbers invoices for it meanwhile. */
export type InTurn = <T>(merchant: MerchantKey, work: () => Promise<T>) => Promise<T>;

type QueuedSave = KeyedSave & { readonly origin: Origin; readonly characters: number };

/** The saves of a process: one for all entrances, or they would wait for each other in the database. */
export class InvoiceSaves {
  readonly #tenants: TenantDatabase;
  readonly #ids: IdSource;
  readonly #queue: GroupQueue<QueuedSave, Answered<SavedInvoice[]>>;

  constructor(tenants: TenantDatabase, ids: IdSource) {
    this.#tenants = tenants;
    this.#ids = ids;
    this.#queue = new GroupQueue({
      run: (saves) => this.#write(saves),
      openGroup,
      // The other half is for what else is asked meanwhile, of these merchants and of others.
      atOnce: tenants.half,
    });
  }

  /**
   * Saves a batch of invoices, all or none, together with what else of the merchant waits: durable when this resolves.
   * Numbers of a series are given in the order of arrival.
   * @throws NodalError as `saveInvoices` does
   */
  save(
    merchant: Merchant,
    origin: Origin,
    request: SaveRequest,
    idempotency: IdempotencyKey | null,
  ): Promise<Answered<SavedInvoice[]>> {
    const characters = request.invoices.reduce((sum, invoice) => sum + charactersOf(invoice), 0);
    return this.#queue.add(keyOf(merchant), { ...toSave(merchant, request), origin, idempotency, characters });
  }

  /** For what makes invoices in a transaction of its own. */
  readonly inTurn: InTurn = (merchant, work) => this.#queue.alone(keyOf(merchant), work);

  #write(saves: readonly QueuedSave[]): Promise<readonly (Answered<SavedInvoice[]> | Error)[]> {
    return writeBatch<QueuedSave, Answered<SavedInvoice[]>>(
      saves,
      (some) => saveGroup(this.#tenants.of(some[0]!.merchant, some[0]!.origin), this.#ids, some),
      // Where a connection broke, nobody knows whether the group was written: whoever has a key asks again.
      NO_PATIENCE_MS,
    );
  }
}

const NO_PATIENCE_MS = 0;

function keyOf({ merchantId }: MerchantKey): string {
  return String(merchantId);
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
 * Saves go together until there is enough, and no further than to one that names what an earlier one brings, or the other
 * way round: that one finds how it ended.
 */
function openGroup(): (save: QueuedSave) => boolean {
  let invoices = 0;
  let characters = 0;
  const keys = new Set<string>();
  const named = new Set<string>();
  const brought = new Set<string>();
  return (save) => {
    const key = save.idempotency?.key;
    const names = save.invoices.map(codeOf).filter((code) => code !== null);
    const brings = newCustomersOf(save.invoices).map(({ customerCode }) => customerCode);
    const isApart =
      (key !== undefined && keys.has(key)) ||
      names.some((code) => brought.has(code)) ||
      brings.some((code) => brought.has(code) || named.has(code));
    invoices += save.invoices.length;
    characters += save.characters;
    if (isApart || invoices > MAX_INVOICES || characters > MAX_CHARACTERS) return false;
    if (key !== undefined) keys.add(key);
    for (const code of names) named.add(code);
    for (const code of brings) brought.add(code);
    return true;
  };
}
