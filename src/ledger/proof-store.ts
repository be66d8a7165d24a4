// SQL of proofs: entries and fundings with theirs.
// What belongs here: which entries have a proof. What a proof is made of is in proof.ts.
import type { Queryable } from "../platform/database/pool.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { isEventProved, isFundingProved, type ProvedEvent } from "./proof.ts";
import { inScope, type VerifyScope, type Violation } from "./verify-store.ts";

const PAGE_ROWS = 2000;

/** Entries that say more than what money moved, which is checked against balances, fundings and transfers instead. */
const IS_PROVED = "(kind is null or before is not null or after is not null)";
/** Word for word that of the index of subjects, so that it is used; of transfers few entries have a proof, such as approvals. */
const SUBJECTS = ["journal.type not like 'transfer.%'", "journal.type like 'transfer.%'"] as const;

type EventRow = {
  bucket: number;
  merchant_id: bigint;
  entry_no: bigint;
  type: string;
  subject_id: bigint;
  created_at: Temporal.Instant;
  before: unknown;
  after: unknown;
  proof: Buffer | null;
};

const toEvent = (row: EventRow): ProvedEvent => ({
  bucket: row.bucket,
  merchantId: row.merchant_id,
  type: row.type,
  subjectId: row.subject_id,
  createdAt: row.created_at,
  before: row.before,
  after: row.after,
});

/** Pages of the entries that have to have a proof, by what they are about. */
async function* eventPages(db: Queryable, scope: VerifyScope): AsyncGenerator<EventRow[]> {
  for (const subjects of SUBJECTS) yield* pagesOf(db, scope, subjects);
}

async function* pagesOf(
  db: Queryable,
  scope: VerifyScope,
  subjects: (typeof SUBJECTS)[number],
): AsyncGenerator<EventRow[]> {
  let page: EventRow[] = [];
  do {
    const last = page.at(-1);
    const { rows } = await db.query<EventRow>(
      `select bucket, merchant_id, entry_no, type, subject_id, created_at, before, after, proof from journal
       where ${subjects} and ${IS_PROVED} and ${inScope("journal")}
         and (subject_id, bucket, merchant_id, entry_no) > ($3::bigint, $4::smallint, $5::bigint, $6::bigint)
       order by subject_id, bucket, merchant_id, entry_no limit $7`,
      [
        scope?.bucket ?? null,
        scope?.merchantId ?? null,
        last?.subject_id ?? -1n,
        last?.bucket ?? -1,
        last?.merchant_id ?? -1n,
        last?.entry_no ?? -1n,
        PAGE_ROWS,
      ],
    );
    page = rows;
    yield page;
  } while (page.length === PAGE_ROWS);
}

type FundingRow = {
  bucket: number;
  merchant_id: bigint;
  funding_id: bigint;
  amount_paise: bigint;
  reference: string;
  created_at: Temporal.Instant;
  proof: Buffer | null;
};

async function* fundingPages(db: Queryable, scope: VerifyScope): AsyncGenerator<FundingRow[]> {
  let page: FundingRow[] = [];
  do {
    const last = page.at(-1);
    const { rows } = await db.query<FundingRow>(
      `select bucket, merchant_id, funding_id, amount_paise, reference, created_at, proof from funding
       where ${inScope("funding")}
         and (bucket, merchant_id, funding_id) > ($3::smallint, $4::bigint, $5::bigint)
       order by bucket, merchant_id, funding_id limit $6`,
      [
        scope?.bucket ?? null,
        scope?.merchantId ?? null,
        last?.bucket ?? -1,
        last?.merchant_id ?? -1n,
        last?.funding_id ?? -1n,
        PAGE_ROWS,
      ],
    );
    page = rows;
    yield page;
  } while (page.length === PAGE_ROWS);
}

const toFunding = (row: FundingRow) => ({
  bucket: row.bucket,
  merchantId: row.merchant_id,
  fundingId: row.funding_id,
  amountPaise: row.amount_paise,
  reference: row.reference,
  createdAt: row.created_at,
});

/**
 * The entries and fundings that nobody but somebody with the database can have written: those without a proof, with
 * another's, and all with one that is there twice.
 */
export async function findUnproved(db: Queryable, scope: VerifyScope): Promise<Violation[]> {
  const secrets = await secretsOf(db);
  const violations: Violation[] = [];
  const found = (check: string, merchantId: bigint, subjectId: bigint, what: string): void => {
    const [expected, other] = ["written by the server", "no proof of that"];
    violations.push({ check, merchantId, subjectId, what, expected, found: other });
  };
  // Two with one proof say the same, so they are about the same thing.
  const seen = { subjectId: -1n, proofs: new Set<string>() };
  for await (const page of eventPages(db, scope)) {
    for (const row of page) {
      if (row.subject_id !== seen.subjectId) seen.proofs.clear();
      seen.subjectId = row.subject_id;
      const proof = row.proof?.toString("base64") ?? "";
      if (seen.proofs.has(proof) || !isEventProved(secrets, toEvent(row), row.proof)) {
        found("event_proof", row.merchant_id, row.entry_no, `event ${row.entry_no} (${row.type})`);
      }
      seen.proofs.add(proof);
    }
  }
  for await (const page of fundingPages(db, scope)) {
    for (const row of page) {
      if (isFundingProved(secrets, toFunding(row), row.proof)) continue;
      found("funding_proof", row.merchant_id, row.funding_id, `funding ${row.funding_id} (${row.reference})`);
    }
  }
  return violations;
}
