// Concurrent reads of many merchants share a statement: balances, and transfers by id or reference. Nothing is cached: each
// answer is read after its request.
import { readBalancesOfMany, type Balances } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { type Batcher, sharedLookUps } from "../../platform/batcher.ts";
import { lookUpOnNodes } from "../../platform/database/citus/index.ts";
import type { Pool } from "../../platform/database/pool.ts";
import { findTransfersByIds, findTransfersByReferences, type TransferReference } from "../transfer-store.ts";
import type { Transfer, TransferIdentity } from "../transfer.ts";

export class PayoutReads {
  readonly #balances: Batcher<MerchantKey, Balances>;
  readonly #byId: Batcher<TransferIdentity, Transfer | null>;
  readonly #byReference: Batcher<TransferReference, Transfer | null>;

  /** @param pool connections of the role `nodal_payouts`, which sees all merchants: each look-up names its own */
  constructor(pool: Pool) {
    this.#balances = sharedLookUps(lookUpOnNodes(pool, readBalancesOfMany));
    this.#byId = sharedLookUps(lookUpOnNodes(pool, findTransfersByIds));
    this.#byReference = sharedLookUps(lookUpOnNodes(pool, findTransfersByReferences));
  }

  /** The merchant's balances in paise. */
  readBalances({ bucket, merchantId }: MerchantKey): Promise<Balances> {
    return this.#balances.add({ bucket, merchantId });
  }

  findTransfer({ bucket, merchantId, transferId }: TransferIdentity): Promise<Transfer | null> {
    return this.#byId.add({ bucket, merchantId, transferId });
  }

  findTransferByReference({ bucket, merchantId }: MerchantKey, referenceId: string): Promise<Transfer | null> {
    return this.#byReference.add({ bucket, merchantId, referenceId });
  }
}
