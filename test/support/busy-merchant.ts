// A merchant with data on every page of the dashboard: long names, large amounts, and inputs of earlier bugs. No assertion.
import { fundMerchant } from "../../src/ledger/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { Browser, newPerson } from "./dashboard.ts";
import { saveFranchiseWithLogin } from "./franchises.ts";
import { GOOD_ACCOUNT, type Installation, type Members } from "./installation.ts";
import { Invoices } from "./invoices.ts";
import type { Answer } from "./nodal.ts";

const LONG_NAME = "Shri Venkateshwara Agro Industries and Cold Storage Private Limited";
const FRANCHISE = { email: "busy.pune@example.com", password: "a long enough secret" };
/** Accounts of the sandbox, by how a payout to them ends. */
const PAYEES = [
  { name: "Asha Rao", mobile: "9876500000", email_id: "asha@example.com", ...GOOD_ACCOUNT },
  { name: LONG_NAME, account_number: "00011020001772", ifsc: "HDFC0000001" },
  { name: "Failing Fabrics", account_number: "2640101002729", ifsc: "CNRR0002640" },
  { name: "Pending Papers", account_number: "007711000031", ifsc: "HDFC0000077" },
  { name: "Returned Rubber", account_number: "7766671735000", ifsc: "SBIN0000004" },
  { name: "Meera Iyer", upi: "success@upi" },
];
const STATEMENT = `Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance
20/11/26,NEFT CR-ICIC0000001-WIRE TRADERS PRIVATE LIMITED-FUNDS-ICICN52026112000000001,ICICN52026112000000001,20/11/26,,"1,00,000.00","1,00,000.00"
20/11/26,IMPS-632500000042-RAVI KUMAR-SBIN-XXXX1234-PAYOUT,0000632500000042,20/11/26,"12,500.00",,"87,500.00"
20/11/26,SMS CHARGES,,20/11/26,17.70,,"87,482.30"
`;

/** The merchant's people, each signed in, and the addresses of pages that are about one thing. */
export type BusyMerchant = {
  readonly invoices: Invoices;
  readonly owner: Browser;
  readonly viewer: Browser;
  readonly franchise: Browser;
  readonly operator: Browser;
  /** By the parameter in the route: `$invoiceId`. */
  readonly ids: Readonly<Record<string, string>>;
};

/** Makes it, on an installation whose webhooks may go to this machine. */
export async function makeBusyMerchant(site: Installation): Promise<BusyMerchant> {
  const profile = { name: LONG_NAME, bankHolder: LONG_NAME, bankAccount: "00011020001772", ifsc: "HDFC0000001" };
  const invoices = await Invoices.ofNewMerchant(site, profile);
  const { id } = invoices.merchant;
  const { bucket, merchantId } = await requireMerchant(site.pool, BigInt(id));
  const funding = { bucket, merchantId, amountPaise: 12_34_56_789_05n, reference: "opening" };
  await fundMerchant(site.pool, new IdSource(site.pool), funding);
  const signIn = async (role?: string) => Browser.signIn(site, await newPerson(site, id, role));
  const owner = await signIn();
  const franchiseId = await saveFranchiseWithLogin(site, invoices.merchant, FRANCHISE, {
    franchise_code: "PUNE",
    franchise_name: "Pune and Pimpri-Chinchwad Branch",
  });
  const payouts = await makePayouts(owner, invoices);
  return {
    invoices,
    owner,
    viewer: await signIn("Viewer"),
    franchise: await Browser.signIn(site, { ...FRANCHISE, merchant: id }),
    operator: await Browser.signIn(site, await newPerson(site, null, "Operator")),
    ids: {
      $merchantId: id,
      $franchiseId: franchiseId,
      $templateId: invoices.templateId,
      ...payouts,
      ...(await makeBilling(owner, invoices, franchiseId)),
      ...(await makeItems(owner)),
      ...(await makeDraft(owner)),
      ...(await makeEstimate(owner)),
      ...(await makeReceipt(owner)),
      ...(await makeSettings(owner)),
      ...(await makeApprovals(owner, await signIn(), payouts.$beneficiaryId)),
    },
  };
}

async function makeDraft(owner: Browser) {
  const invoice = { customer_code: "AGRO-0001", particular_rows: [{ item: "Consulting", total_amount: "2345.50" }] };
  const { draft } = must(await owner.post("/invoice-drafts", { title: "Second half of April", invoice }));
  return { $draftId: (draft as { draft_id: string }).draft_id };
}

async function makeEstimate(owner: Browser) {
  const invoice = { customer_code: "AGRO-0001", particular_rows: [{ item: "Consulting", total_amount: "2345.50" }] };
  const dates = { estimate_date: "2026-04-01", valid_until: "2026-04-30" };
  must(await owner.post("/estimates", { ...dates, invoice }));
  const { estimate } = must(await owner.post("/estimates", { ...dates, valid_until: "2099-03-31", invoice }));
  return { $estimateId: (estimate as { estimate_id: string }).estimate_id };
}

async function makeReceipt(owner: Browser) {
  const { customers } = must(await owner.get("/customers?limit=1"));
  const { customer_id } = (customers as { customer_id: string }[])[0]!;
  const paid = { customer_id, date: "2026-04-28", mode: "NEFT", bank_ref_no: "UTR552211", allocations: [] };
  const { receipt } = must(await owner.post("/receipts", { ...paid, amount: "12345.60" }));
  return { $receiptId: (receipt as { receipt_id: string }).receipt_id };
}

async function makePayouts(owner: Browser, { merchant }: Invoices) {
  const payees: string[] = [];
  for (const payee of PAYEES) payees.push(await merchant.addBeneficiary(payee));
  for (const [index, beneficiary_id] of payees.entries()) {
    const payout = { amount: `${index + 1}2345.${index}0`, reference_id: `order-2026-11-${index}`, narrative: "Order" };
    must(await merchant.transfer({ beneficiary_id, ...payout }));
  }
  const large = { amount: "98765432.10", reference_id: "machine-hall", narrative: "Second instalment, machine hall" };
  const transfer = must(await merchant.transfer({ beneficiary_id: payees[1], ...large }));
  must(await merchant.withdraw({ amount: "250000.00" }));
  const inThreeDays = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 3 }).toString();
  const transfers = payees.slice(0, 3).map((beneficiary_id, index) => ({
    beneficiary_id,
    amount: "1500.00",
    reference_id: `salary-${index}`,
    ...(index === 0 ? { scheduled_for: inThreeDays } : {}),
  }));
  const { batch_id } = must(await merchant.post("/api/v1/beneficiary/transfer/batch", { transfers }));
  must(
    await owner.send("POST", "/reconciliation/import?account=HDFC&file_name=day.csv", STATEMENT, {
      "content-type": "text/csv",
    }),
  );
  return { $beneficiaryId: payees[0]!, $transferId: String(transfer["transfer_id"]), $batchId: String(batch_id) };
}

async function makeBilling(owner: Browser, invoices: Invoices, franchiseId: string) {
  const today = Temporal.Now.plainDateISO("Asia/Kolkata");
  await invoices.addCustomer({
    customer_code: "AGRO-0001",
    customer_name: LONG_NAME,
    email: "accounts.payable@venkateshwara-agro.example.com",
    mobile: "9876543211",
    address: "Survey No. 123/4, Hosur Road, behind the bus stand",
    city: "Krishnagiri",
    state: "Tamil Nadu",
    zipcode: "635001",
    customer_group: "Retail",
  });
  const rows = [
    { item: "Consulting", sac_code: "998311", description: "On site, April", gst: "18", total_amount: "1000000.50" },
    { item: "Travel", description: "", gst: "0", total_amount: "2345.00" },
  ];
  const dated = (daysAgo: number, daysToPay: number) => ({
    bill_date: today.subtract({ days: daysAgo }).toString(),
    due_date: today.subtract({ days: daysAgo - daysToPay }).toString(),
  });
  const made: Record<string, string>[] = [];
  for (const [index, customer_code] of ["AGRO-0001", "C1", "C1", "AGRO-0001"].entries()) {
    const franchise = index === 2 ? { franchise_id: franchiseId } : {};
    made.push(
      await invoices.add({ customer_code, particular_rows: rows, ...dated(40 - index * 12, 15), ...franchise }),
    );
  }
  const [first, second, third, last] = made.map((each) => each["invoice_id"]!);
  await invoices.pay(first, "250000.00");
  await invoices.pay(third, "1002345.50");
  await invoices.cancel(last);
  const note = { request_key: "a-note-of-a-busy-merchant", amount: "500.00", reason: "Goods returned" };
  must(await owner.post(`/invoices/${first}/credit-notes`, note));
  must(await owner.post(`/invoices/${third}/credit-notes`, { ...note, request_key: "another-note-of-the-same" }));
  must(
    await owner.post(`/invoices/${second}/send`, {
      request_key: "a-mail-of-a-busy-merchant",
      email: "ravi@example.com",
    }),
  );
  const subscription = await invoices.ask("/api/v1/merchant/subscription/save", {
    template_id: "",
    mode: "Monthly",
    repeat_every: "1",
    start_date: today.toString(),
    due_date: today.add({ days: 7 }).toString(),
    end_mode: "Never",
    carry_forword_dues: "1",
    invoice: { customer_code: "AGRO-0001", particular_rows: rows },
  });
  const saved = must(subscription)["srvrsp"] as Members;
  const { customers } = must(await owner.get("/customers")) as { customers: Record<string, string>[] };
  return {
    $invoiceId: first!,
    $subscriptionId: String(saved["subscription_id"]),
    $customerId: customers.find((each) => each["customer_code"] === "AGRO-0001")!["customer_id"]!,
  };
}

async function makeItems(owner: Browser) {
  const tax = { gst: "18", unit_price: "1234567.50", price_includes_tax: "1" };
  const details = { description: "On site, with a report", sac_code: "998311", unit: "NOS" };
  const { item } = must(
    await owner.post("/items", { item_code: "CONSULTING-ON-SITE-PER-DAY", name: LONG_NAME, ...details, ...tax }),
  ) as { item: Record<string, string> };
  must(await owner.post("/items", { item_code: "RICE", name: "Rice, loose", unit: "KGS", tax_treatment: "exempt" }));
  return { $itemId: item["item_id"]! };
}

async function makeSettings(owner: Browser) {
  const hook = { url: "http://127.0.0.1:9/hooks/nodal/production/payouts-and-invoices", description: "Accounts" };
  const { endpoint } = must(await owner.post("/webhooks", hook)) as { endpoint: Record<string, string> };
  must(await owner.post("/roles", { name: "Cashier", permissions: ["invoices.view"] }));
  return { $endpointId: endpoint["endpoint_id"]! };
}

async function makeApprovals(owner: Browser, second: Browser, beneficiary_id: string) {
  must(await owner.put("/payout-policy", { approve_over: "50000.00" }));
  const ask = (by: Browser, amount: string) =>
    by.post("/transfers", { beneficiary_id, amount, reference_id: `needs-approval-${amount}` });
  must(await ask(second, "75000.00"));
  must(await ask(second, "123456.78"));
  must(await ask(owner, "88000.00"));
  const { approvals } = must(await owner.get("/approvals")) as { approvals: Record<string, string>[] };
  return { $approvalId: approvals[0]!["approval_id"]! };
}

function must({ status, body }: Answer): Members {
  if (status !== 200) throw new Error(`refused: ${status} ${JSON.stringify(body)}`);
  return body as Members;
}
