// Calls every route of the API once, with the results of earlier calls. No assertions: the caller compares the routes with the
// OpenAPI document.
import { FRANCHISE_LEAST } from "./franchises.ts";
import { GOOD_ACCOUNT, type Installation, type Members, type TestMerchant } from "./installation.ts";
import { INVOICE_DETAIL, INVOICE_SAVE, INVOICE_SETTLE, PAYMENT, PLAIN } from "./invoices.ts";
import { ask, CUSTOMER_DETAIL, CUSTOMER_LIST, CUSTOMER_SAVE, CUSTOMER_UPDATE } from "./merchant-wire.ts";
import type { Answer } from "./nodal.ts";
import { REPEATED, SUBSCRIPTION_SAVE } from "./subscriptions.ts";

const BANK_OF_FRANCHISE = { bank_holder_name: "F", account_number: "00789101112", ifsc: "HDFC0000789" };

/**
 * Calls every route of the API once, so that it succeeds. Returns them by method and path; `told` hears of each route
 * when it has answered.
 */
export async function callEveryRoute(
  installation: Installation,
  merchant: TestMerchant,
  told: (route: string) => Promise<void> = async () => {},
): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const note = async (route: string, answer: Promise<Answer>): Promise<Members> => {
    const { body } = await answer;
    answers.set(route, await answer);
    await told(route);
    return body as Members;
  };
  const post = (path: string, body: Members): Promise<Members> => note(`POST ${path}`, merchant.post(path, body));
  const call = async (path: string, body: Members): Promise<Members[]> =>
    (await note(`POST ${path}`, ask(installation, merchant, path, body)))["srvrsp"] as Members[];
  await note("POST /api/token", installation.send("POST", "/api/token", merchant.keys));

  const { beneficiary_id } = await post("/api/v1/beneficiary/save", { name: "Asha", ...GOOD_ACCOUNT });
  await post("/api/v1/beneficiary/detail", GOOD_ACCOUNT);
  await note("GET /api/v1/beneficiary/list", merchant.list());
  await post("/api/v1/beneficiary/transfer", { beneficiary_id, amount: "10.00", reference_id: "r-1" });
  const later = { scheduled_for: Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 3 }).toString() };
  const asked = ["batch-1", "batch-2"].map((reference_id) => ({
    beneficiary_id,
    amount: "1.00",
    reference_id,
    ...later,
  }));
  const batch = "/api/v1/beneficiary/transfer/batch";
  const { batch_id } = await post(batch, { transfers: asked });
  await note(`GET ${batch}/status/{batch_id}`, merchant.get(`${batch}/status/${String(batch_id)}`));
  await note("GET /api/v1/beneficiary/transfer/scheduled", merchant.get("/api/v1/beneficiary/transfer/scheduled"));
  await post("/api/v1/beneficiary/transfer/cancel", { reference_id: "batch-1" });
  await post(`${batch}/cancel`, { batch_id });
  await post("/api/v1/payout/withdraw", { amount: "10.00" });
  await note("GET /api/v1/payout/transferstatus/{type}/{id}", merchant.status("referenceid", "r-1"));
  await note("GET /api/v1/payout/balance", merchant.balance());

  const login = { login_email: `f${merchant.id}@example.com`, password: "correct horse", role_name: "Franchise" };
  const franchise = { ...FRANCHISE_LEAST, enable_franchise_login: "1", ...login, ...BANK_OF_FRANCHISE };
  const { franchise_id } = await post("/api/v1/franchise/save", franchise);
  await post("/api/v1/franchise/update", { franchise_id, city: "Pune" });

  const groups = { custom_fields: [{ id: "1", name: "Note", type: "text", value: "x" }], customer_group: "Retail" };
  const customer = { customer_code: "C1", customer_name: "Ravi Kumar", ...groups };
  const [saved] = (await call(CUSTOMER_SAVE, { customer: [customer] })) as unknown as Members[][];
  await call(CUSTOMER_UPDATE, { customer: [{ customer_id: saved![0]!["customer_id"], city: "Pune" }] });
  const billed = { ...PLAIN, franchise_id, invoice_properties: { notify_patron: "1" } };
  const [paid, open] = await call(INVOICE_SAVE, { template_id: "", invoice: [billed, billed] });
  await call(INVOICE_SETTLE, { invoice_id: paid!["invoice_id"], amount: "100.00", ...PAYMENT, notify: "1" });
  await call("/api/v3/merchant/invoice/update", {
    invoice_id: open!["invoice_id"],
    invoice: { bill_cycle_name: "May" },
  });
  await call("/api/v3/merchant/invoice/deleteInvoice", { invoice_id: open!["invoice_id"] });
  await call(INVOICE_DETAIL, { invoice_id: paid!["invoice_id"] });
  await call("/api/v1/merchant/invoice/getlist", { group: "Retail" });
  await call(CUSTOMER_DETAIL, { customer_code: "C1" });
  await call(CUSTOMER_LIST, { searchby: "name", keyword: "Kumar" });
  const dates = { start_date: "2026-11-01", due_date: "2026-11-11" };
  const repeat = { mode: "Yearly", repeat_every: "1", end_mode: "Never", carry_forword_dues: "1", ...dates };
  await call(SUBSCRIPTION_SAVE, { template_id: "", ...repeat, invoice: REPEATED });
  await post("/api/v1/franchise/delete", { franchise_id });

  const page = await fetch(String(paid!["short_url"]));
  const pdf = await fetch(`${String(paid!["short_url"])}/pdf`);
  if (!page.ok || !pdf.ok) throw new Error(`the public page answered ${page.status}, its PDF ${pdf.status}`);
  return answers;
}
