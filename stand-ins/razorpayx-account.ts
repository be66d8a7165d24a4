// The account of the stand-in for RazorpayX: its balance, its transactions, and whose accounts are, which it has verified.
import type { FastifyInstance } from "fastify";
import {
  badRequest,
  collectionOf,
  idOf,
  notAnId,
  NO_SUCH_ID,
  ok,
  pageOf,
  readPage,
  secondsOf,
  SOURCE_ACCOUNT,
  type AccountType,
} from "./razorpayx-answers.ts";
import { payoutBody, statusOf } from "./razorpayx-payouts.ts";
import { fundAccountBody } from "./razorpayx-payees.ts";
import type { CheckedAccount } from "./account-checks.ts";
import type { Desk } from "./desk.ts";
import { isRecord, textOf, type Fields } from "./json.ts";
import type { Payment } from "./payout-book.ts";
import { give, isAnswer, type Answer } from "./stand-in.ts";

const BANK = { bank_name: "RBL Bank", bank_code: "RATN" };
const INDIA = "Asia/Kolkata";

/** Money in or out of the account; amounts in paise. */
type Transaction = { readonly id: string; readonly atMs: number; readonly paise: bigint; readonly source: object };

export function addAccountRoutes(app: FastifyInstance, desk: Desk, accountType: AccountType): void {
  const config = { operation: "balance" } as const;
  app.get("/v1/banking_balances", { config }, (request, reply) =>
    give(reply, listBalances(request.query as Fields, desk, accountType)),
  );
  app.get("/v1/transactions", { config }, (request, reply) => {
    const query = request.query as Fields;
    if (textOf(query, "account_number") !== SOURCE_ACCOUNT)
      return give(reply, badRequest("The account number is invalid.", { field: "account_number" }));
    const page = readPage(query);
    if (isAnswer(page)) return give(reply, page);
    const all = listTransactions(desk, accountType).toReversed();
    return give(reply, collectionOf(pageOf(all, page, ({ atMs }) => atMs).map(({ body }) => body)));
  });
  app.get("/v1/transactions/:id", { config }, (request, reply) => {
    const id = textOf(request.params as Fields, "id");
    const found = listTransactions(desk, accountType).find((each) => each.id === id);
    return give(reply, found ? ok(found.body) : notAnId(id));
  });
}

function listBalances(query: Fields, desk: Desk, accountType: AccountType): Answer {
  const page = readPage(query);
  if (isAnswer(page)) return page;
  const wanted = textOf(query, "account_type");
  if (wanted !== "" && wanted !== "current_account" && wanted !== "razorpayx_lite")
    return badRequest("The selected account type is invalid.", { field: "account_type" });
  const amount = desk.book.balancePaise();
  const bank = accountType === "current_account" ? BANK : { bank_name: null, bank_code: null };
  const account = {
    entity: "banking_balance",
    currency: "INR",
    account_number: SOURCE_ACCOUNT,
    account_type: accountType,
    ...bank,
    amount,
    available_amount: amount,
    refreshed_at: secondsOf(desk.clock.nowMs()),
  };
  const isWanted = (wanted === "" || wanted === accountType) && isBank(query, bank.bank_code);
  return collectionOf(isWanted ? [account].slice(page.skip, page.skip + page.count) : []);
}

function isBank(query: Fields, code: string | null): boolean {
  return query.bank_code === undefined || query.bank_code === code;
}

/** What has moved, the oldest first, with what was left after each. */
function listTransactions(desk: Desk, accountType: AccountType): (Transaction & { readonly body: object })[] {
  let balance = 0n;
  return [...fundingsOf(desk), ...payoutsOf(desk, accountType), ...collectionsOf(desk, accountType)]
    .toSorted((one, other) => one.atMs - other.atMs)
    .map((transaction) => {
      const { id, atMs, paise, source } = transaction;
      balance += paise;
      const amount = paise < 0n ? -paise : paise;
      const sides = { credit: paise > 0n ? amount : 0n, debit: paise < 0n ? amount : 0n };
      const named = { id, entity: "transaction", account_number: SOURCE_ACCOUNT, amount, currency: "INR", ...sides };
      return { ...transaction, body: { ...named, balance, source, created_at: secondsOf(atMs) } };
    });
}

function fundingsOf(desk: Desk): Transaction[] {
  return desk.book.listFundings().map(({ amountPaise, atMs }, index) => {
    const number = BigInt(index + 1);
    const payer = { payer_name: "Saurav Kumar", payer_account: "6543266545411243", payer_ifsc: "UTIB0000002" };
    const source = { id: idOf("bt", number), entity: "bank_transfer", ...payer, mode: "NEFT" };
    const reference = { bank_reference: `AXIR${String(number).padStart(12, "0")}`, amount: amountPaise };
    return {
      id: markedId("F", idOf("bt", number)),
      atMs: Number(atMs),
      paise: amountPaise,
      source: { ...source, ...reference },
    };
  });
}

/** Payouts that left, and reversals. An account that pays fees at once has them in both. */
function payoutsOf(desk: Desk, accountType: AccountType): Transaction[] {
  return desk.book
    .listPayments()
    .filter(({ state }) => state === "PENDING" || state === "PAID" || state === "REVERSED")
    .flatMap((payment): Transaction[] => {
      const { providerId, amountPaise, createdMs, updatedMs, state } = payment;
      const charged = accountType === "razorpayx_lite" && state !== "PENDING" ? feesOf(payment) : 0n;
      const paise = amountPaise + charged;
      const out = { id: markedId("P", providerId), atMs: Number(createdMs), paise: -paise, source: sourceOf(payment) };
      if (state !== "REVERSED") return [out];
      const reversal = {
        id: markedId("R", providerId).replace("txn", "rvrsl"),
        entity: "reversal",
        payout_id: providerId,
      };
      const given = {
        amount: amountPaise,
        fee: -charged,
        tax: charged === 0n ? 0n : -payment.taxPaise,
        utr: payment.utr,
      };
      return [
        out,
        { id: markedId("R", providerId), atMs: Number(updatedMs), paise, source: { ...reversal, ...given } },
      ];
    });
}

/** What a current account is charged for the payouts of a day, in one payout after its end. */
function collectionsOf(desk: Desk, accountType: AccountType): Transaction[] {
  if (accountType === "razorpayx_lite") return [];
  const dayOf = (ms: bigint | number): string =>
    Temporal.Instant.fromEpochMilliseconds(Number(ms)).toZonedDateTimeISO(INDIA).toPlainDate().toString();
  const charged = desk.book.listPayments().filter((payment) => desk.book.chargedPaise(payment) > 0n);
  const days = [...Map.groupBy(charged, ({ createdMs }) => dayOf(createdMs))].filter(
    ([day]) => day < dayOf(desk.clock.nowMs()),
  );
  return days.map(([day, payments]) => {
    const paise = payments.reduce((sum, payment) => sum + desk.book.chargedPaise(payment), 0n);
    const id = idOf("pout", BigInt(day.replaceAll("-", "")));
    const atMs = Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(INDIA).epochMilliseconds;
    const said = { id, entity: "payout", fund_account_id: null, amount: paise, notes: [], fees: 0n, tax: 0n };
    const ended = { status: "processed", purpose: "rzp_fees", utr: null, mode: "IMPS", created_at: secondsOf(atMs) };
    return { id: markedId("C", id), atMs, paise: -paise, source: { ...said, ...ended } };
  });
}

function feesOf({ feePaise, taxPaise }: Payment): bigint {
  return feePaise + taxPaise;
}

function sourceOf(payment: Payment): object {
  const { id, entity, fund_account_id, amount, notes, fees, tax, utr, mode, created_at } = payoutBody(
    payment,
  ) as Fields;
  return {
    id,
    entity,
    fund_account_id,
    amount,
    notes,
    fees,
    tax,
    status: statusOf(payment),
    utr,
    mode,
    created_at,
    fee_type: null,
  };
}

/** The id of a transaction: that of what it is about, with a letter for its kind. */
function markedId(letter: string, id: string): string {
  return `txn_${letter}${id.split("_")[1]!.slice(1)}`;
}

export function addValidationRoutes(app: FastifyInstance, desk: Desk, accountType: AccountType): void {
  const config = { operation: "verify" } as const;
  app.post("/v1/fund_accounts/validations", { config }, (request, reply) =>
    give(reply, startValidation(isRecord(request.body) ? request.body : {}, desk, accountType)),
  );
  app.get("/v1/fund_accounts/validations", { config }, (request, reply) => {
    const query = request.query as Fields;
    if (textOf(query, "account_number") !== SOURCE_ACCOUNT)
      return give(reply, badRequest("The account number is invalid.", { field: "account_number" }));
    const page = readPage(query);
    if (isAnswer(page)) return give(reply, page);
    const all = desk.accountChecks.list(desk.clock.nowMs()).toReversed();
    return give(
      reply,
      collectionOf(pageOf(all, page, ({ askedMs }) => askedMs).map((asked) => validationBody(asked, desk))),
    );
  });
  app.get("/v1/fund_accounts/validations/:id", { config }, (request, reply) => {
    const id = textOf(request.params as Fields, "id");
    const number = /^fav_0*([0-9A-Z]{1,8})$/.exec(id)?.[1];
    const asked = number ? desk.accountChecks.find(BigInt(Number.parseInt(number, 36)), desk.clock.nowMs()) : null;
    return give(reply, asked ? ok(validationBody(asked, desk)) : notAnId(id));
  });
}

function startValidation(fields: Fields, desk: Desk, accountType: AccountType): Answer {
  if (textOf(fields, "account_number") !== SOURCE_ACCOUNT)
    return badRequest("The account number is invalid.", { field: "account_number" });
  if (accountType !== "razorpayx_lite")
    return badRequest("Fund account validation is not available for this account.", { field: "account_number" });
  if (textOf(fields, "amount") !== "100") return badRequest("The amount must be INR 1.00", { field: "amount" });
  if (fields.currency !== "INR") return badRequest("The currency must be INR.", { field: "currency" });
  const payee = desk.book.findPayee(textOf(isRecord(fields.fund_account) ? fields.fund_account : {}, "id"));
  if (payee?.fields.account_type !== "bank_account") return badRequest(NO_SUCH_ID, { field: "fund_account" });
  const { name = "", account_number: accountNumber = "", ifsc = "" } = payee.fields;
  return ok(validationBody(desk.askAbout({ payeeId: payee.payeeId, name, accountNumber, ifsc }, false), desk));
}

/** An answer about an account: `completed` says that the check ended, not that the account is valid. */
function validationBody({ number, payeeId, askedMs, check }: CheckedAccount, desk: Desk): object {
  const status = check === null ? "failed" : check.status === "pending" ? "created" : "completed";
  const valid = check?.status === "valid" ? check : null;
  const account_status = valid ? "active" : check?.status === "invalid" ? "invalid" : null;
  return {
    id: idOf("fav", number),
    entity: "fund_account.validation",
    fund_account: fundAccountBody(desk.book.findPayee(payeeId)!),
    status,
    amount: 100n,
    currency: "INR",
    notes: [],
    results: { account_status, registered_name: valid?.nameAtBank ?? null },
    created_at: secondsOf(Math.floor(askedMs)),
    utr: valid?.utr ?? null,
  };
}
