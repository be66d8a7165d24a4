// `nodal beneficiary`: a merchant's payees.
import { deactivateBeneficiary } from "../franchises/index.ts";
import type { Merchant } from "../merchants/index.ts";
import {
  acceptName,
  accountRecord,
  changeBeneficiary,
  contactRecord,
  searchBeneficiaries,
  verifyBeneficiary,
  type Beneficiary,
} from "../payouts/index.ts";
import { fail } from "../platform/http/field.ts";
import { optional, optionalText, wholeNumber } from "../platform/http/fields.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";
import { importBeneficiaryFile } from "./beneficiary-import.ts";
import { group, id, merchantCommand, option, REVEAL, shownBy, type Show } from "./command.ts";
import { memberOptions, memberValues } from "./member-options.ts";
import { listAnswer, recordAnswer } from "./output.ts";

const BENEFICIARY = id("a beneficiary's id, which `nodal beneficiary list` shows");
const LISTED = 50;
const LISTED_MAXIMUM = 1000;
const COLUMNS = [
  "beneficiary_id",
  "name",
  "account_number",
  "ifsc",
  "upi",
  "status",
  "verification",
  "created_at",
] as const;

const list = merchantCommand({
  description: "list a merchant's beneficiaries, newest first",
  example: "--search Rajeev",
  options: {
    search: option(
      "<text>",
      "id, account and IFSC, UPI handle, last four characters of the account, or part of the name, mobile or e-mail",
      optionalText(100),
    ),
    limit: option("<n>", `at most this many; default: ${LISTED}`, optional(wholeNumber(1, LISTED_MAXIMUM))),
    reveal: REVEAL,
  },
  async run({ pool, merchant }, { search, limit, reveal }) {
    const wanted = { text: search, after: null, limit: limit ?? LISTED };
    const { beneficiaries, next } = await searchBeneficiaries({ pool, merchant }, wanted);
    return listAnswer(
      beneficiaries.map((each) => describe(each, merchant, shownBy(reveal))),
      "No such beneficiary.",
      COLUMNS,
      next === null ? "" : "There are more: use --search or raise --limit.",
    );
  },
});

const set = merchantCommand({
  description: "change a beneficiary's contact details; its account and name never change",
  example: "--beneficiary 1000207 --email-id rajeev@example.com",
  options: {
    beneficiary: BENEFICIARY,
    ...memberOptions(contactRecord.members, contactRecord.changes),
  },
  check(given, errors) {
    if (Object.keys(given).some((name) => !["merchant", "beneficiary"].includes(name))) return;
    const problem = "Nothing to change: see `nodal beneficiary set --help`.";
    fail(errors, "beneficiary", "required", problem);
  },
  async run({ pool, merchant }, { beneficiary: beneficiaryId, ...contact }) {
    const changes = contactRecord.readChanges(memberValues(contactRecord.members, contact));
    return recordAnswer(describe(await changeBeneficiary({ pool, merchant }, { beneficiaryId, changes }), merchant));
  },
});

const deactivate = merchantCommand({
  description: "deactivate a beneficiary permanently; the account can be added again",
  example: "--beneficiary 1000207",
  options: { beneficiary: BENEFICIARY },
  run: async ({ pool, merchant }, { beneficiary }) =>
    recordAnswer(
      describe(await deactivateBeneficiary({ pool, merchant }, beneficiary), merchant),
      "A running server applies this within 2 seconds. Transfers accepted before are still paid.",
    ),
});

const verify = merchantCommand({
  description: "verify the account holder's name with the bank; the provider charges a fee",
  example: "--beneficiary 1000207",
  options: {
    beneficiary: BENEFICIARY,
    acceptName: option(
      "<reason>",
      "accept a name that differs, and give the reason; the bank is not asked again",
      optionalText(200),
    ),
  },
  async run({ pool, merchant, config }, { beneficiary: beneficiaryId, acceptName: reason }) {
    const verificationsPerDay = config.VERIFICATIONS_PER_DAY;
    const verified =
      reason === null
        ? await verifyBeneficiary({ pool, accounts: pool, merchant, verificationsPerDay }, beneficiaryId)
        : await acceptName({ pool, merchant }, { beneficiaryId, reason });
    return recordAnswer(describe(verified, merchant), ADVICE[verified.verification.state] ?? "");
  },
});

const ADVICE: Readonly<Record<string, string>> = {
  pending: "The bank has not answered yet. Try again later.",
  name_differs: "Check with the payee. To accept the name, use --accept-name with the reason.",
  invalid: "The account does not exist or can't be paid. Save the right one as a new beneficiary.",
};

export const beneficiaryCommands = group("list, import, verify and change beneficiaries", {
  list,
  import: importBeneficiaryFile,
  set,
  verify,
  deactivate,
});

function describe(each: Beneficiary, { timeZone }: Merchant, show: Show = mask) {
  return {
    beneficiary_id: String(each.beneficiaryId),
    type: each.type,
    name: each.name,
    ...accountRecord.describe(each, show),
    ...contactRecord.describe(each),
    status: each.approval,
    verification: each.verification.state,
    name_at_bank: each.verification.nameAtBank,
    bank_branch: each.verification.branch,
    created_at: formatTimestamp(each.createdAt, timeZone),
  };
}
