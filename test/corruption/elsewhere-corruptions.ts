// What somebody with the whole database may do to where money and credentials go, later and elsewhere: accounts at providers,
// batches that wait, statements, settings, and who customers are told to pay.
import { OF_MERCHANT, one, setIn, type Corruption } from "./corruption.ts";

const merchant = (change: string) => setIn("merchant", "merchant_id", "merchant", change);
const login = (change: string) => setIn("login", "login_id", "ravi", change);
const account = (change: string) => setIn("provider_account", "account_id", "provideraccount", change);
const line = (change: string) => `update payout_batch_line set ${change} where batch_id = $batch and line_no = 1`;
const batch = (change: string) => setIn("payout_batch", "batch_id", "batch", change);
const item = (change: string) => setIn("clearing_item", "subject_id", "paid", change);
const statementImport = (change: string) => setIn("statement_import", "import_id", "import", change);
const statementLine = (change: string) => setIn("statement_line", "line_id", "line", change);

/** Where money and credentials go, later and elsewhere. */
export const ELSEWHERE: readonly Corruption[] = [
  ...(
    [
      ["where a provider is called", "base_url = 'https://else.example'"],
      ["whose account it is at the provider", "key_id = 'else'"],
      ["what payments are called there", "tag = 'zzzzzz'"],
      ["what an account at a provider carries", `priorities = '{"IMPS": 9}'`],
      ["that an account was connected by now", "disconnected_at = null, connected_at = now()"],
      ["that reversals give fees back", "returns_fees = not returns_fees"],
      ["how often a provider may be called", "calls_per_second = 1"],
      ["which fund source pays", "fund_source = 'else'"],
      ["an older secret of webhooks", "older_webhook_secret = secret"],
    ] as const
  ).map(([what, change]) => one(what, "sealed_provider_account", account(change))),
  one(
    "an account at a provider is gone",
    "sealed_provider_account",
    "delete from provider_account where account_id = $provideraccount",
  ),
  one(
    "an account at a provider is added",
    "sealed_provider_account",
    `insert into provider_account select (jsonb_populate_record(provider_account, '{"account_id": 80}')).* from provider_account where account_id = $provideraccount`,
  ),
  one(
    "where the installation's provider is called",
    "sealed_provider_account",
    setIn("provider_account", "account_id", "providerdefault", "base_url = 'https://else.example'"),
  ),
  one(
    "over which accounts all merchants pay",
    "sealed_installation",
    `update installation set payout_rails = '{"IMPS": "cashfree:1"}'`,
  ),
  one("that all merchants pay over accounts", "sealed_installation", "update installation set payout_rails = null"),
  one("an operator's name", "sealed_login", setIn("login", "login_id", "operator", "name = 'Else'")),
  one("an operator's password", "sealed_login", setIn("login", "login_id", "operator", "password_hash = 'else'")),
  one("an operator is disabled", "sealed_login", setIn("login", "login_id", "operator", "disabled_at = now()")),
  one(
    "an operator is added",
    "sealed_login",
    `insert into login (
       bucket, merchant_id, login_id, kind, email, name, role_name, password_hash, must_change_password, created_at)
     select bucket, merchant_id, 81, kind, 'new@example.com', name, role_name, password_hash, false, now()
     from login where login_id = $operator`,
  ),
  one("a line's amount", "batch_line_proof", line("amount_paise = amount_paise * 100")),
  one("whom a line pays", "batch_line_proof", line("beneficiary_id = $payee")),
  one("a line's reference", "batch_line_proof", line("reference_id = 'else'")),
  one("how a line is paid", "batch_line_proof", line("mode = 'upi'")),
  one(
    "when a line is paid",
    "batch_line_proof",
    "update payout_batch_line set scheduled_for = null where batch_id = $batch and line_no = 2",
  ),
  one("a line without its proof", "batch_line_proof", line("proof = null")),
  one(
    "a line is added",
    "batch_line_proof",
    `insert into payout_batch_line select (jsonb_populate_record(payout_batch_line, '{"line_no": 9, "reference_id": "else", "transfer_id": 82}')).* from payout_batch_line where batch_id = $batch and line_no = 1`,
  ),
  one("a line is gone", "batch_lines", "delete from payout_batch_line where batch_id = $batch and line_no = 2"),
  one(
    "a line is gone, and its batch says so",
    "batch_requested",
    "delete from payout_batch_line where batch_id = $batch and line_no = 2",
    batch("line_count = 1, total_paise = 100"),
  ),
  one("a batch is gone", "batch_lines", "delete from payout_batch where batch_id = $batch"),
  one(
    "a batch is gone with its lines",
    "batch_requested",
    "delete from payout_batch_line where batch_id = $batch",
    "delete from payout_batch where batch_id = $batch",
  ),
  one(
    "a payout for a later day is gone with its batch",
    "batch_requested",
    "delete from payout_batch using payout_batch_line line where payout_batch.batch_id = line.batch_id and transfer_id = $scheduled",
    "delete from payout_batch_line where transfer_id = $scheduled",
  ),
  one(
    "when a payout for a later day is gone",
    "batch_requested",
    "delete from payout_batch_line where transfer_id = $scheduled",
  ),
  one("that a batch is approved", "batch_proof", batch("is_approved = true")),
  one("who asked for a batch", "batch_proof", batch("requested_by = 'user:1'")),
  one("what a batch comes to", "batch_proof", batch("total_paise = 1")),
  one("what a statement says moved", "statement_line_proof", statementLine("amount_paise = 1")),
  one("that a line of a statement is a fee", "statement_line_proof", statementLine("is_charge = true")),
  one("which payment a line of a statement is", "statement_line_proof", statementLine("payment_of = $paid")),
  one("what a line of a statement says", "statement_line_proof", statementLine("narration = ''")),
  one("on which day it was booked", "statement_line_proof", statementLine("booked_on = booked_on - 1")),
  one("which other days it had", "statement_line_proof", statementLine("other_days = '2026-01-01'")),
  one("by which reference it is compared", "statement_line_proof", statementLine("compared_reference = 'ELSE0001'")),
  one(
    "a line of a statement is added",
    "statement_line_proof",
    `insert into statement_line select (jsonb_populate_record(statement_line, '{"line_id": 83, "copy_no": 2}')).* from statement_line where line_id = $line`,
  ),
  one("a line of a statement is gone", "imported_lines", "delete from statement_line where line_id = $line"),
  one(
    "all lines of a statement are gone",
    "imported_lines",
    "delete from statement_line where import_id = $import",
    setIn("statement_import", "import_id", "import", "new_count = 0"),
  ),
  one("an import is gone", "imported_lines", "delete from statement_import where import_id = $import"),
  one(
    "an import is gone with its lines",
    "imported_lines",
    "delete from statement_line where import_id = $import",
    "delete from statement_import where import_id = $import",
  ),
  one("what a statement closed with", "statement_import_proof", statementImport("closing_paise = 1")),
  one("what a statement opened with", "statement_import_proof", statementImport("opening_paise = 1")),
  one("which days a statement is of", "statement_import_proof", statementImport("from_on = null")),
  one("which account a statement is of", "statement_import_proof", statementImport("account_id = 1")),
  one("how a statement was read", "statement_import_proof", statementImport("format = 'mt940'")),
  one("which layout a statement had", "statement_import_proof", statementImport("layout = 'mt940'")),
  one("an account of statements is gone", "imported_lines", `delete from statement_account where ${OF_MERCHANT}`),
  one(
    "which columns the files of an account have",
    "statement_account_proof",
    `update statement_account set mapping = '{"debit": "Balance"}' where ${OF_MERCHANT}`,
  ),
  one(
    "which order the dates of an account have",
    "statement_account_proof",
    `update statement_account set date_order = 'month-first' where ${OF_MERCHANT}`,
  ),
  one(
    "that a line repeats another",
    "statement_line_proof",
    statementLine("duplicate_of = case when duplicate_of is null then 1 end"),
  ),
  one("that a line is set aside", "statement_line_proof", statementLine("state = 'noted', note = 'Fine'")),
  one(
    "that a line is of another merchant",
    "statement_line_proof",
    statementLine("state = 'noted', note = 'Another merchant''s payment over this account'"),
  ),
  one(
    "that a line that was set aside is open",
    "statement_line_proof",
    setIn("statement_line", "line_id", "aside", "state = 'missing_here', note = null"),
  ),
  one("the UTR by which a payout is matched", "clearing_item_proof", item("utr_key = 'ELSE0001'")),
  one("that a payout has a UTR", "clearing_item_proof", item("utr_key = null")),
  one("the reference by which a payout is matched", "clearing_item_proof", item("reference_key = 'ELSE0001'")),
  one("the day by which a fee is matched", "clearing_item_proof", item("posted_on = posted_on - 1")),
  one("that a payout is set aside", "clearing_item_proof", item("note = 'Fine'")),
  one("what a statement has to show is gone", "clearing_items", "delete from clearing_item where subject_id = $paid"),
  one("who bears fees", "sealed_merchant", merchant("fees_paid_by = 'platform'")),
  one("what becomes of payouts while a provider is down", "sealed_merchant", merchant("when_down = 'fail'")),
  one("when a payout that waits is given up", "sealed_merchant", merchant("give_up_minutes = 1")),
  one(
    "over which account a merchant's money leaves",
    "sealed_merchant",
    merchant(`payout_rails = '{"IMPS": "cashfree:1"}'`),
  ),
  one("a merchant's day", "sealed_merchant", merchant("clock_date = '2030-01-01'")),
  one("a login's name", "sealed_login", login("name = 'Asha'")),
  one("that a password must be changed", "sealed_login", login("must_change_password = false")),
  one("that mail tells of approvals", "sealed_login", login("approval_mail = not approval_mail")),
  one(
    "whom customers are told to pay",
    "sealed_template",
    `update template set upi_handle = 'else@okhdfc' where ${OF_MERCHANT}`,
  ),
  one(
    "which company customers are told to pay",
    "sealed_template",
    `update template set company = '{"name": "Else"}' where ${OF_MERCHANT}`,
  ),
  one(
    "how invoices are numbered",
    "sealed_template",
    `update number_series set prefix = 'ELSE-' where ${OF_MERCHANT} and series_id = (select (series ->> 'invoice')::bigint from template where ${OF_MERCHANT} limit 1)`,
  ),
  one(
    "that events are sent",
    "sealed_webhook_endpoint",
    setIn("webhook_endpoint", "endpoint_id", "endpoint", "status = 'Disabled'"),
  ),
];
