// Beneficiaries of the stand-in for Cashfree: made, found and removed, or given inside of a transfer.
import type { FastifyInstance } from "fastify";
import { conflict, invalid, UNKNOWN_PAYEE } from "./cashfree-answers.ts";
import type { Desk } from "./desk.ts";
import { isRecord, textOf, type Fields } from "./json.ts";
import type { Payee } from "./payout-book.ts";
import { give, isAnswer, type Answer } from "./stand-in.ts";

const CONTACT = [
  "beneficiary_email",
  "beneficiary_phone",
  "beneficiary_country_code",
  "beneficiary_address",
  "beneficiary_city",
  "beneficiary_state",
  "beneficiary_postal_code",
];

/** What a beneficiary is paid by: `vpa`, or `bank_account_number` and `bank_ifsc`, or both. */
export type Instrument = Readonly<Record<string, string>>;

export function addBeneficiaryRoutes(app: FastifyInstance, desk: Desk): void {
  const config = { operation: "payee" } as const;
  app.post("/payout/beneficiary", { config }, (request, reply) => give(reply, makeBeneficiary(request.body, desk)));
  app.get("/payout/beneficiary", { config }, (request, reply) =>
    give(reply, findBeneficiary(request.query as Fields, desk)),
  );
  app.delete("/payout/beneficiary", { config }, (request, reply) => {
    const id = textOf(request.query as Fields, "beneficiary_id");
    const wrong = checkId(id);
    if (wrong) return give(reply, wrong);
    const payee = desk.book.findPayee(id);
    desk.book.removePayee(id);
    if (!payee) return give(reply, UNKNOWN_PAYEE);
    return give(reply, { status: 200, body: { ...beneficiaryBody(payee), beneficiary_status: "DELETED" } });
  });
}

/**
 * Reads an instrument, or says what is wrong with it.
 * @param within where its fields are: empty, or the members that hold them, with a dot at the end
 */
export function readInstrument(given: unknown, within: string): Instrument | Answer {
  const fields = isRecord(given) ? given : {};
  const [account, ifsc, vpa] = ["bank_account_number", "bank_ifsc", "vpa"].map((each) => textOf(fields, each));
  const wrong = checkAccount(account!, ifsc!, within);
  if (wrong) return wrong;
  if (vpa && !/^[^\s@]{1,100}@[^\s@]{1,60}$/.test(vpa))
    return invalid(`${within}vpa_invalid`, "vpa is in invalid format");
  if (!account && !vpa) return invalid("beneficiary_identifiers_missing", "bank account or vpa : should be provided");
  return {
    ...(account ? { bank_account_number: account, bank_ifsc: ifsc! } : {}),
    ...(vpa ? { vpa } : {}),
  };
}

/** The account and IFSC of an instrument; `null` where they can be right, or are not there. */
function checkAccount(account: string, ifsc: string, within: string): Answer | null {
  if (within !== "") {
    if (account && !/^[A-Za-z0-9]{4,25}$/.test(account))
      return invalid(`${within}bank_account_number_invalid`, "bank_account_number should be alphanumeric");
    if ((account || ifsc) && !isIfsc(ifsc))
      return invalid(`${within}bank_ifsc_invalid`, "bank_ifsc should be in standard ifsc format");
    return null;
  }
  if (account && !ifsc)
    return invalid(
      "bank_ifsc_missing",
      "bank_ifsc : should be provided with the request if bank_account_number is provided",
    );
  if (ifsc && !account)
    return invalid(
      "bank_account_number_missing",
      "bank_account_number: should be provided with the request if bank_ifsc is provided",
    );
  if (account.length > 25)
    return invalid(
      "bank_account_number_length_exceeded",
      `bank_account_number : should not be more than 25 characters long. value received: ${account}`,
    );
  if (account && account.length < 4)
    return invalid(
      "bank_account_number_length_short",
      `bank_account_number : should not be less than 4 characters long. value received: ${account}`,
    );
  if (account && !/^[A-Za-z0-9]+$/.test(account))
    return invalid(
      "bank_account_number_invalid",
      `bank_account_number : should be alphanumeric. value received: ${account}`,
    );
  if (account && !isIfsc(ifsc))
    return invalid("bank_ifsc_invalid", `bank_ifsc : please provide a valid IFSC. value received: ${ifsc}`);
  return null;
}

function isIfsc(text: string): boolean {
  return /^[A-Z]{4}0[A-Z0-9]{6}$/.test(text);
}

/** Letters and white space. */
export function isName(text: string): boolean {
  return /^[A-Za-z\s]{1,100}$/.test(text);
}

function checkId(id: string): Answer | null {
  if (id === "")
    return invalid(
      "beneficiary_identifiers_missing",
      "beneficiary_identifiers : beneficiary_id has to be provided with the request",
    );
  if (id.length > 50)
    return invalid(
      "beneficiary_id_length_exceeded",
      `beneficiary_id : should not be more than 50 characters long. value received: ${id}`,
    );
  return null;
}

function makeBeneficiary(body: unknown, desk: Desk): Answer {
  const fields = isRecord(body) ? body : {};
  const [payeeId, name] = [textOf(fields, "beneficiary_id"), textOf(fields, "beneficiary_name")];
  if (payeeId.length > 50) return checkId(payeeId)!;
  if (!/^[A-Za-z0-9_|.-]+$/.test(payeeId))
    return invalid(
      "beneficiary_id_invalid",
      `beneficiary_id : should contain only letters, numbers, hyphen, underscore, pipe, and dot. Value received: ${payeeId}`,
    );
  if (!isName(name))
    return invalid(
      "beneficiary_name_invalid",
      "beneficiary_name is invalid. only alphabets and whitespaces are allowed",
    );
  const instrument = readInstrument(fields.beneficiary_instrument_details, "");
  if (isAnswer(instrument)) return instrument;
  if (desk.book.findPayee(payeeId))
    return conflict("beneficiary_id_already_exists", "Beneficiary already exists with the given beneficiary_id");
  const contact = isRecord(fields.beneficiary_contact_details) ? fields.beneficiary_contact_details : {};
  const said = CONTACT.flatMap((each) => (textOf(contact, each) === "" ? [] : [[each, textOf(contact, each)]]));
  const payee = { payeeId, fields: { name, ...instrument, ...(Object.fromEntries(said) as Instrument) } };
  const saved = desk.book.savePayee(payee, matchKeyOf(instrument));
  if (saved.payeeId === payeeId) return { status: 201, body: beneficiaryBody(saved) };
  // Public code meets this code for handles, and the description has the other for accounts.
  if (instrument.bank_account_number === undefined)
    return conflict("conflict_with_existing_beneficiary", "Beneficiary already exists with the given vpa");
  return conflict(
    "beneficiary_already_exists",
    "Beneficiary already exists with the given beneficiary_bank_account_number and beneficiary_ifsc",
  );
}

function findBeneficiary(query: Fields, desk: Desk): Answer {
  const [id, account, ifsc] = ["beneficiary_id", "bank_account_number", "bank_ifsc"].map((each) => textOf(query, each));
  if (id && (account || ifsc))
    return invalid(
      "too_many_parameters_in_request",
      "Please provide either bank_account_number and bank_ifsc together or beneficiary_id alone. Do not include all three parameters in the request",
    );
  if (!id && !account && !ifsc) return checkId("")!;
  const wrong = id ? checkId(id) : checkAccount(account!, ifsc!, "");
  if (wrong) return wrong;
  const payee = id
    ? desk.book.findPayee(id)
    : desk.book.findPayeeLike(matchKeyOf({ bank_account_number: account!, bank_ifsc: ifsc! }));
  return payee ? { status: 200, body: beneficiaryBody(payee) } : UNKNOWN_PAYEE;
}

function matchKeyOf({ bank_account_number: account, bank_ifsc: ifsc, vpa }: Instrument): string {
  return account === undefined ? vpa!.toLowerCase() : `${account} ${ifsc}`;
}

function beneficiaryBody({ payeeId, fields }: Payee): object {
  const pick = (names: readonly string[]): object =>
    Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
  return {
    beneficiary_id: payeeId,
    beneficiary_name: fields.name,
    beneficiary_instrument_details: pick(["bank_account_number", "bank_ifsc", "vpa"]),
    beneficiary_contact_details: pick(CONTACT),
    beneficiary_status: "VERIFIED",
    added_on: "2023-11-22T12:38:22Z",
  };
}
