// SQL that checks the proofs of entries and fundings. Proofs are made in proof.ts.
import { everyRow, type Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { findDeposits } from "./deposit-store.ts";
import { FUNDINGS, type StoredFunding } from "./ledger-store.ts";
import { isEventProved, isFundingProved, type ProvedEvent, type ProvedFunding } from "./proof.ts";
import { inScope, type VerifyScope, type Violation } from "./verify-store.ts";

const PAGE_ROWS = 2000;

/** Entries that are more than a movement of money. Movements are checked against balances, fundings and transfers instead. */
const IS_PROVED = "(kind is null or before is not null or after is not null)";
/**
 * The exact condition of the index by subject, so that PostgreSQL uses it. Few entries of transfers have a proof, such
 * as approvals.
 */
const SUBJECTS = ["journal.type not like 'transfer.%'", "journal.type like 'transfer.%'"] as const;

type EventRow = ProvedEvent & { readonly entryNo: bigint; readonly proof: Buffer | null };
const EVENTS = table<EventRow, Pick<EventRow, "entryNo">>("journal", ["entryNo"], {
  bucket: "smallint",
  merchantId: "bigint",
  entryNo: "bigint",
  type: "text",
  subjectId: "bigint",
  createdAt: "timestamptz",
  before: "jsonb",
  after: "jsonb",
  proof: "bytea",
});

/** The entries that must have a proof, by subject. */
async function* provedEvents(db: Queryable, scope: VerifyScope): AsyncGenerator<EventRow> {
  const place = [scope?.bucket ?? null, scope?.merchantId ?? null];
  for (const subjects of SUBJECTS) {
    yield* everyRow<EventRow>(PAGE_ROWS, (last, limit) =>
      EVENTS.select(
        db,
        `select ${EVENTS.columns} from journal
         where ${subjects} and ${IS_PROVED} and ${inScope("journal")}
           and (subject_id, bucket, merchant_id, entry_no) > ($3::bigint, $4::smallint, $5::bigint, $6::bigint)
         order by subject_id, bucket, merchant_id, entry_no limit $7`,
        [...place, last?.subjectId ?? -1n, last?.bucket ?? -1, last?.merchantId ?? -1n, last?.entryNo ?? -1n, limit],
      ),
    );
  }
}

/** All fundings, each with its deposits. */
function allFundings(db: Queryable, scope: VerifyScope): AsyncGenerator<StoredFunding & ProvedFunding> {
  const place = [scope?.bucket ?? null, scope?.merchantId ?? null];
  const keyOf = ({ bucket, merchantId, fundingId }: Pick<StoredFunding, "bucket" | "merchantId" | "fundingId">) =>
    `${bucket}/${merchantId}/${fundingId}`;
  return everyRow<StoredFunding & ProvedFunding>(PAGE_ROWS, async (last, limit) => {
    const fundings = await FUNDINGS.select(
      db,
      `select ${FUNDINGS.columns} from funding
       where ${inScope("funding")} and (bucket, merchant_id, funding_id) > ($3::smallint, $4::bigint, $5::bigint)
       order by bucket, merchant_id, funding_id limit $6`,
      [...place, last?.bucket ?? -1, last?.merchantId ?? -1n, last?.fundingId ?? -1n, limit],
    );
    const deposits = Map.groupBy(await findDeposits(db, fundings), keyOf);
    return fundings.map((funding) => ({ ...funding, deposits: deposits.get(keyOf(funding)) ?? [] }));
  });
}

/**
 * The entries and fundings that were written with SQL: those without a proof or with a wrong one, and all that share a proof.
 */
export async function findUnproved(db: Queryable, scope: VerifyScope): Promise<Violation[]> {
  const secrets = await secretsOf(db);
  const violations: Violation[] = [];
  const found = (check: string, merchantId: bigint, subjectId: bigint, what: string): void => {
    const [expected, other] = ["written by the server", "no proof of that"];
    violations.push({ check, merchantId, subjectId, what, expected, found: other });
  };
  // Entries with the same proof have the same content, and so the same subject.
  const seen = { subjectId: -1n, proofs: new Set<string>() };
  for await (const event of provedEvents(db, scope)) {
    if (event.subjectId !== seen.subjectId) seen.proofs.clear();
    seen.subjectId = event.subjectId;
    const proof = event.proof?.toString("base64") ?? "";
    if (seen.proofs.has(proof) || !isEventProved(secrets, event, event.proof)) {
      found("event_proof", event.merchantId, event.entryNo, `event ${event.entryNo} (${event.type})`);
    }
    seen.proofs.add(proof);
  }
  for await (const funding of allFundings(db, scope)) {
    if (isFundingProved(secrets, funding, funding.proof)) continue;
    const { merchantId, fundingId, reference } = funding;
    found("funding_proof", merchantId, fundingId, `funding ${fundingId} (${reference})`);
  }
  return violations;
}
