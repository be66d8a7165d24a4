// The statement that writes a batch of payouts: how it stores payees.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  BENEFICIARY_ID,
  makeLiveMerchants,
  newClaim,
  newTransfer,
  openLedgerDatabase,
  VENDOR,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { TEST_ACTOR, withTestSecrets } from "../../../test/support/secrets.ts";
import type { Merchant } from "../../merchants/index.ts";
import { createPool, type OwnedPool } from "../../platform/database/pool.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import { claimTransfers } from "../dispatch/claim-transfers.ts";
import { findTransfersByIds, type NewTransfer } from "../transfer-store.ts";
import { writePayouts } from "./write-payouts.ts";

let db: LedgerDatabase;
let pool: OwnedPool;
let merchant: Merchant;
let other: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
  pool = withTestSecrets(
    createPool({ url: db.url, size: 2, role: "nodal_payouts", actor: TEST_ACTOR, pipelined: true }),
  );
  [merchant, other] = (await makeLiveMerchants(db, 2, 1_000_000n)) as [Merchant, Merchant];
});
afterAll(async () => {
  await pool.end();
  await db.close();
});

const payoutRequest = async (of: Merchant, amountPaise: bigint, reference: string): Promise<NewTransfer> => ({
  ...newTransfer(of, await db.ids.next(), amountPaise, reference),
  rail: "provider",
});

test("transfers keep no copy of their payee and encrypt nothing; a withdrawal beside them keeps its account", async () => {
  const [transfer, second] = [await payoutRequest(merchant, 100n, "first"), await payoutRequest(other, 100n, "second")];
  const own = {
    ...(await payoutRequest(merchant, 200n, "third")),
    kind: "withdrawal" as const,
    beneficiaryId: null,
  };
  const sealed = vi.spyOn(await secretsOf(pool), "seal");
  const requests = [transfer, own, second].map((each) => ({ transfer: each, claim: false }));
  await writePayouts(pool, Temporal.Now.instant(), null, { requests: requests.slice(0, 1), reports: [] });
  expect(sealed).not.toHaveBeenCalled();
  await writePayouts(pool, Temporal.Now.instant(), null, { requests: requests.slice(1), reports: [] });
  const { accountNumber, name, ifsc } = VENDOR;
  expect(sealed.mock.calls).toEqual([["transfer.account_number", expect.anything(), accountNumber, [name, ifsc]]]);
  const { rows } = await db.owner.query(
    `select transfer_id, beneficiary_id, account_holder, account_number like 'enc1:%' as is_encrypted, ifsc from transfer
     where merchant_id = any ($1) order by transfer_id`,
    [[merchant.merchantId, other.merchantId]],
  );
  const named = { beneficiary_id: BENEFICIARY_ID, account_holder: null, is_encrypted: null, ifsc: null };
  expect(rows).toEqual([
    { transfer_id: transfer.transferId, ...named },
    { transfer_id: second.transferId, ...named },
    {
      transfer_id: own.transferId,
      beneficiary_id: null,
      account_holder: VENDOR.name,
      is_encrypted: true,
      ifsc: VENDOR.ifsc,
    },
  ]);
  const found = await findTransfersByIds(pool, [transfer, second, own]);
  expect(found.map((each) => each?.payee)).toEqual([VENDOR, VENDOR, VENDOR]);
  const claimed = await claimTransfers(pool, Temporal.Now.instant(), newClaim(), [transfer, second, own]);
  expect(claimed.map(({ instruction }) => instruction.payee)).toEqual([VENDOR, VENDOR, VENDOR]);
});
