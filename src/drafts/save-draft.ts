// One use case: people save, replace and delete drafts of invoices that colleagues see.
import { isDeepStrictEqual } from "node:util";
import { recordEvents } from "../ledger/index.ts";
import { lockMerchant, readActor, type Merchant, type ReadContext, type WriteContext } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { formatInstant } from "../platform/time.ts";
import { amountOf, type DraftContent } from "./draft-fields.ts";
import { countOpenDrafts, deleteDraftRow, findDraft, insertDraft, updateDraft } from "./draft-store.ts";
import {
  changedEvent,
  createdEvent,
  deletedEvent,
  draftNotFound,
  requireOpen,
  type DraftKey,
  type InvoiceDraft,
} from "./invoice-draft.ts";

/** docs/rules/drafts.md#limits */
/** The most open drafts of a merchant. */
export const MAX_OPEN_DRAFTS = 5000;

/** The name of an actor, for people. */
export type NameOf = (actor: string) => Promise<string>;

/**
 * Saves a new draft and returns it.
 * @throws NodalError `limit_exceeded` if the merchant has the most open drafts allowed
 */
export async function createDraft(
  { pool, ids, merchant }: WriteContext<Merchant>,
  content: DraftContent,
): Promise<InvoiceDraft> {
  const draftId = await ids.next();
  return inTransaction(pool, async (connection) => {
    // With the lock, nobody adds another draft between the count and this one.
    await lockMerchant(connection, merchant);
    if ((await countOpenDrafts(connection, merchant, MAX_OPEN_DRAFTS)) >= MAX_OPEN_DRAFTS) {
      const limit = MAX_OPEN_DRAFTS.toLocaleString("en-IN");
      throw new NodalError("limit_exceeded", `There are ${limit} drafts, the most there can be: issue or delete some.`);
    }
    const amountPaise = await amountOf(connection, merchant, content);
    const actor = await readActor(connection);
    const now = Temporal.Now.instant();
    const { bucket, merchantId } = merchant;
    const draft: InvoiceDraft = {
      bucket,
      merchantId,
      draftId,
      ...content,
      amountPaise,
      version: 1,
      createdBy: actor,
      updatedBy: actor,
      invoiceId: null,
      createdAt: now,
      updatedAt: now,
    };
    await insertDraft(connection, draft);
    await recordEvents(connection, merchant, [createdEvent(draft)]);
    return draft;
  });
}

export type ReplaceDraft = {
  readonly draftId: bigint;
  /** The one that was read before the change. */
  readonly version: number;
  readonly content: DraftContent;
};

/**
 * Replaces a draft's content and returns it. Saving the same content changes nothing.
 * @throws NodalError `draft_not_found`, `draft_issued`, or `draft_changed` if somebody saved it since `version`
 */
export async function replaceDraft(
  { pool, merchant }: ReadContext<Merchant>,
  { draftId, version, content }: ReplaceDraft,
  nameOf: NameOf,
): Promise<InvoiceDraft> {
  return inTransaction(pool, async (connection) => {
    const before = await lockOpenDraft(connection, merchant, { draftId, version }, nameOf);
    if (isDeepStrictEqual(contentOf(before), content)) return before;
    const amountPaise = await amountOf(connection, merchant, content);
    const after: InvoiceDraft = {
      ...before,
      ...content,
      amountPaise,
      version: before.version + 1,
      updatedBy: await readActor(connection),
      updatedAt: Temporal.Now.instant(),
    };
    await updateDraft(connection, after);
    await recordEvents(connection, merchant, [changedEvent(before, after)]);
    return after;
  });
}

/**
 * Deletes a draft.
 * @throws NodalError as `replaceDraft` does
 */
export async function deleteDraft(
  { pool, merchant }: ReadContext<Merchant>,
  named: NamedDraft,
  nameOf: NameOf,
): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const draft = await lockOpenDraft(connection, merchant, named, nameOf);
    await deleteDraftRow(connection, draft);
    await recordEvents(connection, merchant, [deletedEvent(draft)]);
  });
}

/** A draft as the caller read it; `version` is `null` if any version will do. */
export type NamedDraft = Pick<DraftKey, "draftId"> & { readonly version: number | null };

/**
 * Locks a draft that is still open. docs/rules/drafts.md#versions
 * @throws NodalError `draft_not_found`, `draft_issued` or `draft_changed`
 */
export async function lockOpenDraft(
  connection: Connection,
  merchant: Merchant,
  { draftId, version }: NamedDraft,
  nameOf: NameOf,
): Promise<InvoiceDraft> {
  const draft = await findDraft(connection, { ...merchant, draftId }, true);
  if (!draft) throw draftNotFound();
  requireOpen(draft);
  if (version !== null && version !== draft.version) throw await draftChanged(draft, merchant, nameOf);
  return draft;
}

function contentOf({ title, templateId, customerCode, invoice }: InvoiceDraft): DraftContent {
  return { title, templateId, customerCode, invoice };
}

async function draftChanged(draft: InvoiceDraft, { timeZone }: Merchant, nameOf: NameOf): Promise<NodalError> {
  const savedBy = await nameOf(draft.updatedBy);
  const savedAt = formatInstant(draft.updatedAt, timeZone);
  return new NodalError(
    "draft_changed",
    `This draft was saved by ${savedBy} after you opened it. Read it again, then make your changes.`,
    { details: { saved_by: savedBy, saved_at: savedAt, version: String(draft.version) } },
  );
}
