// SQL of the approvals of payouts that wait for a second person, and of the facts that their proofs cover.
import { proveRequest, type ApprovalKind } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { readSecretRows, type Secrets } from "../../platform/secrets/index.ts";
import type { BatchDraft } from "./batch-draft.ts";
import { INSTRUCTION_COLUMNS, instructionOf, type Instruction, type InstructionRow } from "../transfer-row.ts";
import { JOIN_PAYEE, PAYEE_COLUMNS, readPayee, type NewTransfer, type PayeeRow } from "../transfer-store.ts";
import type { TransferIdentity } from "../transfer.ts";

/** The parts of a waiting payout that never change, including its payee. */
type RequestedPayout = Omit<Instruction, keyof TransferIdentity> &
  Pick<NewTransfer, "payee"> & { readonly addedAt: Temporal.Instant };

/** The facts of a payout that the proof of its approval covers. */
function factsOfRequest({ payee, ...payout }: RequestedPayout): string[] {
  const { kind, referenceId, beneficiaryId, franchiseId, mode, rail, railMode, amountPaise, narrative, addedAt } =
    payout;
  const ids = [kind, referenceId, beneficiaryId, franchiseId];
  const way = [mode, rail, railMode, amountPaise, narrative, addedAt];
  const to = [payee.name, payee.accountNumber, payee.ifsc, payee.upi];
  return [...ids, ...way, ...to].map((value) => (value === null ? "" : String(value)));
}

/** Whether an approval of this kind is for a payout, whose facts are part of its proof. */
export function isOfPayout(kind: ApprovalKind): boolean {
  return kind === "transfer" || kind === "withdrawal" || kind === "commission";
}

/** The current facts of one merchant's payouts, by id, for the proofs of their approvals. Missing payouts are left out. */
export async function readRequestFacts(
  db: Queryable,
  { bucket, merchantId }: Pick<TransferIdentity, "bucket" | "merchantId">,
  transferIds: readonly bigint[],
): Promise<Map<bigint, readonly string[]>> {
  type PayoutRow = PayeeRow & InstructionRow & { first_rail: string | null; added_at: Temporal.Instant };
  const { rows } = await db.query<PayoutRow>({
    name: "read-request-facts",
    text: `select ${INSTRUCTION_COLUMNS}, first_rail, added_at, ${PAYEE_COLUMNS}
      from transfer ${JOIN_PAYEE}
      where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer_id = any ($3)`,
    values: [bucket, merchantId, transferIds],
  });
  const facts = await readSecretRows(db, rows, (row, secrets): [bigint, string[]] => {
    const asked = instructionOf({ ...row, rail: row.first_rail ?? row.rail });
    return [row.transfer_id, factsOfRequest({ ...asked, payee: readPayee(row, secrets), addedAt: row.added_at })];
  });
  return new Map(facts);
}

/**
 * Inserts the approvals that a batch of payouts needs, each in the name of its requester.
 * @param now when the payouts are added, to the microsecond
 * @param actor the transaction's actor: the requester of payouts without an origin
 */
export async function insertApprovals(
  db: Queryable,
  secrets: Secrets,
  now: Temporal.Instant,
  actor: string,
  { books, accepted }: BatchDraft,
): Promise<void> {
  const bookOf = new Map(books.map((book) => [book.slot, book]));
  const asked = accepted
    .filter(({ expiresAt }) => expiresAt)
    .map(({ slot, transfer, expiresAt }) => {
      const { bucket, merchantId } = bookOf.get(slot)!;
      const { transferId, kind } = transfer;
      const requestedBy = transfer.origin?.actor ?? actor;
      const about = { bucket, merchantId, approvalId: transferId, subjectId: transferId, kind };
      const nothing = { bankAccount: null, policyChanges: null, resolution: null, funding: null };
      const facts = factsOfRequest({ ...transfer, addedAt: now });
      const request = { ...about, ...nothing, requestedBy, requestedAt: now };
      return { ...request, expiresAt: expiresAt!.toString(), proof: proveRequest(secrets, request, facts) };
    });
  await db.query({
    name: "insert-payout-approvals",
    text: `insert into approval (
        bucket, merchant_id, approval_id, kind, subject_id, requested_by, requested_at, expires_at, proof)
      select bucket, merchant_id, transfer_id, kind, transfer_id, actor, $1, expires_at, proof
      from unnest(
        $2::smallint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::timestamptz[], $8::bytea[])
        as item (bucket, merchant_id, transfer_id, kind, actor, expires_at, proof)
      returning 1`,
    values: [
      now.toString(),
      asked.map(({ bucket }) => bucket),
      asked.map(({ merchantId }) => merchantId),
      asked.map(({ approvalId }) => approvalId),
      asked.map(({ kind }) => kind),
      asked.map(({ requestedBy }) => requestedBy),
      asked.map(({ expiresAt }) => expiresAt),
      asked.map(({ proof }) => proof),
    ],
  });
}
