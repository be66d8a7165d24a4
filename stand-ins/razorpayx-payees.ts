// Contacts, their fund accounts and customers of the stand-in for RazorpayX: made, found, listed and changed.
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
} from "./razorpayx-answers.ts";
import type { Desk } from "./desk.ts";
import { isRecord, textOf, type Fields } from "./json.ts";
import type { Payee } from "./payout-book.ts";
import { give, isAnswer, type Answer } from "./stand-in.ts";

const TYPES = ["vendor", "customer", "employee", "self"];
const NAME = /^[A-Za-z0-9 '’_/().-]*[A-Za-z0-9.]$/;
const CONTACT = ["name", "contact", "email", "type", "reference_id"] as const;

export function addPayeeRoutes(app: FastifyInstance, desk: Desk): void {
  const config = { operation: "payee" } as const;
  const post = (path: string, work: (fields: Fields, desk: Desk) => Answer): void => {
    app.post(path, { config }, (request, reply) => give(reply, work(isRecord(request.body) ? request.body : {}, desk)));
  };
  const list = (path: string, prefix: string, filters: readonly string[], bodyOf: (payee: Payee) => object): void => {
    app.get(path, { config }, (request, reply) =>
      give(reply, listPayees(request.query as Fields, desk, prefix, filters, bodyOf)),
    );
  };
  const one = (path: string, prefix: string, bodyOf: (payee: Payee) => object): void => {
    app.get(`${path}/:id`, { config }, (request, reply) => {
      const id = textOf(request.params as Fields, "id");
      const payee = id.startsWith(prefix) ? desk.book.findPayee(id) : null;
      return give(reply, payee ? ok(bodyOf(payee)) : notAnId(id));
    });
  };
  const change = (
    path: string,
    work: (payee: Payee, fields: Fields) => Payee | Answer,
    bodyOf: (payee: Payee) => object,
  ): void => {
    app.patch(`${path}/:id`, { config }, (request, reply) => {
      const id = textOf(request.params as Fields, "id");
      const payee = desk.book.findPayee(id);
      if (!payee) return give(reply, notAnId(id));
      const changed = work(payee, isRecord(request.body) ? request.body : {});
      if (isAnswer(changed)) return give(reply, changed);
      desk.book.changePayee(changed);
      return give(reply, ok(bodyOf(changed)));
    });
  };
  post("/v1/contacts", (fields) => {
    const contact = makeContact(fields, desk);
    return isAnswer(contact) ? contact : ok(contactBody(contact));
  });
  list("/v1/contacts", "cont_", [...CONTACT, "active"], contactBody);
  one("/v1/contacts", "cont_", contactBody);
  change("/v1/contacts", changeContact, contactBody);
  post("/v1/fund_accounts", (fields) => {
    const account = makeFundAccount(fields, desk);
    return isAnswer(account) ? account : ok(fundAccountBody(account));
  });
  list("/v1/fund_accounts", "fa_", ["contact_id", "customer_id", "account_type"], fundAccountBody);
  one("/v1/fund_accounts", "fa_", fundAccountBody);
  change("/v1/fund_accounts", changeActive, fundAccountBody);
  post("/v1/customers", (fields) => ok(customerBody(makeCustomer(fields, desk))));
  list("/v1/customers", "cust_", [], customerBody);
  one("/v1/customers", "cust_", customerBody);
}

function listPayees(
  query: Fields,
  desk: Desk,
  prefix: string,
  filters: readonly string[],
  bodyOf: (payee: Payee) => object,
): Answer {
  const page = readPage(query);
  if (isAnswer(page)) return page;
  const isWanted = ({ fields }: Payee): boolean =>
    filters.every((name) => query[name] === undefined || textOf(query, name) === (fields[name] ?? ""));
  const found = desk.book.listPayees(prefix).filter(isWanted);
  return collectionOf(pageOf(found, page, ({ fields }) => Number(fields.created_ms)).map(bodyOf));
}

/** Makes a contact, or finds the one that has the same in everything but notes. */
export function makeContact(fields: Fields, desk: Desk): Payee | Answer {
  const wrong = checkContact(fields, true);
  if (wrong) return wrong;
  const given = Object.fromEntries(CONTACT.map((name) => [name, textOf(fields, name)]));
  const kept = { ...given, active: "1", notes: notesOf(fields), created_ms: String(desk.clock.nowMs()) };
  const payeeId = idOf("cont", desk.book.nextNumber("contact"));
  return desk.book.savePayee({ payeeId, fields: kept }, `contact ${JSON.stringify(given)}`);
}

function checkContact(fields: Fields, isNew: boolean): Answer | null {
  const [name, type] = [textOf(fields, "name"), textOf(fields, "type")];
  if (isNew && name === "") return badRequest("The name field is required.", { field: "name" });
  if (fields.name !== undefined && !(name.length >= 3 && name.length <= 50 && NAME.test(name)))
    return badRequest("The name field is invalid.", { field: "name" });
  if (type !== "" && !TYPES.includes(type)) return badRequest(`Invalid type: ${type}`, { field: "type" });
  if (textOf(fields, "reference_id").length > 40)
    return badRequest("The reference id may not be greater than 40 characters.", { field: "reference_id" });
  return null;
}

function changeContact(payee: Payee, fields: Fields): Payee | Answer {
  const wrong = checkContact(fields, false);
  if (wrong) return wrong;
  const given = CONTACT.filter((name) => fields[name] !== undefined).map((name): [string, string] => [
    name,
    textOf(fields, name),
  ]);
  const notes = fields.notes === undefined ? {} : { notes: notesOf(fields) };
  const active = typeof fields.active === "boolean" ? { active: fields.active ? "1" : "0" } : {};
  return { ...payee, fields: { ...payee.fields, ...Object.fromEntries(given), ...notes, ...active } };
}

export function contactBody({ payeeId, fields }: Payee): object {
  const told = Object.fromEntries(CONTACT.map((name) => [name, fields[name] || null]));
  return { id: payeeId, entity: "contact", ...told, batch_id: null, ...rest(fields) };
}

/** Makes the fund account of a contact or customer, or finds the one that has the same. */
export function makeFundAccount(fields: Fields, desk: Desk): Payee | Answer {
  const [contactId, customerId] = [textOf(fields, "contact_id"), textOf(fields, "customer_id")];
  const owner = contactId.startsWith("cont_") || customerId.startsWith("cust_") ? contactId || customerId : "";
  if (!desk.book.findPayee(owner))
    return badRequest(NO_SUCH_ID, { field: customerId === "" ? "contact_id" : "customer_id" });
  const instrument = readInstrument(fields);
  if (isAnswer(instrument)) return instrument;
  const payeeId = idOf("fa", desk.book.nextNumber("fund account"));
  const ofOwner = contactId === "" ? { customer_id: owner } : { contact_id: owner };
  const kept = { ...ofOwner, ...instrument, active: "1", created_ms: String(desk.clock.nowMs()) };
  return desk.book.savePayee({ payeeId, fields: kept }, `fund account ${owner} ${JSON.stringify(instrument)}`);
}

function changeActive(payee: Payee, { active }: Fields): Payee | Answer {
  if (typeof active !== "boolean") return badRequest("The active field must be true or false.", { field: "active" });
  return { ...payee, fields: { ...payee.fields, active: active ? "1" : "0" } };
}

/** The instrument of a fund account, or what is wrong with it. */
function readInstrument(fields: Fields): Record<string, string> | Answer {
  if (fields.account_type === "vpa") {
    const address = textOf(isRecord(fields.vpa) ? fields.vpa : {}, "address");
    const isValid = address.length >= 3 && address.length <= 100 && /^[A-Za-z0-9.-]+@[A-Za-z0-9.-]+$/.test(address);
    return isValid ? { account_type: "vpa", address } : badRequest("Invalid VPA address", { field: "address" });
  }
  if (fields.account_type !== "bank_account")
    return badRequest("The selected account type is invalid.", { field: "account_type" });
  const bank = isRecord(fields.bank_account) ? fields.bank_account : {};
  const [name, ifsc, account] = ["name", "ifsc", "account_number"].map((each) => textOf(bank, each));
  if (!(name!.length >= 3 && name!.length <= 120 && NAME.test(name!)))
    return badRequest("The name field is invalid.", { field: "name" });
  if (ifsc!.length !== 11) return badRequest("The IFSC must be 11 characters.", { field: "ifsc" });
  if (!/^[A-Z]{4}0[A-Z0-9]{6}$/.test(ifsc!)) return badRequest("Invalid IFSC Code in Bank Account", { field: "ifsc" });
  if (!/^[A-Za-z0-9]{5,35}$/.test(account!))
    return badRequest("The account number format is invalid.", { field: "account_number" });
  return { account_type: "bank_account", name: name!, ifsc: ifsc!, account_number: account! };
}

export function fundAccountBody({ payeeId, fields }: Payee): object {
  const { account_type, address = "", name, ifsc, account_number } = fields;
  const [username, handle] = address.split("@");
  const instrument =
    account_type === "vpa"
      ? { vpa: { username, handle, address } }
      : { bank_account: { ifsc, bank_name: `Bank ${ifsc!.slice(0, 4)}`, name, account_number, notes: [] } };
  const owner = fields.customer_id ? { customer_id: fields.customer_id } : { contact_id: fields.contact_id };
  const { active, created_at } = rest(fields);
  return {
    id: payeeId,
    entity: "fund_account",
    ...owner,
    account_type,
    ...instrument,
    batch_id: null,
    active,
    created_at,
  };
}

function makeCustomer(fields: Fields, desk: Desk): Payee {
  const given = Object.fromEntries(["name", "email", "contact", "gstin"].map((name) => [name, textOf(fields, name)]));
  const kept = { ...given, notes: notesOf(fields), created_ms: String(desk.clock.nowMs()) };
  const payeeId = idOf("cust", desk.book.nextNumber("customer"));
  return desk.book.savePayee({ payeeId, fields: kept }, `customer ${JSON.stringify(given)}`);
}

function customerBody({ payeeId, fields }: Payee): object {
  const { name, email, contact } = fields;
  const { notes, created_at } = rest(fields);
  return { id: payeeId, entity: "customer", name, email, contact, gstin: fields.gstin || null, notes, created_at };
}

function rest(fields: Payee["fields"]): {
  readonly active: boolean;
  readonly notes: unknown;
  readonly created_at: bigint;
} {
  return {
    active: fields.active !== "0",
    notes: JSON.parse(fields.notes ?? "[]") as unknown,
    created_at: secondsOf(BigInt(fields.created_ms ?? 0)),
  };
}

/** Without notes there is an empty list. */
export function notesOf({ notes }: Fields): string {
  return JSON.stringify(isRecord(notes) ? notes : []);
}
