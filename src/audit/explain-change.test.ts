// Against a real database: a change by SQL gets no new mark from a genuine entry about the same thing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { recordEventsOf } from "../../test/support/record-events.ts";
import { changeMerchant, changePayoutPolicy, createRole, createUser, type Merchant } from "../merchants/index.ts";
import { changeRole } from "../merchants/users/manage-roles.ts";
import { changeUser } from "../merchants/users/manage-users.ts";
import { sealBooks } from "./seal-books.ts";
import { verifySeals } from "./verify-seals.ts";

let db: LedgerDatabase;
let merchant: Merchant;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  await recordEventsOf(db.server, merchant.merchantId, "beneficiary.created", [1]);
  await sealBooks(db.server);
});

const parts = () => ({ pool: db.server, ids: db.ids });

async function findings(): Promise<{ found: string[] }> {
  const { violations } = await verifySeals(db.owner, merchant);
  return { found: violations.map(({ subjectId, what }) => `${subjectId}: ${what}`) };
}

/** Changes the merchant's rows with SQL. `$1` is the merchant. */
async function tamper(statement: string): Promise<void> {
  await db.owner.query(statement, [merchant.merchantId]);
}

describe("what was changed with SQL is not sealed anew", () => {
  const user = async (roleName: string) => {
    const draft = {
      kind: "user",
      email: `${roleName}-${merchant.merchantId}@example.com`,
      name: "Ravi",
      roleName,
    } as const;
    const { loginId } = await createUser({ ...parts(), merchant, by: null }, draft);
    await sealBooks(db.server);
    return loginId;
  };

  test("by the sign-in of a user whose role was raised", async () => {
    const loginId = await user("Viewer");
    await user("Owner");
    await tamper(`update login set role_name = 'Owner' where merchant_id = $1 and login_id = ${loginId}`);
    await recordEventsOf(db.server, merchant.merchantId, "login.signed_in", [loginId]);
    await sealBooks(db.server);
    expect((await findings()).found).toEqual([`${loginId}: what the login says`]);
    // Nor from a change of something else, such as the name.
    const changes = { name: "Ravi Rao" };
    await changeUser({ ...parts(), merchant, by: null }, { kind: "user", loginId, changes });
    await sealBooks(db.server);
    expect((await findings()).found).toEqual([`${loginId}: what the login says`]);
    // Correcting the role seals it again.
    await changeUser({ ...parts(), merchant, by: null }, { kind: "user", loginId, changes: { roleName: "Viewer" } });
    await sealBooks(db.server);
    expect((await findings()).found).toEqual([]);
  });

  test("by the first sign-in of a login that was planted", async () => {
    const loginId = await user("Manager");
    await tamper(
      `insert into login select (jsonb_populate_record(login, '{"login_id": 79, "role_name": "Owner"}')).* from login where merchant_id = $1 and login_id = ${loginId}`,
    );
    await recordEventsOf(db.server, merchant.merchantId, "login.signed_in", [79]);
    await sealBooks(db.server);
    expect((await findings()).found).toEqual(["79: what the login says"]);
  });

  test("by an entry about another part of the merchant", async () => {
    await tamper("update merchant set ifsc = 'YESB0000262' where merchant_id = $1");
    await changeMerchant({ ...parts(), merchant }, { city: "Hampi" });
    await sealBooks(db.server);
    expect((await findings()).found).toEqual([`${merchant.merchantId}: what the merchant says`]);
  });

  test("by a change of another role", async () => {
    const manager = { pool: db.server, merchant, by: null };
    for (const name of ["Clerk", "Cashier"]) await createRole(manager, { name, permissions: ["customers.view"] });
    await sealBooks(db.server);
    expect((await findings()).found).toEqual([]);
    await tamper("update role set permissions = '{payouts.transfer}' where merchant_id = $1 and role_name = 'Clerk'");
    await changeRole(manager, { name: "Cashier", permissions: ["invoices.view"] });
    await sealBooks(db.server);
    expect((await findings()).found).toEqual([`${merchant.merchantId}: what the merchant says`]);
  });

  test("by a decision about what was asked for otherwise", async () => {
    await changePayoutPolicy({ ...parts(), merchant }, { transferLimitPaise: 1000n });
    const { approvalId } = await changePayoutPolicy({ ...parts(), merchant }, { transferLimitPaise: 2000n });
    expect(approvalId).not.toBeNull();
    await sealBooks(db.server);
    await tamper(
      `update approval set change = '{"policy": {}}' where merchant_id = $1 and approval_id = ${approvalId}`,
    );
    await recordEventsOf(db.server, merchant.merchantId, "approval.approved", [approvalId!]);
    await sealBooks(db.server);
    expect((await findings()).found).toEqual([`${approvalId}: what the approval says`]);
  });
});
