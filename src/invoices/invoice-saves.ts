// Saves that arrive while another one of their merchant is being written: they wait here and go together in one transaction,
// which groups of several merchants may share. What belongs here: what may go together, how much of it, and whose turn it
// is. Writing is in save-invoices.ts.
import type { Answered, IdempotencyKey, Merchant, MerchantKey } from "../merchants/index.ts";
import { isConnectionLost, unavailable } from "../platform/database/failure.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import { writeBatch } from "../platform/group-commit.ts";
import { GroupQueue } from "../platform/group-queue.ts";
import type { Origin } from "../platform/origin.ts";
import { codeOf, newCustomersOf } from "./invoice-references.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import { saveGroup, saveGroupWithin, toSave, type KeyedSave, type SaveRequest } from "./save-invoices.ts";
import type { SavedInvoice } from "./saved-invoice.ts";

/**
 * What is written at once has at most so many invoices, and about so many characters of them: it takes some tens of
 * milliseconds, for which whatever else writes for the merchants waits. A save that is larger goes by itself.
 */
const MAX_INVOICES = 128;
const MAX_CHARACTERS = 512 * 1024;
/** Of a row or a field, beside its texts. */
const CHARACTERS_OF_A_ROW = 100;

/** Runs `work` when it is the merchant's turn: nothing else of this process numbers invoices for it meanwhile. */
export type InTurn = <T>(merchant: MerchantKey, work: () => Promise<T>) => Promise<T>;

type QueuedSave = KeyedSave & { readonly origin: Origin; readonly characters: number };
type Outcome = Answered<SavedInvoice[]> | Error;

/** The saves of a process: one for all entrances, or they would wait for each other in the database. */
export class InvoiceSaves {
  readonly #tenants: TenantDatabase;
  readonly #ids: IdSource;
  readonly #queue: GroupQueue<QueuedSave, Answered<SavedInvoice[]>>;
  /** Until when merchants share no transaction with others, by key. */
  readonly #apart = new Map<string, number>();

  constructor(tenants: TenantDatabase, ids: IdSource) {
    this.#tenants = tenants;
    this.#ids = ids;
    this.#queue = new GroupQueue({
      run: (groups) => this.#write(groups),
      openLoad: () => openLoad((save) => this.#isApart(save)),
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

  /** A group of one merchant each: in one transaction, or each in its own where that does not end well. */
  #write(groups: readonly (readonly QueuedSave[])[]): Promise<readonly Outcome[]>[] {
    if (groups.length === 1) return [this.#writeAlone(groups[0]!)];
    const shared = this.#writeShared(groups);
    return groups.map((group, index) =>
      shared.then(
        (outcomes) => outcomes.get(index)!,
        (error: unknown) => (isConnectionLost(error) ? group.map(() => unavailable(error)) : this.#writeAlone(group)),
      ),
    );
  }

  /** Outcomes by the groups' places. */
  async #writeShared(groups: readonly (readonly QueuedSave[])[]): Promise<Map<number, readonly Outcome[]>> {
    // In one order everywhere, so that those who hold rows of several merchants seldom wait for each other in a circle.
    const inOrder = groups
      .map((group, place) => ({ group, place, merchant: group[0]!.merchant }))
      .sort((one, other) => compareKeys(one.merchant, other.merchant));
    const outcomes = await this.#tenants.share(
      inOrder.map(({ group, merchant: { merchantId } }) => ({
        merchantId,
        origin: group[0]!.origin,
        work: (connection) => saveGroupWithin(connection, this.#ids, group),
      })),
    );
    return new Map(inOrder.map(({ place }, index) => [place, outcomes[index]!]));
  }

  async #writeAlone(group: readonly QueuedSave[]): Promise<readonly Outcome[]> {
    const { merchant } = group[0]!;
    const startedAtMs = performance.now();
    let isRefused = false;
    const outcomes = await writeBatch<QueuedSave, Answered<SavedInvoice[]>>(
      group,
      async (some) => {
        try {
          return await saveGroup(this.#tenants.of(merchant, some[0]!.origin), this.#ids, some);
        } catch (error) {
          isRefused = true;
          throw error;
        }
      },
      // Where a connection broke, nobody knows whether the group was written: whoever has a key asks again.
      NO_PATIENCE_MS,
    );
    const nowMs = performance.now();
    if (isRefused || nowMs - startedAtMs > SLOW_MS) this.#apart.set(keyOf(merchant), nowMs + APART_MS);
    return outcomes;
  }

  #isApart({ merchant }: QueuedSave): boolean {
    const untilMs = this.#apart.get(keyOf(merchant));
    if (untilMs === undefined) return false;
    if (untilMs > performance.now()) return true;
    this.#apart.delete(keyOf(merchant));
    return false;
  }
}

const NO_PATIENCE_MS = 0;
/** A merchant whose group the database refused, or that took so long, holds nobody else up for a while. */
const SLOW_MS = 500;
const APART_MS = 10_000;

function compareKeys(one: MerchantKey, other: MerchantKey): number {
  return one.bucket - other.bucket || Number(one.merchantId - other.merchantId);
}

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
 * Saves go together until there is enough, and those of one merchant no further than to one that names what an earlier one
 * brings, or the other way round: that one finds how it ended.
 */
function openLoad(isApart: (save: QueuedSave) => boolean): (save: QueuedSave) => boolean {
  let invoices = 0;
  let characters = 0;
  let first: { readonly key: string; readonly isApart: boolean } | null = null;
  const taken = new Map<string, Taken>();
  return (save) => {
    const key = keyOf(save.merchant);
    const isStranger = first !== null && first.key !== key;
    if (isStranger && (first!.isApart || isApart(save))) return false;
    const isFull = invoices + save.invoices.length > MAX_INVOICES || characters + save.characters > MAX_CHARACTERS;
    const own = taken.get(key) ?? { keys: new Set(), named: new Set(), brought: new Set() };
    if ((isFull && first !== null) || !take(own, save)) return false;
    first ??= { key, isApart: isApart(save) };
    taken.set(key, own);
    invoices += save.invoices.length;
    characters += save.characters;
    return true;
  };
}

/** What the saves of a merchant in a load have and name: Idempotency-Keys, and codes of customers. */
type Taken = { readonly keys: Set<string>; readonly named: Set<string>; readonly brought: Set<string> };

/** Adds a save, unless it has to wait for one of those before it. */
function take({ keys, named, brought }: Taken, { idempotency, invoices }: QueuedSave): boolean {
  const names = invoices.map(codeOf).filter((code) => code !== null);
  const brings = newCustomersOf(invoices).map(({ customerCode }) => customerCode);
  const isTwin = idempotency !== null && keys.has(idempotency.key);
  if (isTwin || names.some((code) => brought.has(code))) return false;
  if (brings.some((code) => brought.has(code) || named.has(code))) return false;
  if (idempotency !== null) keys.add(idempotency.key);
  for (const code of names) named.add(code);
  for (const code of brings) brought.add(code);
  return true;
}
