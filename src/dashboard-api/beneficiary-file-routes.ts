// Routes of many beneficiaries at once: a file to fill in, what is wrong with a filled one, and saving what is new in it.
import {
  beneficiaryFileSample,
  importBeneficiaries,
  importedResult,
  readBeneficiaryFile,
  type FileBeneficiary,
} from "../payouts/index.ts";
import { optional, wholeNumber } from "../platform/http/fields.ts";
import { mask } from "../platform/secrets/index.ts";
import { CSV_TYPES, dashboardRoute, fileOf, type DashboardScope } from "./guarded-routes.ts";

const FILE_LIMIT_BYTES = 8 * 1024 * 1024;
/** So many lines and notes are shown; all are counted. */
const MOST_SHOWN = 500;
/** So many lines are imported by one request: it is answered in seconds, and the page says how far it is. */
const LINES_A_REQUEST = 500;
/** A file's last line can't be further down: its records may have line breaks in them. */
const LAST_LINE = 10_000_000;
const permission = "beneficiaries.manage";

/** Adds the routes of files of beneficiaries. */
export function registerBeneficiaryFileRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /beneficiary-files/sample",
      permission,
      handler: async ({ reply }) => {
        reply.header("content-disposition", 'attachment; filename="beneficiaries-to-import.csv"');
        // The mark tells spreadsheets that it is UTF-8.
        return reply.type("text/csv; charset=utf-8").send(`\uFEFF${beneficiaryFileSample()}`);
      },
    }),
    dashboardRoute(scope, {
      route: "POST /beneficiary-files/preview",
      permission,
      fileTypes: CSV_TYPES,
      bodyLimitBytes: FILE_LIMIT_BYTES,
      handler: async ({ db, merchant, request }) => {
        const file = await readBeneficiaryFile({ pool: db, merchant }, { bytes: fileOf(request.body), after: 0 });
        const { rowCount, good, errors, warnings, ignored, mustWait } = file;
        return {
          lines: rowCount,
          good: good.length,
          fresh: good.filter(isFresh).length,
          must_wait: mustWait,
          first_lines: good.slice(0, MOST_SHOWN).map(describeFileLine),
          errors: errors.slice(0, MOST_SHOWN),
          more_errors: Math.max(0, errors.length - MOST_SHOWN),
          warnings: warnings.slice(0, MOST_SHOWN),
          more_warnings: Math.max(0, warnings.length - MOST_SHOWN),
          ignored,
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /beneficiary-files",
      permission,
      // What one request did not come to, the next one does: after which line is what the one before it answered.
      query: { after: optional(wholeNumber(0, LAST_LINE)) },
      fileTypes: CSV_TYPES,
      bodyLimitBytes: FILE_LIMIT_BYTES,
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
