// Computes the proofs of rows that a test has written with SQL, so that they count as the server's own. No assertions.
import { PAYER_COLUMNS, provePayer, type PayerRow } from "../../src/ledger/index.ts";
import { payerTermsOf } from "../../src/ledger/payer-proof.ts";
import { listLogins, OPERATORS } from "../../src/merchants/index.ts";
import { LOGIN_PROOF } from "../../src/merchants/users/login-store.ts";
import type { Queryable } from "../../src/platform/database/pool.ts";
import { secretsOf } from "../../src/platform/secrets/index.ts";

/** Proves every merchant of the database as it is. */
export async function reproveMerchants(db: Queryable): Promise<void> {
  const secrets = await secretsOf(db);
  const { rows } = await db.query<PayerRow>(`select ${PAYER_COLUMNS} from merchant`);
  await db.query(
    `update merchant set proof = proved.proof
     from unnest($1::bigint[], $2::bytea[]) as proved (merchant_id, proof) where merchant.merchant_id = proved.merchant_id`,
    [rows.map((row) => row.merchant_id), rows.map((row) => provePayer(secrets, payerTermsOf(row)))],
  );
}

/** Proves every login of a merchant, or every operator, as it is. */
export async function reproveLogins(db: Queryable, merchant = OPERATORS): Promise<void> {
  const secrets = await secretsOf(db);
  for (const kind of ["user", "franchise", "operator"] as const) {
    for (const login of await listLogins(db, merchant, kind)) {
      const totpConfirmedAt = login.hasSecondFactor ? login.createdAt : null;
      const proof = LOGIN_PROOF.of(secrets, { ...login, totpConfirmedAt, proof: null });
      await db.query("update login set proof = $2 where login_id = $1", [login.loginId, proof]);
    }
  }
}

/** Runs a statement about merchants, and proves them as they are then. */
export async function changeMerchants(db: Queryable, statement: string, values: unknown[] = []): Promise<void> {
  await db.query(statement, values);
  await reproveMerchants(db);
}
