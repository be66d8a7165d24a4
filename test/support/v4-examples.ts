// The examples of /api/v4: its main operations in an order that a newcomer can repeat, with the scopes that every key has. No
// assertions.
import type { Members } from "./installation.ts";
import type { Walk } from "./api-examples.ts";

const ROW = { item: "Consulting", sac_code: "998311", description: "April", gst: "18", total_amount: "10000.00" };

/** Calls each operation once, so that it succeeds. */
export async function walkV4(walk: Walk): Promise<void> {
  await walkPayments(walk);
  await walkItems(walk);
  const customer = await walkCustomers(walk);
  await walkInvoices(walk, customer);
  await walkDrafts(walk, customer);
  await walkReceipts(walk, await walkEstimates(walk, customer));
  await walkSubscriptions(walk, customer);
  await walkFranchises(walk);
}

async function walkPayments(walk: Walk): Promise<void> {
  const payees = "/api/v4/beneficiaries";
  const payee = {
    name: "Meera Shah",
    account_number: "00789101113",
    ifsc: "HDFC0000789",
    email_id: "meera@example.com",
  };
  const { beneficiary_id } = await walk.callV4(`POST ${payees}`, { body: payee });
  await walk.callV4(`GET ${payees}`, { query: { limit: "2" } });
  await walk.callV4(`GET ${payees}/{beneficiary_id}`, { params: { beneficiary_id } });
  await walk.callV4(`PUT ${payees}/{beneficiary_id}`, { params: { beneficiary_id }, body: { mobile: "9876543216" } });
  const query = { beneficiary_id, amount: "590.00" };
  await walk.callV4("GET /api/v4/transfers/preview", { query });
  const transfer = { ...query, reference_id: "v4-order-1", narrative: "Order 1", tags: ["Rent"] };
  const paid = await until(() => walk.callV4("POST /api/v4/transfers", { body: transfer }), "SUCCESS");
  await walk.callV4("GET /api/v4/transfers", { query: { limit: "1" } });
  await walk.callV4("GET /api/v4/transfers/{transfer_id}", { params: { transfer_id: paid["transfer_id"] } });
  const paidOne = { transfer_id: paid["transfer_id"] };
  await walk.callV4("PUT /api/v4/transfers/{transfer_id}/tags", { params: paidOne, body: { tags: ["Rent", "June"] } });
  await walk.callV4("GET /api/v4/transfer-tags", { query: { search: "r" } });
  await walk.callV4("GET /api/v4/withdrawals/preview", { query: { amount: "100.00" } });
  await walk.callV4("GET /api/v4/withdrawal-account");
  const withdrawal = { amount: "100.00", reference_id: "v4-withdrawal-1", narrative: "To our bank" };
  await until(() => walk.callV4("POST /api/v4/withdrawals", { body: withdrawal }), "SUCCESS");
  await walk.callV4("GET /api/v4/withdrawals", { query: { limit: "1" } });
  const later = { ...transfer, reference_id: "v4-later-1", scheduled_for: walk.day(3) };
  await walk.send("POST", "/api/v4/transfers", later);
  await walk.callV4("GET /api/v4/scheduled-payouts", { query: { limit: "1" } });
  await walk.callV4("GET /api/v4/payout-batches", { query: { limit: "1" } });
  await walk.callV4("GET /api/v4/approvals", { query: { limit: "1" } });
  await walk.callV4("GET /api/v4/payout-policy");
}

async function walkItems(walk: Walk): Promise<void> {
  const items = "/api/v4/items";
  const pen = { item_code: "PEN-01", name: "Ball pen", sac_code: "9608", unit: "NOS", unit_price: "10.00", gst: "18" };
  const { item } = await walk.callV4(`POST ${items}`, { body: pen });
  const params = { item_id: (item as { item_id: string }).item_id };
  await walk.callV4(`PUT ${items}/{item_id}`, { params, body: { unit_price: "12.00" } });
  await walk.callV4(`GET ${items}/{item_id}`, { params });
  await walk.callV4(`GET ${items}`, { query: { limit: "1" } });
  await walk.callV4(`POST ${items}/{item_id}/archive`, { params });
  await walk.callV4(`POST ${items}/{item_id}/restore`, { params });
  await walk.callV4(`POST ${items}/batch`, { body: { item: [{ item_code: "PEN-01", unit_price: "12.50" }] } });
}

async function walkCustomers(walk: Walk): Promise<string> {
  const customers = "/api/v4/customers";
  const { group_id } = await walk.callV4("POST /api/v4/customer-groups", { body: { name: "Retail" } });
  await walk.callV4("PUT /api/v4/customer-groups/{group_id}", { params: { group_id }, body: { name: "Shops" } });
  await walk.callV4("GET /api/v4/customer-groups");
  await walk.callV4("POST /api/v4/customer-columns", { body: { name: "Route", type: "text" } });
  await walk.callV4("GET /api/v4/customer-columns");
  const code = "V4-CUST-001";
  const body = { customer_code: code, customer_name: "Lakshmi Stores", state: "Karnataka", customer_group: ["Shops"] };
  const { customer_id } = await walk.callV4(`POST ${customers}`, { body });
  await walk.callV4(`GET ${customers}`, { query: { search: code, limit: "1" } });
  await walk.callV4(`PUT ${customers}/{customer_id}`, { params: { customer_id }, body: { mobile: "9876543217" } });
  await walk.callV4(`GET ${customers}/{customer_id}`, { params: { customer_id } });
  return code;
}

async function walkInvoices(walk: Walk, customer_code: string): Promise<void> {
  const invoices = "/api/v4/invoices";
  const invoice = {
    customer_code,
    bill_cycle_name: "April 2026",
    bill_date: walk.day(0),
    due_date: walk.day(14),
    particular_rows: [ROW],
  };
  await walk.callV4(`POST ${invoices}/preview`, { body: { invoice } });
  const saved = await walk.callV4(`POST ${invoices}`, { body: { invoice: [invoice, invoice] } });
  const [paidId, openId] = (saved["invoices"] as Members[]).map(({ invoice_id }) => invoice_id);
  const params = { invoice_id: paidId };
  await walk.callV4(`GET ${invoices}`, { query: { search: customer_code, limit: "1" } });
  await walk.callV4(`PUT ${invoices}/{invoice_id}`, {
    params: { invoice_id: openId },
    body: { invoice: { bill_cycle_name: "April" } },
  });
  await walk.callV4(`POST ${invoices}/{invoice_id}/cancel`, { params: { invoice_id: openId } });
  const payment = { paid_date: walk.day(0), amount: "11800.00", mode: "NEFT", bank_ref_no: "N091260002", notify: "0" };
  await walk.callV4(`POST ${invoices}/{invoice_id}/payments`, { params, body: payment });
  const note = { amount: "1180.00", reason: "Half a day less" };
  await walk.callV4(`POST ${invoices}/{invoice_id}/credit-notes`, { params, body: note });
  await walkOpeningBalances(walk, customer_code);
  await walkDebitNotes(walk, customer_code, String(paidId));
  await walk.callV4(`GET ${invoices}/{invoice_id}`, { params });
  await walk.callV4(`GET ${invoices}/totals`, { query: { search: customer_code } });
  await walkCreditNotes(walk, String(paidId));
  for (const list of ["payments", "credit-notes", "refunds"]) {
    await walk.callV4(`GET /api/v4/${list}`, { query: { search: customer_code, limit: "1" } });
    await walk.callV4(`GET /api/v4/${list}/totals`, { query: { search: customer_code } });
  }
}

async function walkCreditNotes(walk: Walk, invoice_id: string): Promise<void> {
  const note = { invoice_id, reason: "Rebate", kind: "financial", amount: "100.00" };
  const { credit_note_id } = await walk.callV4("POST /api/v4/credit-notes", { body: note });
  const params = { credit_note_id: String(credit_note_id) };
  await walk.callV4("GET /api/v4/credit-notes/{credit_note_id}", { params });
  await walk.callV4("POST /api/v4/credit-notes/{credit_note_id}/cancel", { params });
}

async function walkDebitNotes(walk: Walk, customer: string, invoice_id: string): Promise<void> {
  const debit = { invoice_id, reason: "Half a day more", rows: [{ row: 1, amount: "1000.00" }] };
  const { debit_note } = await walk.callV4("POST /api/v4/debit-notes", { body: debit });
  const debited = { params: { debit_note_id: (debit_note as { debit_note_id: string }).debit_note_id } };
  await walk.callV4("GET /api/v4/debit-notes", { query: { customer, limit: "1" } });
  await walk.callV4("GET /api/v4/debit-notes/{debit_note_id}", debited);
  await walk.callV4("POST /api/v4/debit-notes/{debit_note_id}/cancel", debited);
}

async function walkOpeningBalances(walk: Walk, customer_code: string): Promise<void> {
  const openings = "/api/v4/opening-balances";
  const body = {
    customer_code,
    date: walk.day(0),
    amount: "1500.00",
    note: "Three bills of last year",
    reference: "T-88",
  };
  const saved = await walk.callV4(`POST ${openings}`, { body });
  const { opening_balance_id } = saved["opening_balance"] as Members;
  const params = { opening_balance_id };
  await walk.callV4(`PUT ${openings}/{opening_balance_id}`, { params, body: { due_date: walk.day(14) } });
  await walk.callV4(`GET ${openings}/{opening_balance_id}`, { params });
  await walk.callV4(`GET ${openings}`, { query: { customer: customer_code, limit: "1" } });
  await walk.callV4(`POST ${openings}/{opening_balance_id}/cancel`, { params });
}

async function walkDrafts(walk: Walk, customer_code: string): Promise<void> {
  const drafts = "/api/v4/invoice-drafts";
  const body = { title: "Workshop in May", invoice: { customer_code, particular_rows: [ROW] } };
  const given = (await walk.callV4(`POST ${drafts}`, { body }))["draft"] as Members;
  await walk.callV4(`DELETE ${drafts}/{draft_id}`, { params: { draft_id: given["draft_id"] } });
  const { draft } = await walk.callV4(`POST ${drafts}`, { body });
  const params = { draft_id: (draft as Members)["draft_id"] };
  const invoice = { ...body.invoice, bill_date: walk.day(0), due_date: walk.day(14) };
  await walk.callV4(`PUT ${drafts}/{draft_id}`, { params, body: { ...body, invoice, version: 1 } });
  await walk.callV4(`GET ${drafts}`, { query: { limit: "1" } });
  await walk.callV4(`GET ${drafts}/{draft_id}`, { params });
  await walk.callV4(`POST ${drafts}/{draft_id}/issue`, { params, body: { version: 2 } });
}

/** Returns the customer's id. */
async function walkEstimates(walk: Walk, customer_code: string): Promise<unknown> {
  const estimates = "/api/v4/estimates";
  const dates = { estimate_date: walk.day(0), valid_until: walk.day(21), due_days: "14" };
  const body = { ...dates, invoice: { customer_code, particular_rows: [ROW] } };
  const given = (await walk.callV4(`POST ${estimates}`, { body }))["estimate"] as Members;
  const declined = { params: { estimate_id: given["estimate_id"] }, body: { reason: "Too expensive" } };
  await walk.callV4(`POST ${estimates}/{estimate_id}/decline`, declined);
  const { estimate } = await walk.callV4(`POST ${estimates}`, { body });
  const params = { estimate_id: (estimate as Members)["estimate_id"] };
  const change = { ...body, valid_until: walk.day(30), version: 1 };
  await walk.callV4(`PUT ${estimates}/{estimate_id}`, { params, body: change });
  await walk.callV4(`GET ${estimates}`, { query: { status: "Open", limit: "1" } });
  await walk.callV4(`GET ${estimates}/{estimate_id}`, { params });
  await walk.callV4(`POST ${estimates}/{estimate_id}/invoice`, { params, body: { version: 2 } });
  return (estimate as Members)["customer_id"];
}

async function walkReceipts(walk: Walk, customer_id: unknown): Promise<void> {
  const receipts = "/api/v4/receipts";
  const paid = { date: walk.day(0), mode: "NEFT", bank_ref_no: "N091260009" };
  const money = { amount: "5000.00", tds_amount: "500.00", tds_code: "1027", reference: "April" };
  const body = { customer_id, ...paid, ...money, allocations: [] };
  const given = (await walk.callV4(`POST ${receipts}`, { body }))["receipt"] as Members;
  const reversed = { params: { receipt_id: given["receipt_id"] }, body: { reason: "Cheque bounced" } };
  await walk.callV4(`POST ${receipts}/{receipt_id}/reverse`, reversed);
  const deducted = (await walk.callV4(`POST ${receipts}`, { body }))["receipt"] as Members;
  const claims = "/api/v4/tds-claims";
  const claim = { params: { claim_id: deducted["receipt_id"] } };
  await walk.callV4(`POST ${claims}/{claim_id}/certificate`, { ...claim, body: { certificate_number: "ABCDEFG" } });
  await walk.callV4(`GET ${claims}`, { query: { status: "received", limit: "1" } });
  await walk.callV4(`POST ${claims}/{claim_id}/put-back`, { ...claim, body: { reason: "Not in Form 26AS" } });
  const advance_gst = { rate: "18", description: "Website design" };
  const { receipt } = await walk.callV4(`POST ${receipts}`, { body: { ...body, advance_gst } });
  const params = { receipt_id: (receipt as Members)["receipt_id"] };
  await walk.callV4(`GET ${receipts}`, { query: { kind: "with_advance", limit: "1" } });
  await walk.callV4(`GET ${receipts}/{receipt_id}`, { params });
  const line = { import_key: "bank-2026-04-30-17", customer_id, ...paid, amount: "250.00" };
  await walk.callV4(`POST ${receipts}/batch`, { body: { receipt: [line] } });
  await walk.callV4(`POST ${receipts}/{receipt_id}/refund`, { params, body: { ...paid, amount: "1000.00" } });
  await walk.callV4(`POST ${receipts}/{receipt_id}/allocate`, { params, body: { date: walk.day(0) } });
}

async function walkSubscriptions(walk: Walk, customer_code: string): Promise<void> {
  const subscriptions = "/api/v4/subscriptions";
  // The months' dates would depend on the day of the run.
  const dates = {
    mode: "Weekly",
    repeat_every: "1",
    start_date: walk.day(7),
    due_date: walk.day(14),
    end_mode: "Occurrences",
    occurences: "12",
  };
  await walk.callV4(`POST ${subscriptions}/dates`, { body: dates });
  const invoice = { customer_code, particular_rows: [ROW] };
  const { subscription_id } = await walk.callV4(`POST ${subscriptions}`, { body: { ...dates, invoice } });
  for (const act of ["pause", "resume", "cancel"]) {
    const body = act === "resume" ? { bill_missed: "0" } : undefined;
    const request = { params: { subscription_id }, ...(body ? { body } : {}) };
    await walk.callV4(`POST ${subscriptions}/{subscription_id}/${act}`, request);
  }
}

async function walkFranchises(walk: Walk): Promise<void> {
  const franchises = "/api/v4/franchises";
  const body = {
    franchise_code: "V4-PUNE-01",
    franchise_name: "Pune East",
    contact_person_name: "Anil Rao",
    email_id: "pune.east@example.com",
    mobile: "9876543218",
    commission_type: "Percentage",
    commission: "10",
    settlement_type: "Manual",
  };
  const { franchise_id } = await walk.callV4(`POST ${franchises}`, { body });
  const params = { franchise_id };
  await walk.callV4(`PUT ${franchises}/{franchise_id}`, { params, body: { city: "Pune" } });
  await walk.callV4(`DELETE ${franchises}/{franchise_id}`, { params });
}

/** A repeated reference moves money once: it is sent until the bank has answered. */
async function until(send: () => Promise<Members>, status: string): Promise<Members> {
  for (let tries = 0; tries < 5; tries += 1) {
    const answer = await send();
    if (answer["status"] === status) return answer;
  }
  throw new Error(`no answer has the status ${status}`);
}
