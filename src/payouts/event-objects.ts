// The API records of transfers and beneficiaries in events, read for many events at once.
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { findBeneficiaries } from "./beneficiaries/beneficiary-store.ts";
import { toRecord as toBeneficiaryRecord } from "./beneficiaries/beneficiary-routes.ts";
import { findTransfers } from "./transfer-store.ts";
import { toRecord as toTransferRecord } from "./transfer-routes.ts";

/** The records of transfers, withdrawals and payouts of commission, with the id as other answers name it, by id. */
export async function readTransferObjects(
  db: Queryable,
  merchant: Merchant,
  transferIds: readonly bigint[],
): Promise<Map<bigint, object>> {
  const transfers = await findTransfers(db, merchant, transferIds);
  return new Map(
    transfers.map((transfer) => [
      transfer.transferId,
      { ...toTransferRecord(transfer, merchant.timeZone), transfer_id: String(transfer.transferId) },
    ]),
  );
}

/** The records of beneficiaries, by id. */
export async function readBeneficiaryObjects(
  db: Queryable,
  { bucket, merchantId, timeZone }: Merchant,
  beneficiaryIds: readonly bigint[],
): Promise<Map<bigint, object>> {
  const names = beneficiaryIds.map((beneficiaryId) => ({ bucket, merchantId, beneficiaryId }));
  const found = (await findBeneficiaries(db, names)).filter((beneficiary) => beneficiary !== null);
  return new Map(found.map((item) => [item.beneficiaryId, toBeneficiaryRecord(item, timeZone)]));
}
