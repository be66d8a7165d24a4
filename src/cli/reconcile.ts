// `nodal reconcile`: compare bank and provider statements with the ledger.
import { basename } from "node:path";
import { csvFile } from "../platform/csv.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { fieldRefusal } from "../platform/errors.ts";
import { fail, readOnlyField } from "../platform/http/field.ts";
import {
  date,
  digitsOrNumber,
  oneOf,
  optional,
  optionalText,
  requiredText,
  wholeNumber,
  type Field,
} from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import {
  bookAsFunding,
  bookFee,
  columnMapping,
  DATE_ORDERS,
  describeSuggestions,
  NO_RECEIPTS,
  findMatchesOfLines,
  findStatementAccount,
  importStatement,
  itemNames,
  LINE_COLUMNS,
  LINE_STATES,
  lineNumbers,
  listCandidates,
  listImports,
  listLines,
  listMissingThere,
  readReceiptLine,
  listStatementAccounts,
  matchByHand,
  nameOfItem,
  readReconciledDay,
  reconcile,
  setAside,
  STATEMENT_FORMATS,
  undoFee,
  undoMatches,
  type ListedLine,
  type StatementAccount,
} from "../reconciliation/index.ts";
import { flag, group, ifGiven, merchantCommand, option, type MerchantScope } from "./command.ts";
import { readGivenFile } from "./given-file.ts";
import { formatTable, listAnswer, paragraphs, recordAnswer, type Entries } from "./output.ts";

const MAX_LINES = 1000;
const DAY_LINES = 200_000;
const STATES = [...LINE_STATES, "missing_there"].map((state) => state.replace("_", "-"));

const ACCOUNT = option("<name>", "your name for the account, such as HDFC", requiredText(60));

const importCommand = merchantCommand({
  description: "import a bank's or provider's statement and match it; repeated lines count once",
  example: "--account HDFC --file statement.csv",
  notes: () =>
    "CSV (columns are recognised by their headings; otherwise use --map, which is remembered), MT940, camt.053, or the " +
    "response of RazorpayX's GET /v1/transactions.",
  options: {
    account: option("<name>", "your name for the account; a new name creates it", requiredText(60)),
    file: option("<path>", "the statement", statementFile()),
    format: option("<name>", `${STATEMENT_FORMATS.join(", ")}; default: detected`, optional(oneOf(STATEMENT_FORMATS))),
    map: option(
      "<columns>",
      "such as date=Txn Date,debit=Withdrawal,credit=Deposit,reference=UTR",
      optional(columnMapping()),
      {
        named: "mapping",
        isRepeated: true,
      },
    ),
    dates: option(
      "<order>",
      `${DATE_ORDERS.join(" or ")}: needed if the dates in the file are ambiguous; remembered`,
      optional(oneOf(DATE_ORDERS)),
      { named: "date_order" },
    ),
  },
  async run(scope, { account, file: { path, bytes }, format, map, dates }) {
    const given = { account, fileName: basename(path), bytes, format, mapping: map, dateOrder: dates };
    const made = await importStatement({ ...scope, accounts: scope.pool }, given);
    const { matchedLines, openLines } = await reconcile(scope);
    return recordAnswer({
      import_id: String(made.importId),
      account,
      format: made.format,
      from: made.fromOn?.toString() ?? null,
      to: made.toOn?.toString() ?? null,
      lines: made.lineCount,
      new_lines: made.newCount,
      not_booked: made.notBookedCount,
      opening_balance: rupees(made.openingPaise),
      closing_balance: rupees(made.closingPaise),
      matched: matchedLines,
      open: openLines,
    });
  },
});

const run = merchantCommand({
  description: "match open lines again",
  async run(scope) {
    const { matchedLines, openLines } = await reconcile(scope);
    return recordAnswer({ matched: matchedLines, open: openLines });
  },
});

const accounts = merchantCommand({
  description: "list accounts with imported statements, and the last import of each",
  async run({ pool, merchant }) {
    const imports = await listImports(pool, merchant, MAX_LINES);
    const rows = (await listStatementAccounts(pool, merchant)).map(({ accountId, name }) => {
      const last = imports.find((each) => each.accountId === accountId);
      return {
        account: name,
        last_file: last?.fileName ?? null,
        to: last?.toOn?.toString() ?? null,
        closing_balance: rupees(last?.closingPaise ?? null),
        imported_at: formatTimestamp(last?.importedAt ?? null, merchant.timeZone),
      };
    });
    return listAnswer(rows, "No statements yet: import one with `nodal reconcile import`.");
  },
});

const report = merchantCommand({
  description: "report a day of an account: opening, in, out, closing, and the status of its lines",
  example: "--account HDFC --date 2026-11-20 --csv",
  options: {
    account: ACCOUNT,
    date: option("<date>", "the day", date()),
    csv: flag("write the day's lines as CSV for a spreadsheet"),
  },
  async run(scope, { account: name, date: day, csv }) {
    const account = await requireAccount(scope, name);
    const search = { accountId: account.accountId, from: day, to: day, state: null, after: null, limit: DAY_LINES };
    if (csv) {
      const lines = await listLines(scope, search);
      const columns = Object.values(LINE_COLUMNS);
      const rows = lines.map((line) => columns.map((cellOf) => cellOf(line)));
      return { json: lines.map(describe), text: csvFile([Object.keys(LINE_COLUMNS), ...rows]).slice(0, -1) };
    }
    const { openingPaise, closingPaise, inPaise, outPaise, gapPaise, counts, missingThere } = await readReconciledDay(
      scope,
      account,
      day,
    );
    const record = {
      account: name,
      date: day.toString(),
      opening_balance: rupees(openingPaise),
      in: formatPaise(inPaise),
      out: formatPaise(outPaise),
      closing_balance: rupees(closingPaise),
      gap: rupees(gapPaise),
      ...counts,
      missing_there: missingThere.count,
      missing_there_amount: formatPaise(missingThere.paise),
    };
    return recordAnswer(record, gapPaise ? "Lines of this day are missing: import a statement that has them all." : "");
  },
});

const list = merchantCommand({
  description: "list statement lines by state; missing-there lists payments on no statement",
  example: "--state missing-here",
  options: {
    state: option("<state>", STATES.join(", "), optional(oneOf(STATES))),
    account: ifGiven(ACCOUNT, "only lines of this account"),
    from: option("<date>", "first day", optional(date())),
    to: option("<date>", "last day", optional(date())),
    limit: option("<n>", `at most this many, 1 to ${MAX_LINES}; default: 100`, optional(wholeNumber(1, MAX_LINES))),
  },
  async run(scope, { state, account, from, to, limit }) {
    if (state === "missing-there") {
      const items = await listMissingThere(scope, limit ?? 100);
      const rows = items.map((item) => ({
        what: nameOfItem(item),
        posted_on: item.postedOn.toString(),
        amount: formatPaise(item.amountPaise),
        utr: item.utrKey,
      }));
      return listAnswer(rows, "Nothing is missing from the statements.");
    }
    const accountId = account === null ? null : (await requireAccount(scope, account)).accountId;
    const wanted = LINE_STATES.find((each) => each.replace("_", "-") === state) ?? null;
    const lines = await listLines(scope, { accountId, from, to, state: wanted, after: null, limit: limit ?? 100 });
    return { json: lines.map(describe), text: formatTable(lines.map(describe), "No matching lines.") };
  },
});

/** A suggested receipt as a row of a table. */
function suggestionRow(suggestion: ReturnType<typeof describeSuggestions>["suggestions"][number]) {
  const { customer_code, customer_name, is_possible, invoices, advance_amount, explanation } = suggestion;
  return {
    receipt: is_possible ? "possible" : "suggested",
    customer_code,
    customer_name,
    invoices: invoices.map(({ invoice_number, amount }) => `${invoice_number}=${amount}`).join(" "),
    advance: advance_amount,
    why: explanation,
  };
}

const candidates = merchantCommand({
  description: "list possible matches of an open line, and receipts that it may be recorded as, most likely first",
  example: "--line 1000900",
  notes: () =>
    "Pass a candidate to `nodal reconcile resolve --with`. Record a suggested receipt with `nodal receipt create --line`.",
  options: {
    line: option("<id>", "a line's number, which `nodal reconcile list` shows", digitsOrNumber(16)),
    search: option("<text>", "part of a name, a UTR or a reference, or an amount", optionalText(100)),
  },
  async run(scope, { line, search }) {
    const found = await listCandidates(scope, { lineId: BigInt(line), search });
    const rows = found.map((candidate) => ({
      what: nameOfItem(candidate),
      posted_on: candidate.postedOn.toString(),
      amount: formatPaise(candidate.amountPaise),
      name: candidate.name,
      utr: candidate.utr,
      reference: candidate.reference,
    }));
    const receipts = search === null ? await readReceiptLine(scope, BigInt(line)) : NO_RECEIPTS;
    const { recorded, suggestions } = describeSuggestions(receipts);
    return {
      json: { candidates: rows, recorded, suggestions },
      text: paragraphs(
        formatTable(rows, "No open candidates: try --search, or book the line with --as-funding."),
        ...recorded.map(({ kind, number }) => `Already recorded: ${kind} ${number}.`),
        suggestions.length === 0 ? "" : formatTable(suggestions.map(suggestionRow), ""),
      ),
    };
  },
});

const resolve = merchantCommand({
  description: "resolve open lines: match them, book one as funding or as a fee, or set it aside with a reason",
  example: "--line 1000900 --with paid:1000310 --reason 'The bank confirmed it by mail'",
  notes: () =>
    "Use --with to match: the lines and their matches must add up to the same amount. Or use one of --as-funding, --as-fee, " +
    "--aside and --reopen. `nodal reconcile undo` reverses a match or a fee.",
  options: {
    line: option("<ids>", "line numbers, separated by commas", optional(lineNumbers())),
    with: option(
      "<what>",
      "such as paid:1000310 or paid:1000310,fee:1000310, as `nodal reconcile candidates` names them",
      optional(itemNames()),
    ),
    asFunding: flag("book the line as funding of the merchant", ["with", "aside", "reopen", "reason", "asFee"]),
    asFee: flag("book the line as the provider's fee for its payment, together with its tax line", [
      "with",
      "aside",
      "reopen",
      "reason",
      "asFunding",
    ]),
    aside: flag("set aside the line, or the items in --with, with the reason", ["asFunding", "asFee", "reopen"]),
    reopen: flag("reopen lines that were set aside or undone, or are not duplicates", ["aside", "asFunding", "asFee"]),
    reason: option("<text>", "why, 1 to 200 characters", optionalText(200)),
  },
  check({ line, with: named, asFunding, asFee, reopen, reason }, errors) {
    const books = asFunding || asFee;
    if (line === undefined && (named === undefined || books))
      fail(errors, "line", "required", books ? "is required." : "or --with is required.");
    if (!books && !reopen && reason === undefined) fail(errors, "reason", "required", "is required.");
  },
  async run(scope, { line, with: items, asFunding, asFee, aside, reopen, reason }) {
    const lineIds = line ?? [];
    if (asFee) {
      const feeIds: bigint[] = [];
      for (const lineId of lineIds) feeIds.push(await bookFee(scope, lineId));
      return recordAnswer({ resolved: lineIds.length, fee_ids: feeIds.join(",") });
    }
    if (asFunding) {
      const credited: Awaited<ReturnType<typeof bookAsFunding>>[] = [];
      for (const lineId of lineIds) credited.push(await bookAsFunding(scope, lineId));
      const idsOf = (waiting: boolean) =>
        credited.flatMap(({ isWaiting, fundingId }) => (isWaiting === waiting ? [String(fundingId)] : [])).join(",");
      const approvals = idsOf(true);
      return recordAnswer(
        {
          resolved: credited.filter(({ isWaiting }) => !isWaiting).length,
          funding_ids: idsOf(false),
          ...(approvals === "" ? {} : { approval_ids: approvals }),
        },
        approvals === "" ? "" : "A large deposit needs a second operator's approval: see `nodal approval list`.",
      );
    }
    if (aside || reopen) {
      const targets = [...lineIds, ...(items ?? [])];
      for (const target of targets) await setAside(scope, { target, reason: reopen ? null : reason! });
      return recordAnswer({ resolved: targets.length });
    }
    const matchId = await matchByHand(scope, { lineIds, items: items ?? [], reason: reason! });
    return recordAnswer({ resolved: lineIds.length, match_id: String(matchId) });
  },
});

const undo = merchantCommand({
  description: "undo matches by reversing their postings, or reverse fees booked from a statement",
  example: "--line 1000900 --reason 'Wrong payment'",
  notes: () =>
    "Lines of an undone match stay open until you match them again or --reopen them. Repeating the call with --match or --fee " +
    "changes nothing.",
  options: {
    line: option("<ids>", "undo the matches of these lines, separated by commas", optional(lineNumbers()), {
      conflicts: ["match", "fee"],
    }),
    match: option("<ids>", "undo these matches, which `nodal reconcile list` shows", optional(lineNumbers()), {
      conflicts: ["line", "fee"],
    }),
    fee: option("<ids>", "reverse these fees, and undo their matches", optional(lineNumbers()), {
      conflicts: ["line", "match"],
    }),
    reason: option("<text>", "why, 1 to 200 characters", requiredText(200)),
  },
  check({ line, match, fee }, errors) {
    const given = [line, match, fee].filter((each) => each !== undefined);
    if (given.length !== 1) fail(errors, "line", "required", "or --match or --fee is required.");
  },
  async run(scope, { line, match, fee, reason }) {
    if (fee) {
      let undone = 0;
      for (const feeId of fee) if (await undoFee(scope, { feeId, reason })) undone += 1;
      return recordAnswer({ undone });
    }
    const matchIds = match ?? (await findMatchesOfLines(scope, line!));
    return recordAnswer({ undone: await undoMatches(scope, { matchIds, reason }), match_ids: matchIds.join(",") });
  },
});

export const reconcileCommands = group("compare bank and provider statements with the ledger", {
  import: importCommand,
  run,
  accounts,
  report,
  list,
  candidates,
  resolve,
  undo,
});

function statementFile(): Field<{ readonly path: string; readonly bytes: Uint8Array }> {
  return readOnlyField({ type: "string" }, "the path of a statement", (path, name, errors) => {
    const file = readGivenFile(String(path), MAX_FILE_BYTES);
    if ("value" in file) return { path: String(path), bytes: file.value };
    fail(errors, name, "invalid", `must be ${file.mustBe}.`);
    return { path: "", bytes: new Uint8Array() };
  });
}

async function requireAccount({ pool, merchant }: MerchantScope, name: string): Promise<StatementAccount> {
  const account = await findStatementAccount(pool, merchant, name);
  if (account) return account;
  throw fieldRefusal(
    "not_found",
    "account",
    "The merchant has no account with this name: see `nodal reconcile accounts`.",
  );
}

function describe(line: ListedLine): Entries {
  const cells = Object.entries(LINE_COLUMNS).map(([name, cellOf]) => [name, cellOf(line)] as const);
  return Object.fromEntries(
    cells.map(([name, cell]) => [name, typeof cell === "bigint" ? formatPaise(cell) : cell || null]),
  );
}

function rupees(paise: bigint | null): string | null {
  return paise === null ? null : formatPaise(paise);
}
