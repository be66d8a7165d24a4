// Who may make money leave a merchant, by whichever way: every route that moves it against every kind of person, and
// the ways around.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT_IN_ROLES, MERCHANT_PERMISSIONS, permissionsOf } from "../../src/merchants/users/permission.ts";
import { readCommission } from "../../src/franchises/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { formatPaise } from "../../src/platform/money.ts";
import { Browser, keepFirstPassword, listDashboardRoutes, pathOf, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type Members } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

const FUNDS = "100000.00";
const ACCOUNT = { ...GOOD_ACCOUNT, bank_holder_name: "Meera Shah", bank_name: "Yes Bank", account_type: "Current" };
const AUTO = { enable_online_settlement: 1, commission_type: "Percentage", commission: "100", settlement_type: "Auto" };
const FRANCHISE = {
  franchise_name: "Own Branch",
  contact_person_name: "Meera Shah",
  email_id: "own@example.com",
  mobile: "9876543210",
};
/** Of the merchant's own roles: everything that does not bear the name of payouts. */
const ALL_BUT_PAYOUTS = "All but payouts";
const PEOPLE = [...BUILT_IN_ROLES.keys(), ALL_BUT_PAYOUTS, "Operator"];

let site: Installation;
let invoices: Invoices;
let owner: Browser;
const browsers = new Map<string, { browser: Browser; base: string }>();

beforeAll(async () => {
  site = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(site, { gstin: "" });
  const { id } = invoices.merchant;
  owner = await Browser.signIn(site, await newPerson(site, id));
  const permissions = MERCHANT_PERMISSIONS.filter((name) => !/^payouts\.(transfer|withdraw)$/.test(name));
  await owner.post("/roles", { name: ALL_BUT_PAYOUTS, permissions });
  for (const role of PEOPLE.filter((name) => name !== "Franchise")) {
    const isOperator = role === "Operator";
    const person = isOperator ? await newPerson(site, null) : await newPerson(site, id, role);
    const base = isOperator ? `/merchants/${id}` : "";
    browsers.set(role, { browser: await Browser.signIn(site, person), base });
  }
  // A franchise that signs in, with the role that allows most.
  const signIn = { email: "branch@example.com", password: "a long password" };
  const login = { enable_franchise_login: "1", login_email: signIn.email, password: signIn.password };
  const branch = { ...FRANCHISE, ...AUTO, ...ACCOUNT, ...login, role_name: "Manager", franchise_code: "BRANCH" };
  const saved = await ask("Owner", "POST", "/franchises", branch);
  await keepFirstPassword(site.pool, String(saved.body["franchise_id"]));
  browsers.set("Franchise", { browser: await Browser.signIn(site, { ...signIn, merchant: id }), base: "" });
  const operator = browsers.get("Operator")!;
  await operator.browser.post(`${operator.base}/fundings`, { amount: FUNDS, reference: "opening" });
});
afterAll(() => site?.stop());

/** Sends as somebody, and answers status and code. */
async function ask(role: string, method: string, path: string, body?: Members) {
  const { browser, base } = browsers.get(role)!;
  const { status, body: answer } = await browser.send(method, `${base}${path}`, body);
  return { status, body: answer };
}

/** A franchise with everything that lets commission leave by itself, made by the owner. */
async function autoFranchise(): Promise<string> {
  const draft = { ...FRANCHISE, ...AUTO, ...ACCOUNT, franchise_code: randomUUID().slice(0, 12) };
  const answer = await ask("Owner", "POST", "/franchises", draft);
  expect(answer).toMatchObject({ status: 200 });
  return String(answer.body["franchise_id"]);
}

/** An invoice of a franchise that somebody makes. */
async function invoiceOf(role: string, franchiseId: string): Promise<string> {
  const rows = [{ item: "Work", total_amount: "1000.00" }];
  const invoice = { customer_code: "C1", bill_date: "2026-06-01", due_date: "2026-06-15", particular_rows: rows };
  const answer = await ask(role, "POST", "/invoices", {
    request_key: randomUUID(),
    invoice: [{ ...invoice, franchise_id: franchiseId }],
  });
  expect(answer).toMatchObject({ status: 200 });
  return String(answer.body["invoices"][0].invoice_id);
}

function pay(role: string, invoiceId: string, amount = "1000.00") {
  const payment = { request_key: randomUUID(), amount, paid_date: "2026-06-02", mode: "Cash" };
  return ask(role, "POST", `/invoices/${invoiceId}/payments`, payment);
}

/** Lets the franchise's day come, and waits until the daily payout has looked at it. */
async function letDayCome(franchiseId: string): Promise<void> {
  await site.pool.query("update franchise set next_payout_at = now() - interval '1 hour' where franchise_id = $1", [
    franchiseId,
  ]);
  await expect
    .poll(async () => {
      const text = "select next_payout_at > now() as done from franchise where franchise_id = $1";
      return (await site.pool.query<{ done: boolean }>(text, [franchiseId])).rows[0]!.done;
    })
    .toBe(true);
}

async function payoutsOf(franchiseId: string): Promise<string[]> {
  const text = "select amount_paise from transfer where franchise_id = $1 order by transfer_id";
  const { rows } = await site.pool.query<{ amount_paise: bigint }>(text, [franchiseId]);
  return rows.map((row) => formatPaise(row.amount_paise));
}

async function dueOf(franchiseId: string): Promise<string> {
  const merchant = await requireMerchant(site.pool, BigInt(invoices.merchant.id));
  return formatPaise((await readCommission({ pool: site.pool, merchant })).get(BigInt(franchiseId))!.duePaise);
}

describe.each(["Operator", ALL_BUT_PAYOUTS])("%s can't empty a merchant", (role) => {
  test("by a franchise of its own: it is not made, not changed, and not paid", async () => {
    const own = { ...FRANCHISE, ...AUTO, ...ACCOUNT, franchise_code: randomUUID().slice(0, 12) };
    const refused = { status: 403, body: { code: "access_denied" } };
    expect(await ask(role, "POST", "/franchises", own)).toMatchObject(refused);
    const franchiseId = await autoFranchise();
    const other = { ...ACCOUNT, account_number: "00011020001772", ifsc: "HDFC0000001" };
    expect(await ask(role, "PUT", `/franchises/${franchiseId}/account`, other)).toMatchObject(refused);
    expect(await ask(role, "PUT", `/franchises/${franchiseId}/terms`, { ...AUTO, commission: "99" })).toMatchObject(
      refused,
    );
    const invoiceId = await invoiceOf(role, franchiseId);
    expect((await pay(role, invoiceId)).status).toBe(200);
    expect(await ask(role, "POST", `/franchises/${franchiseId}/settle`, { amount: "1000.00" })).toMatchObject(refused);
    expect([await dueOf(franchiseId), await payoutsOf(franchiseId)]).toEqual(["1000.00", []]);
  });

  test("by payments on the invoices of a franchise that is paid by itself: they wait until somebody settles them", async () => {
    const franchiseId = await autoFranchise();
    expect((await pay("Owner", await invoiceOf("Owner", franchiseId), "100.00")).status).toBe(200);
    await letDayCome(franchiseId);
    expect(await payoutsOf(franchiseId)).toEqual(["100.00"]);

    const invoiceId = await invoiceOf(role, franchiseId);
    expect((await pay(role, invoiceId)).status).toBe(200);
    await letDayCome(franchiseId);
    expect([await dueOf(franchiseId), await payoutsOf(franchiseId)]).toEqual(["1000.00", ["100.00"]]);
    const shown = await ask("Owner", "GET", `/franchises/${franchiseId}`);
    expect(shown.body["franchise"]).toMatchObject({ commission_waits: true, payable: "1000.00" });
    const history = await ask("Owner", "GET", `/franchises/${franchiseId}/commission`);
    expect(history.body["commission"].map((row: Members) => [row["amount"], row["waits"]])).toEqual([
      ["1000.00", true],
      ["100.00", false],
    ]);

    expect(await ask("Manager", "POST", `/franchises/${franchiseId}/settle`, { amount: "1000.00" })).toMatchObject({
      status: 200,
      body: { amount: "1000.00" },
    });
    expect((await ask("Owner", "GET", `/franchises/${franchiseId}`)).body["franchise"]["commission_waits"]).toBe(false);
    // From then on it is paid by itself as before.
    expect((await pay("Owner", await invoiceOf("Owner", franchiseId), "50.00")).status).toBe(200);
    await letDayCome(franchiseId);
    expect(await payoutsOf(franchiseId)).toEqual(["100.00", "1000.00", "50.00"]);
  });

  test("by taking back and paying anew what somebody else has recorded", async () => {
    const franchiseId = await autoFranchise();
    const invoiceId = await invoiceOf("Owner", franchiseId);
    const { body } = await pay("Owner", invoiceId, "400.00");
    const reversal = `/invoices/${invoiceId}/payments/${body["payment"].transaction_id}/reverse`;
    expect((await ask(role, "POST", reversal, { reason: "Bounced" })).status).toBe(200);
    expect((await pay(role, invoiceId, "900.00")).status).toBe(200);
    await letDayCome(franchiseId);
    expect([await dueOf(franchiseId), await payoutsOf(franchiseId)]).toEqual(["900.00", []]);
  });
});

/** Everything that moves money or says where it goes: the route, the permission without which it is refused, a body. */
type Mover = {
  readonly route: string;
  readonly needs: string;
  /** What does as well: operators resolve stuck transfers, and nothing else. */
  readonly or?: string;
  readonly body: () => Members;
};
const SAID = { paid_date: "2026-06-02", mode: "Cash" };
const MOVERS: readonly Mover[] = [
  {
    route: "POST /transfers",
    needs: "payouts.transfer",
    body: () => ({ beneficiary_id: "1", amount: "1.00", reference_id: randomUUID() }),
  },
  { route: "POST /payout-batches", needs: "payouts.transfer", body: () => ({}) },
  {
    route: "POST /withdrawals",
    needs: "payouts.withdraw",
    body: () => ({ amount: "1.00", reference_id: randomUUID() }),
  },
  {
    route: "POST /invoices/:invoice_id/credit-notes/:credit_note_id/refund",
    needs: "payouts.transfer",
    body: () => ({ amount: "1.00", attempts: 0 }),
  },
  {
    route: "POST /franchises",
    needs: "payouts.transfer",
    body: () => ({ ...FRANCHISE, ...AUTO, ...ACCOUNT, franchise_code: randomUUID().slice(0, 12) }),
  },
  { route: "PUT /franchises/:franchise_id/terms", needs: "payouts.transfer", body: () => AUTO },
  { route: "PUT /franchises/:franchise_id/account", needs: "payouts.transfer", body: () => ACCOUNT },
  { route: "POST /franchises/:franchise_id/settle", needs: "payouts.transfer", body: () => ({ amount: "1.00" }) },
  {
    route: "POST /franchises/:franchise_id/payments",
    needs: "payouts.transfer",
    body: () => ({ request_key: randomUUID(), amount: "1.00", ...SAID }),
  },
  {
    route: "POST /franchises/:franchise_id/payments/:payment_id/reverse",
    needs: "payouts.transfer",
    body: () => ({ reason: "Bounced" }),
  },
  {
    route: "PUT /bank-account",
    needs: "payouts.transfer",
    body: () => ({ bank_account: String(Date.now()), ifsc: "HDFC0000001", bank_holder: "Somebody" }),
  },
  // Over whose account it leaves, and what becomes of it while that is down. The second factor is asked for besides.
  {
    route: "POST /payout-accounts",
    needs: "payouts.transfer",
    body: () => ({ provider: "cashfree", key_id: "CF1", secret: "s", code: "000000" }),
  },
  {
    route: "PUT /payout-accounts/:account_id/modes",
    needs: "payouts.transfer",
    body: () => ({ modes: "none", code: "000000" }),
  },
  {
    route: "PUT /payout-accounts/:account_id/credentials",
    needs: "payouts.transfer",
    body: () => ({ key_id: "CF1", secret: "s", code: "000000" }),
  },
  {
    route: "PUT /payout-accounts/:account_id/options",
    needs: "payouts.transfer",
    body: () => ({ fund_source: "CASHFREE_2", code: "000000" }),
  },
  {
    route: "POST /payout-accounts/:account_id/disconnect",
    needs: "payouts.transfer",
    body: () => ({ code: "000000" }),
  },
  {
    route: "PUT /payout-accounts/when-down",
    needs: "payouts.transfer",
    body: () => ({ when_down: "next", code: "000000" }),
  },
  { route: "POST /transfers/:transfer_id/cancel", needs: "payouts.transfer", body: () => ({}) },
  {
    route: "POST /stuck-transfers/:transfer_id/resolve",
    needs: "payouts.transfer",
    or: "merchants.fund",
    body: () => ({ as: "failed", reason: "The bank says so" }),
  },
  // A second person's word: nothing leaves by it that somebody who may move money has not asked for.
  {
    route: "POST /approvals/:approval_id/approve",
    needs: "approvals.decide",
    or: "merchants.fund",
    body: () => ({ note: "" }),
  },
  {
    route: "POST /approvals/decide",
    needs: "approvals.decide",
    body: () => ({ decision: "approve", approvals: [{ approval_id: "1", request_key: randomUUID() }] }),
  },
  // Whoever lets an account be used that is in another name.
  {
    route: "POST /beneficiaries/:beneficiary_id/accept-name",
    needs: "payouts.transfer",
    body: () => ({ reason: "Seen his passbook" }),
  },
  // Who gives the permission away has to have it.
  { route: "POST /access-keys", needs: "payouts.transfer", body: () => ({ label: "Program" }) },
  {
    route: "POST /users",
    needs: "payouts.transfer",
    body: () => ({ email: `${randomUUID()}@example.com`, name: "Somebody", role: "Manager" }),
  },
  {
    route: "POST /roles",
    needs: "payouts.transfer",
    body: () => ({ name: randomUUID().slice(0, 30), permissions: ["payouts.transfer"] }),
  },
];
/** What moves no money, whoever does it: another permission of its page is enough. */
const HARMLESS =
  /^(POST|PUT|DELETE) \/(session\/|customers|customer-|items|item-files|opening-balances|opening-balance-files\/|templates|subscriptions|webhooks|notification-settings|book-settings|messages|ledger-check|clock|invoices|invoice-drafts|estimates|receipts|receipt-files\/|tds-claims|invoice-files|credit-notes$|credit-notes\/:credit_note_id\/cancel$|debit-notes|beneficiaries$|beneficiary-files|merchants$|transfers\/:transfer_id\/(?:tags$|attachments)|fundings$|reconciliation\/|operator-view$|profile$|kyc$|installation\/)/;
const HARMLESS_TOO = [
  // Nobody changes a user who may do more, or gives a permission that they lack; a weaker policy waits for a second person.
  "PUT /users/:user_id",
  "POST /users/:user_id/reset-password",
  "POST /users/:user_id/reset-second-factor",
  "PUT /roles/:name",
  "DELETE /roles/:name",
  "DELETE /access-keys/:access_key_id",
  "POST /approvals/:approval_id/reject",
  "POST /approvals/:approval_id/withdraw",
  "PUT /payout-policy",
  // Who it is and how it signs in, and its end.
  "PUT /franchises/:franchise_id",
  "DELETE /franchises/:franchise_id",
  "PUT /franchises/:franchise_id/login",
  "DELETE /franchises/:franchise_id/login",
  // What a file would come to, and what keeps money from leaving.
  "POST /payout-files/preview",
  "POST /payout-batches/:batch_id/cancel",
  "POST /scheduled-payouts/cancel",
  // How it is reached, and its end: what it stands for stays.
  "PUT /beneficiaries/:beneficiary_id",
  "POST /beneficiaries/:beneficiary_id/deactivate",
  "POST /beneficiaries/:beneficiary_id/verify",
  // The provider is asked for a balance.
  "POST /payout-accounts/:account_id/test",
  // An Owner's, with a second factor, and of a merchant that has no money yet.
  "POST /go-live",
];

describe("every route that moves money", () => {
  test("is in the table: a new one that changes something has to be put into one of the lists", async () => {
    const writes = (await listDashboardRoutes())
      .filter(({ method }) => method !== "GET")
      .map(({ method, url }) => `${method} ${pathOf(url)}`)
      .filter((name) => !name.includes("/merchants/:merchant_id"));
    const movers = MOVERS.map(({ route }) => route);
    expect(movers.filter((route) => !writes.includes(route))).toEqual([]);
    expect(writes.filter((n) => !movers.includes(n) && !HARMLESS.test(n) && !HARMLESS_TOO.includes(n))).toEqual([]);
  });

  test.each(PEOPLE)("is for %s what its permissions say", async (role) => {
    const franchiseId = await autoFranchise();
    const invoiceId = await invoiceOf("Owner", franchiseId);
    const earned = await pay("Owner", invoiceId, "100.00");
    expect(earned.status).toBe(200);
    const note = { request_key: randomUUID(), amount: "10.00", reason: "Returned" };
    expect((await ask("Owner", "POST", `/invoices/${invoiceId}/credit-notes`, note)).status).toBe(200);
    const byHand = { request_key: randomUUID(), amount: "1.00", ...SAID };
    const payment = await ask("Owner", "POST", `/franchises/${franchiseId}/payments`, byHand);
    expect(payment.status).toBe(200);
    const kind = role === "Operator" ? "operator" : role === "Franchise" ? "franchise" : "user";
    const held = permissionsOf(
      kind,
      role,
      MERCHANT_PERMISSIONS.filter((name) => !/^payouts\.(tr|wi)/.test(name)),
    );
    const accountBefore = (await ask("Owner", "GET", "/profile")).body["profile"];
    for (const { route, needs, or = needs, body } of MOVERS) {
      const [method, path] = route.split(" ") as [string, string];
      const filled = path
        .replace(":franchise_id", franchiseId)
        .replace(":payment_id", String(payment.body["payment_id"]))
        .replace(":invoice_id", invoiceId)
        .replace(/:[a-z_]+/, "1");
      const { status, body: answer } = await ask(role, method, filled, body());
      const isRefused = status === 403 && answer["code"] === "access_denied";
      // Nobody gets by without the permission. Who has it may still lack that of the page.
      if (!held.has(needs as never) && !held.has(or as never))
        expect([role, route, status, isRefused]).toEqual([role, route, 403, true]);
      if (role === "Owner") expect([route, status]).not.toEqual([route, 403]);
      if (role === "Owner") expect([route, status < 500]).toEqual([route, true]);
    }
    if (!held.has("payouts.transfer")) {
      expect([await dueOf(franchiseId), await payoutsOf(franchiseId)]).toEqual(["99.00", []]);
      expect((await ask("Owner", "GET", "/profile")).body["profile"]).toEqual(accountBefore);
    }
  });
});

test("afterwards the books and the marks of what waited and went on are sound", async () => {
  const waits = "select count(*) from journal where type = 'franchise.commission_waits' and merchant_id = $1";
  const { rows } = await site.pool.query<{ count: string }>(waits, [invoices.merchant.id]);
  expect(Number(rows[0]!.count)).toBeGreaterThan(0);
  const sealed =
    "select bool_and(coalesce(sealed_book.last_entry_no, 0) = ledger_book.last_entry_no) as done from ledger_book left join sealed_book using (bucket, merchant_id)";
  await expect.poll(async () => (await site.pool.query<{ done: boolean }>(sealed)).rows[0]!.done).toBe(true);
  expect(await site.findProblems()).toEqual([]);
});
