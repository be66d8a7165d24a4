// Use cases: set the tags of a new payout, and change them later. docs/rules/payouts.md#tags
import { recordEvents } from "../../ledger/index.ts";
import { lockMerchant, type MerchantKey, type ReadContext } from "../../merchants/index.ts";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { requirePayout } from "../find-payout.ts";
import type { TransferKind } from "../transfer.ts";
import { findTags, replaceTags } from "./tag-store.ts";

export type ChangeTags = { readonly transferId: bigint; readonly tags: readonly string[] };

/**
 * Gives a payout of any status exactly these tags, and returns them.
 * @throws NodalError `transfer_not_found`
 */
export async function changeTags(
  { pool, merchant }: ReadContext,
  { transferId, tags }: ChangeTags,
): Promise<readonly string[]> {
  return inTransaction(pool, async (connection) => {
    const kind = await requirePayout(connection, merchant, transferId);
    const before = await lockTags(connection, merchant, transferId);
    if (JSON.stringify(before) !== JSON.stringify(tags)) {
      await setTags(connection, merchant, { transferId, tags, before, kind });
    }
    return tags;
  });
}

/**
 * Sets the tags of a transfer that was just requested. A request that is repeated changes nothing: the transfer keeps the
 * tags that it has.
 */
export async function tagNewTransfer({ pool, merchant }: ReadContext, { transferId, tags }: ChangeTags): Promise<void> {
  if (tags.length === 0) return;
  await inTransaction(pool, async (connection) => {
    const before = await lockTags(connection, merchant, transferId);
    if (before.length === 0) await setTags(connection, merchant, { transferId, tags, before, kind: "transfer" });
  });
}

/** Reads the tags of a payout, which nobody else changes until the transaction ends. */
async function lockTags(connection: Connection, merchant: MerchantKey, transferId: bigint): Promise<readonly string[]> {
  await lockMerchant(connection, merchant);
  return (await findTags(connection, merchant, [transferId])).get(transferId) ?? [];
}

type Change = ChangeTags & { readonly before: readonly string[]; readonly kind: TransferKind };

async function setTags(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { transferId, tags, before, kind }: Change,
): Promise<void> {
  await replaceTags(connection, { bucket, merchantId, transferId }, tags);
  const change = { before: { tags: before }, after: { tags } };
  await recordEvents(connection, { bucket, merchantId }, [
    { type: `${kind}.tags_changed`, subjectId: transferId, ...change },
  ]);
}
