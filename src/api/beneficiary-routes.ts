// Routes of beneficiaries: the list, one, and new ones, also from a file.
import { deactivateBeneficiary } from "../franchises/index.ts";
import {
  acceptName,
  type Beneficiary,
  beneficiaryRecord,
  beneficiaryFileSample,
  beneficiaryNotFound,
  changeBeneficiary,
  contactRecord,
  type FileBeneficiary,
  findBeneficiaries,
  importBeneficiaries,
  importedResult,
  readBeneficiaryDetails,
  readBeneficiaryFile,
  showNotes,
  requireAccount,
  saveBeneficiary,
  searchBeneficiaries,
  streamBeneficiaries,
  verifyBeneficiary,
} from "../payouts/index.ts";
import { MAX_FILE_BYTES } from "../platform/file-size.ts";
import { digitsOrNumber, optional, optionalText, requiredText, wholeNumber } from "../platform/http/fields.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";
import { fileOf } from "./file-bodies.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { listFileRoute, listRoute, numberIn } from "./list-routes.ts";
import { bankOf, describeBeneficiary, showTo } from "./shown.ts";

const TEXT_LENGTH = 100;
const params = { beneficiary_id: digitsOrNumber(16) };
const list = {
  url: "/beneficiaries",
  summary: "List beneficiaries",
  permission: "beneficiaries.view",
  filters: { search: optionalText(TEXT_LENGTH) },
} as const;

/** Adds the routes of beneficiaries. */
export function registerBeneficiaryRoutes(scope: DashboardScope) {
  return [
    ...registerListRoutes(scope),
    dashboardRoute(scope, {
      route: "GET /beneficiaries/:beneficiary_id",
      summary: "Read a beneficiary",
      permission: "beneficiaries.view",
      params,
      handler: async ({ db, merchant, caller, params }) => {
        const name = { ...merchant, beneficiaryId: BigInt(params.beneficiary_id) };
        const [beneficiary] = await findBeneficiaries(db, [name]);
        if (!beneficiary) throw beneficiaryNotFound();
        return describeBeneficiary(beneficiary, merchant.timeZone, showTo(caller));
      },
    }),
    dashboardRoute(scope, {
      route: "POST /beneficiaries",
      summary: "Save a beneficiary",
      permission: "beneficiaries.manage",
      body: beneficiaryRecord.fields,
      betweenBody: requireAccount,
      handler: async ({ db, merchant, body }) => {
        const { answer } = await saveBeneficiary(
          { pool: db, ids: scope.parts.ids, merchant, idempotency: null },
          readBeneficiaryDetails(body),
        );
        return { beneficiary_id: answer.beneficiaryId, waits: answer.isPending ?? false };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /beneficiaries/:beneficiary_id",
      summary: "Change a beneficiary's contact details",
      permission: "beneficiaries.manage",
      params,
      body: contactRecord.changes,
      handler: async ({ db, merchant, params: { beneficiary_id }, body }) => {
        const request = { beneficiaryId: BigInt(beneficiary_id), changes: contactRecord.readChanges(body) };
        await changeBeneficiary({ pool: db, merchant }, request);
        return { done: true };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /beneficiaries/:beneficiary_id/deactivate",
      summary: "Deactivate a beneficiary permanently",
      permission: "beneficiaries.manage",
      params,
      handler: async ({ db, merchant, params: { beneficiary_id } }) => {
        await deactivateBeneficiary({ pool: db, merchant }, BigInt(beneficiary_id));
        scope.parts.desk.forgetBeneficiary({ ...merchant, beneficiaryId: BigInt(beneficiary_id) });
        return { done: true };
      },
    }),
    ...registerVerificationRoutes(scope),
  ];
}

function registerVerificationRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "POST /beneficiaries/:beneficiary_id/verify",
      summary: "Ask the bank for the account holder's name",
      once: "at_most_once",
      permission: "beneficiaries.manage",
      params,
      handler: async ({ db, merchant, params: { beneficiary_id } }) => {
        const { pool: accounts, verificationsPerDay } = scope.parts;
        const context = { pool: db, accounts, merchant, verificationsPerDay };
        const { verification } = await verifyBeneficiary(context, BigInt(beneficiary_id));
        return { verification: verification.state };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /beneficiaries/:beneficiary_id/accept-name",
      summary: "Accept a name at the bank that differs",
      permission: "payouts.transfer",
      params,
      body: { reason: requiredText(TEXT_LENGTH) },
      handler: async ({ db, merchant, params: { beneficiary_id }, body: { reason } }) => {
        await acceptName({ pool: db, merchant }, { beneficiaryId: BigInt(beneficiary_id), reason });
        return { done: true };
      },
    }),
  ];
}

function registerListRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      ...list,
      rowsIn: "beneficiaries",
      read: async ({ db, merchant, query }, { after, limit }) => {
        const page = { after: numberIn(after), limit };
        const { beneficiaries, next } = await searchBeneficiaries(
          { pool: db, merchant },
          { text: query.search, ...page },
        );
        return {
          rows: beneficiaries.map((each) => describeBeneficiary(each, merchant.timeZone)),
          next: next === null ? null : String(next),
        };
      },
    }),
    listFileRoute<"/beneficiaries", Beneficiary, typeof list.filters>(scope, {
      ...list,
      read: ({ db, merchant, query }) => ({
        rows: streamBeneficiaries({ pool: db, merchant }, query.search),
        columns: {
          beneficiary_id: ({ beneficiaryId }) => String(beneficiaryId),
          type: ({ type }) => type,
          name: ({ name }) => name,
          account_number: ({ accountNumber }) => mask(accountNumber ?? ""),
          ifsc: ({ ifsc }) => ifsc ?? "",
          bank: bankOf,
          upi: ({ upi }) => mask(upi ?? ""),
          ...contactRecord.cells((beneficiary: Beneficiary) => beneficiary),
          approval: ({ approval }) => approval,
          verification: ({ verification }) => verification.state,
          created_at: ({ createdAt }) => formatTimestamp(createdAt, merchant.timeZone),
        },
      }),
    }),
  ];
}

/** The most lines and notes to show; all are counted. */
const MAX_SHOWN = 500;
/** Lines to import per request, so that it is answered in seconds and the page can show progress. */
const LINES_A_REQUEST = 500;
/** The largest line number of a file, whose records may contain line breaks. */
const LAST_LINE = 10_000_000;
const permission = "beneficiaries.manage";

/** Adds the routes of files of beneficiaries. */
export function registerBeneficiaryFileRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /beneficiary-files/sample",
      summary: "Download a sample file of beneficiaries",
      permission,
      handler: async ({ reply }) => {
        reply.header("content-disposition", 'attachment; filename="beneficiaries-to-import.csv"');
        return reply.type("text/csv; charset=utf-8").send(beneficiaryFileSample());
      },
    }),
    dashboardRoute(scope, {
      route: "POST /beneficiary-files/preview",
      summary: "Check a file of beneficiaries",
      once: "changes_nothing",
      permission,
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      handler: async ({ db, merchant, request }) => {
        const file = await readBeneficiaryFile({ pool: db, merchant }, { bytes: fileOf(request.body), after: 0 });
        const { rowCount, good, errors, warnings, ignored, mustWait } = file;
        return {
          lines: rowCount,
          good: good.length,
          fresh: good.filter(isFresh).length,
          must_wait: mustWait,
          first_lines: good.slice(0, MAX_SHOWN).map(describeFileLine),
          errors: showNotes(errors.slice(0, MAX_SHOWN)),
          more_errors: Math.max(0, errors.length - MAX_SHOWN),
          warnings: showNotes(warnings.slice(0, MAX_SHOWN)),
          more_warnings: Math.max(0, warnings.length - MAX_SHOWN),
          ignored,
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /beneficiary-files",
      summary: "Save the beneficiaries of a file",
      permission,
      // Continues after the line that the previous request returned.
      query: { after: optional(wholeNumber(0, LAST_LINE)) },
      takesFile: true,
      bodyLimitBytes: MAX_FILE_BYTES,
      handler: async ({ db, merchant, query, request }) => {
        const after = query.after ?? 0;
        const wanted = { bytes: fileOf(request.body), after, most: LINES_A_REQUEST };
        const { lines, next } = await importBeneficiaries({ pool: db, ids: scope.parts.ids, merchant }, wanted);
        const there = lines.filter(({ status }) => status === "THERE_ALREADY").length;
        return {
          lines: lines.length,
          saved: lines.length - there,
          there,
          result: importedResult(lines, after === 0),
          next,
        };
      },
    }),
  ];
}

function isFresh({ savedId, sameAsLine }: FileBeneficiary): boolean {
  return savedId === null && sameAsLine === null;
}

function describeFileLine({ line, details, savedId, sameAsLine }: FileBeneficiary) {
  return {
    line,
    name: details.name,
    account_number: mask(details.accountNumber ?? ""),
    ifsc: details.ifsc ?? "",
    upi: mask(details.upi ?? ""),
    beneficiary_id: savedId === null ? "" : String(savedId),
    same_as_line: sameAsLine,
  };
}
