// Every answer of the stand-in for Cashfree, and every call of the connector: for the contract's test. No assertions.
import { cashfree, verificationKeys } from "../../stand-ins/cashfree.ts";
import type { BookState } from "../../stand-ins/payout-book.ts";
import { Cashfree } from "../../src/payouts/providers/cashfree.ts";
import type { PaymentInstruction } from "../../src/payouts/rails/rail.ts";
import { driveGateway } from "./cashfree-gateway-drive.ts";
import { RECORDED, type RecordedStandIn } from "./recorded-stand-in.ts";

const NEVER = new AbortController().signal;
const VERSION = { "x-api-version": "2024-01-01" };
const KEYS = { "x-client-id": RECORDED.id, "x-client-secret": RECORDED.secret, ...VERSION };
const { id: VERIFY_ID, secret: VERIFY_SECRET } = verificationKeys(RECORDED);
const VERIFY_KEYS = { "x-client-id": VERIFY_ID, "x-client-secret": VERIFY_SECRET, ...VERSION };
const ACCOUNT = { bank_account_number: "50100012345678", bank_ifsc: "HDFC0001234" };
const DETAILS = { beneficiary_name: "Asha Rao", beneficiary_instrument_details: ACCOUNT };
const PAYEE = { beneficiary_id: "asha", ...DETAILS };
const TRANSFER = { transfer_id: "one", transfer_amount: 100, transfer_mode: "imps" };
const LONG = "x".repeat(51);
/** Accounts that fail, wait, come back and are paid. */
const ACCOUNTS = [
  ["50100012345678", "HDFC0001234"],
  ["2640101002729", "CNRR0002640"],
  ["026291800001190", "YESB0000262"],
  ["007711000031", "HDFC0000077"],
  ["7766671735000", "SBIN0000004"],
  ["34978321547298", "KKBK0000001"],
] as const;

/** Makes it give all its answers. */
export async function driveCashfree(standIn: RecordedStandIn): Promise<void> {
  standIn.desk.book.fund(100_000_000n);
  await driveConnector(standIn);
  await drivePayees(standIn);
  await driveTransfers(standIn);
  await driveBatches(standIn);
  await driveAccount(standIn);
  await driveVerification(standIn);
  await driveGateway(standIn);
}

/** The webhooks of a transfer in each state. */
export function cashfreeWebhooks(standIn: RecordedStandIn): unknown[] {
  const [payment] = standIn.desk.book.listPayments();
  const states: readonly BookState[] = ["QUEUED", "PENDING", "PAID", "FAILED", "REJECTED", "REVERSED"];
  return states.flatMap((state) => {
    const body = cashfree.noticeOf({ ...payment!, state, reason: null }, 1n);
    return body === null ? [] : [JSON.parse(body) as unknown];
  });
}

async function driveConnector(standIn: RecordedStandIn): Promise<void> {
  const { desk, url } = standIn;
  const keys = { id: RECORDED.id, secret: RECORDED.secret, webhookSecret: RECORDED.secret, olderWebhookSecret: null };
  const more = { verification: { id: VERIFY_ID, secret: VERIFY_SECRET }, moreWebhookSecrets: [], sourceAccount: null };
  const access = { baseUrl: url, ...keys, ...more, returnsFees: false, tag: "abc123", timeoutMs: 5000 };
  const connector = new Cashfree({ ...access, fundSource: null, signingKey: null });
  const signingKey = desk.signingKeys.publicKey.export({ type: "spki", format: "pem" });
  const signed = new Cashfree({ ...access, fundSource: "CASHFREE_2", signingKey });
  let transferId = 0n;
  const pay = (payee: Partial<PaymentInstruction["payee"]>, change: Partial<PaymentInstruction> = {}) => {
    transferId += 1n;
    const base = { transferId, bucket: 1, merchantId: 2n, amountPaise: 10_000n, mode: "IMPS", narrative: "x" } as const;
    return { ...base, payee: { name: "Asha", accountNumber: null, ifsc: null, upi: null, ...payee }, ...change };
  };
  for (const one of [connector, signed]) await one.check(NEVER);
  desk.isListed = false;
  await signed.check(NEVER);
  await connector.check(NEVER).catch(() => {});
  desk.isListed = true;
  for (const [accountNumber, ifsc] of ACCOUNTS) {
    const payment = pay({ accountNumber, ifsc });
    for (const merchantId of [2n, 3n]) await signed.submit({ ...payment, merchantId }, NEVER);
    desk.tick();
    for (const merchantId of [2n, 3n]) await connector.status({ ...payment, merchantId }, NEVER);
    const question = { bucket: 1, merchantId: 2n, payee: { ...payment.payee, accountNumber, ifsc }, mobile: "" };
    await connector.verifyAccount({ ...question, reference: null }, NEVER).catch(() => {});
    await connector.verifyAccount({ ...question, reference: "1" }, NEVER).catch(() => {});
  }
  for (const upi of ["success@upi", "failure@upi"])
    for (const merchantId of [2n, 3n]) await connector.submit(pay({ upi }, { mode: "UPI", merchantId }), NEVER);
  for (const kind of ["low_balance", "unknown_payee", "too_many", "error_before"]) {
    desk.faults.add({ kind, on: "submit", count: 1 });
    const payment = pay({ accountNumber: "50100012345678", ifsc: "HDFC0001234" });
    await connector.submit(payment, NEVER).catch(() => {});
    await connector.submit(payment, NEVER).catch(() => {});
  }
  desk.faults.clear();
}

async function drivePayees(standIn: RecordedStandIn): Promise<void> {
  const make = (body: object) => standIn.call("POST", "/payout/beneficiary", { headers: KEYS, body });
  const by = (instrument: object) => make({ ...PAYEE, beneficiary_instrument_details: instrument });
  await make({
    ...PAYEE,
    beneficiary_instrument_details: { bank_account_number: "1223334444", bank_ifsc: "HDFC0000001", vpa: "a@upi" },
  });
  await make(PAYEE);
  for (const change of [{ beneficiary_id: LONG }, { beneficiary_id: "a b" }, { beneficiary_name: "A1" }])
    await make({ ...PAYEE, ...change });
  await by({});
  for (const change of [{ bank_ifsc: "" }, { bank_account_number: "" }, { bank_ifsc: "SBIN00708410" }])
    await by({ ...ACCOUNT, ...change });
  for (const account of ["1".repeat(26), "12", "123@"]) await by({ ...ACCOUNT, bank_account_number: account });
  await by({ vpa: "no handle" });
  const account = "bank_account_number=1223334444";
  const queries = ["", "beneficiary_id=asha", "beneficiary_id=nobody", `beneficiary_id=${LONG}`, account];
  const others = [`${account}&bank_ifsc=HDFC0000001`, `${account}&bank_ifsc=HDFC0000002`, "bank_ifsc=HDFC0000001"];
  for (const query of [...queries, ...others, `${account}&bank_ifsc=HDFC0000001&beneficiary_id=asha`])
    await standIn.call("GET", `/payout/beneficiary?${query}`, { headers: KEYS });
  for (const query of ["", "beneficiary_id=asha", "beneficiary_id=asha", `beneficiary_id=${LONG}`])
    await standIn.call("DELETE", `/payout/beneficiary?${query}`, { headers: KEYS });
  await make(PAYEE);
}

/** Invalid transfers. */
const WRONG_TRANSFERS: readonly object[] = [
  { transfer_id: "" },
  { transfer_id: "a b" },
  { transfer_amount: undefined },
  { transfer_amount: 0.5 },
  { transfer_mode: "pigeon" },
  { transfer_mode: "upi" },
  { transfer_remarks: "#" },
  { beneficiary_details: { beneficiary_id: "a b" } },
  { beneficiary_details: { beneficiary_id: "nobody" } },
  { beneficiary_details: { ...DETAILS, beneficiary_name: "A1" } },
  { beneficiary_details: { ...DETAILS, beneficiary_instrument_details: { ...ACCOUNT, bank_account_number: "1" } } },
  { beneficiary_details: { ...DETAILS, beneficiary_instrument_details: { ...ACCOUNT, bank_ifsc: "X" } } },
  { beneficiary_details: { ...DETAILS, beneficiary_instrument_details: { vpa: "no handle" } } },
];

async function driveTransfers(standIn: RecordedStandIn): Promise<void> {
  const send = (body: object) => standIn.call("POST", "/payout/transfers", { headers: KEYS, body });
  await send({ ...TRANSFER, beneficiary_details: DETAILS });
  await send({ ...TRANSFER, beneficiary_details: DETAILS });
  for (const wrong of WRONG_TRANSFERS)
    await send({ ...TRANSFER, transfer_id: "two", beneficiary_details: DETAILS, ...wrong });
  const { providerId } = standIn.desk.book.findByClientId("one")!;
  const paths = ["?transfer_id=one", "?transfer_id=nothing", `?cf_transfer_id=${providerId}`, "?cf_transfer_id=7", ""];
  for (const path of [...paths, "/one", "/nothing"])
    await standIn.call("GET", `/payout/transfers${path}`, { headers: KEYS });
  for (const state of ["QUEUED", "PENDING", "PAID", "FAILED", "REJECTED", "REVERSED"] as const) {
    standIn.desk.book.move(providerId, state, null, 0);
    await standIn.call("GET", "/payout/transfers?transfer_id=one", { headers: KEYS });
  }
}

async function driveBatches(standIn: RecordedStandIn): Promise<void> {
  const send = (body: object) => standIn.call("POST", "/payout/transfers/batch", { headers: KEYS, body });
  const transfer = { ...TRANSFER, transfer_id: "first", beneficiary_details: DETAILS };
  await send({ batch_transfer_id: "batch", transfers: [transfer] });
  await send({ batch_transfer_id: "batch", transfers: [transfer] });
  for (const change of [{ batch_transfer_id: "" }, { batch_transfer_id: "a b" }, { transfers: [] }])
    await send({ batch_transfer_id: "other", transfers: [transfer], ...change });
  for (const wrong of [...WRONG_TRANSFERS, { transfer_id: "first" }])
    await send({ batch_transfer_id: "other", transfers: [{ ...transfer, transfer_id: "second", ...wrong }] });
  const paths = [
    "?batch_transfer_id=batch",
    "?batch_transfer_id=nothing",
    "?cf_batch_transfer_id=7",
    "/batch",
    "/nothing",
  ];
  for (const path of paths) await standIn.call("GET", `/payout/transfers/batch${path}`, { headers: KEYS });
  standIn.desk.tick();
  await standIn.call("GET", "/payout/transfers/batch?batch_transfer_id=batch", { headers: KEYS });
}

async function driveAccount(standIn: RecordedStandIn): Promise<void> {
  const wrong = { ...KEYS, "x-client-secret": "wrong" };
  for (const headers of [KEYS, wrong]) await standIn.call("POST", "/payout/v1/authorize", { headers, body: {} });
  for (const path of ["/payout/v1/getBalance", "/payout/v1.2/getBalance"])
    await standIn.call("GET", path, { headers: { authorization: "Bearer none" } });
  await standIn.call("GET", "/payout/transfers?transfer_id=one", { headers: wrong });
  for (const kind of ["error_before", "error_after", "too_many"]) {
    standIn.desk.faults.add({ kind, count: 1 });
    await standIn.call("GET", "/payout/transfers?transfer_id=one", { headers: KEYS });
  }
}

async function driveVerification(standIn: RecordedStandIn): Promise<void> {
  const ask = (body: object, headers = VERIFY_KEYS) =>
    standIn.call("POST", "/verification/bank-account/sync", { headers, body });
  const question = { bank_account: "50100012345678", ifsc: "HDFC0001234", name: "Asha" };
  await ask(question, KEYS);
  for (const account of ["", "12 34", "123", "1".repeat(41)]) await ask({ ...question, bank_account: account });
  for (const change of [{ ifsc: "X" }, { name: "#" }, { phone: "x" }]) await ask({ ...question, ...change });
  for (const headers of [VERIFY_KEYS, KEYS])
    await standIn.call("GET", "/verification/bank-account?reference_id=99", { headers });
}
