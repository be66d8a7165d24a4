// The sign-in directory under concurrency: an address is unique within a merchant, independent of other merchants.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import type { Merchant } from "../merchant.ts";
import { insertUser, prepareUser, type PreparedUser } from "./manage-users.ts";
import { findByEmail, listByEmail } from "./sign-in-store.ts";

const MANY = 50;

let db: LedgerDatabase;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

/** Creates a user of each merchant with the same address, all at once, and returns each result. */
async function makeUsers(merchants: readonly Merchant[], email: string): Promise<string[]> {
  const draft = { kind: "user", email, name: "Asha", roleName: "Viewer" } as const;
  const prepared = await prepareUser(db.ids, draft, email);
  const insert = async (merchant: Merchant): Promise<string> => {
    const user: PreparedUser = { ...prepared, loginId: await db.ids.next() };
    return inTransaction(db.server, (connection) => insertUser(connection, merchant, user, false)).then(
      () => "made",
      (error: unknown) => (error instanceof NodalError ? error.code : String(error)),
    );
  };
  return Promise.all(merchants.map(insert));
}

async function countLogins(email: string): Promise<unknown> {
  const { rows } = await db.owner.query(
    `select count(*)::integer as logins, count(distinct merchant_id)::integer as merchants from login where email = $1`,
    [email],
  );
  return rows[0];
}

test("fifty at once with one address make one login in one merchant, and fifty in fifty", async () => {
  const merchants = await makeMerchants(db, MANY);
  const [one] = merchants as [Merchant];
  const inOne = await makeUsers(Array<Merchant>(MANY).fill(one), "one@example.com");
  expect(inOne.toSorted()).toEqual([...Array<string>(MANY - 1).fill("email_taken"), "made"]);
  expect(await countLogins("one@example.com")).toEqual({ logins: 1, merchants: 1 });
  expect(await makeUsers(merchants, "all@example.com")).toEqual(Array<string>(MANY).fill("made"));
  expect(await countLogins("all@example.com")).toEqual({ logins: MANY, merchants: MANY });

  // Each is found at its merchant; none by the address alone, since no command created one; mail goes to a few.
  for (const { merchantId } of merchants) {
    expect(await findByEmail(db.server, { email: "ALL@example.com", merchantId })).toMatchObject({ merchantId });
  }
  expect(await findByEmail(db.server, { email: "all@example.com", merchantId: null })).toBeNull();
  expect(await listByEmail(db.server, { email: "all@example.com", merchantId: null })).toHaveLength(10);
});

test("the database refuses an operator whose address does not sign in by itself", async () => {
  const insert = db.owner.query(
    `insert into sign_in (email_hash, bucket, merchant_id, subject_kind, subject_id) values ('\\x01', 0, 0, 'operator', 1)`,
  );
  await expect(insert).rejects.toMatchObject({ code: "23514", constraint: "sign_in_operator_alone" });
});
