// The fields of a customer in the API, for every request with one.
import { NumberLiteral } from "../platform/json.ts";
import type { FieldError } from "../platform/errors.ts";
import { memberTexts } from "../platform/member.ts";
import { CUSTOMER_MEMBERS } from "./customer-members.ts";
import {
  decoderOf,
  encoderOf,
  fail,
  optional,
  requiredField,
  type Decode,
  type Field,
  type JsonSchema,
} from "../platform/http/field.ts";
import {
  areCharactersFit,
  digitsOrNumber,
  ifSent,
  list,
  object,
  optionalText,
  requiredText,
  textOrNumber,
  type Decoded,
} from "../platform/http/fields.ts";
import {
  checkCustomFields,
  checkPan,
  customerRecord,
  type CustomColumn,
  nameKey,
  type CustomerChange,
  type CustomField,
  type NewCustomer,
} from "./customer.ts";

/** docs/rules/values-and-errors.md#batches. */
const MAX_CUSTOMERS = 500;
const MAX_CUSTOM_FIELDS = 100;
const MAX_GROUPS = 50;
const MAX_GROUP_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 2000;
/** Every customer's record contains it, and no group can have this name: docs/rules/customers.md#groups. */
export const GROUP_OF_ALL = "All";
const decodeGroupName = decoderOf(requiredText(MAX_GROUP_NAME_LENGTH));

/** A code: text, or a whole number as its digits. docs/rules/customers.md#customer-code. */
export const customerCode = (): Field<string> => customerRecord.fields.customer_code;

const groupFields = { custom_fields: optional(customFieldList()), customer_group: optional(groupNames()) };

/** The fields of a new customer. */
export const newCustomerFields = { ...customerRecord.fields, ...groupFields };

/** The changes of a customer. Missing members don't change. */
export const customerChangeFields = {
  customer_id: digitsOrNumber(16),
  ...customerRecord.changes,
  custom_fields: ifSent(groupFields.custom_fields),
  customer_group: ifSent(groupFields.customer_group),
};

const newCustomer = object(newCustomerFields);
const customerChange = object(customerChangeFields);
type Columns = ReadonlyMap<string, CustomColumn>;

/** The `customer` array of a save. */
export const newCustomerList = (): Field<Decoded<typeof newCustomer>[]> => list(newCustomer, MAX_CUSTOMERS);
/** The `customer` array of an update. */
export const customerChangeList = (): Field<Decoded<typeof customerChange>[]> => list(customerChange, MAX_CUSTOMERS);

/** A customer to create, decoded. Errors of its custom fields are added to `errors`. */
export function readNewCustomer(
  wire: Decoded<typeof newCustomer>,
  path: string,
  columns: Columns,
  errors: FieldError[],
): NewCustomer {
  const customFields = readCustomFields(wire.custom_fields, path, columns, errors) ?? [];
  const customer = { ...customerRecord.read(wire), customFields };
  checkPan(customer, path, errors);
  return { ...customer, groups: wire.customer_group ?? [], path };
}

/** The changes of a customer, decoded: `null` clears, `undefined` keeps. */
export function readCustomerChange(
  wire: Decoded<typeof customerChange>,
  path: string,
  columns: Columns,
  errors: FieldError[],
): CustomerChange {
  return {
    ...customerRecord.readChanges(wire),
    customerId: BigInt(wire.customer_id),
    customFields: readCustomFields(wire.custom_fields, path, columns, errors),
    groups: wire.customer_group === null ? [] : wire.customer_group,
    path,
  };
}

type WireCustomField = Decoded<ReturnType<typeof customField>>;
/** Custom fields in a request. Invalid members may be missing. */
export type SentCustomFields =
  | readonly ({ readonly [Name in keyof WireCustomField]?: WireCustomField[Name] | undefined } | undefined)[]
  | null;

/** The custom fields of one customer, decoded. Their errors are added to `errors`; `path` is the customer's. */
export function readCustomFields(
  wire: SentCustomFields | undefined,
  path: string,
  columns: Columns,
  errors: FieldError[],
): readonly CustomField[] | undefined {
  if (wire === undefined) return undefined;
  const fields = (wire ?? []).map((field) => {
    return { id: field?.id ?? "", name: field?.name ?? "", type: field?.type ?? "", value: field?.value ?? "" };
  });
  const checked = checkCustomFields(columns, fields, `${path}.custom_fields`, errors);
  // Only empty objects have no id. They keep their positions until here, since errors use positions.
  return checked.filter(({ id }) => id !== "");
}

/** The custom fields of a customer. */
function customFieldList(item: Field<WireCustomField> = customField()): Field<WireCustomField[]> {
  return list(item, MAX_CUSTOM_FIELDS, 0);
}

/** As in an object that means no customer: a field whose members are all empty means none. */
export function fillableCustomFields(): Field<WireCustomField[]> {
  const field = customField();
  const decodeField = decoderOf(field);
  const none: WireCustomField = { id: "", name: null, type: null, value: null };
  const { required: _, ...schema } = field as unknown as JsonSchema;
  const decode: Decode<WireCustomField> = (value, path, errors) =>
    isEmptyObject(value) ? none : decodeField(value, path, errors);
  return customFieldList(requiredField(schema, "an object", decode, { encode: encoderOf(field) }));
}

function isEmptyObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof NumberLiteral)
    return false;
  const members: unknown[] = Object.values(value);
  return members.every((member) => member === null || (typeof member === "string" && member.trim() === ""));
}

function customField() {
  return object({
    id: textOrNumber(50),
    name: optionalText(100),
    type: optionalText(30),
    value: optional(customValue()),
  });
}

/** A value before its column is known: text that may have line breaks, or a number as written. */
function customValue(): Field<string> {
  const hint = `text of at most ${MAX_VALUE_LENGTH} characters`;
  const schema = { type: ["string", "number"], maxLength: MAX_VALUE_LENGTH };
  return requiredField(schema, hint, (value, path, errors) => {
    const text = value instanceof NumberLiteral ? value.text : typeof value === "number" ? String(value) : value;
    if (typeof text !== "string") fail(errors, path, "invalid", `must be ${hint}.`);
    else if (!areCharactersFit(text, path, errors, { takesLines: true })) return "";
    else if (text.length > MAX_VALUE_LENGTH && [...text].length > MAX_VALUE_LENGTH) {
      fail(errors, path, "too_long", `must be at most ${MAX_VALUE_LENGTH} characters long.`);
    } else return text.trim();
    return "";
  });
}

/** The names of groups: one name, several with commas between them, or a list. Case makes no difference. */
function groupNames(): Field<string[]> {
  const hint = `a name, names with commas between them, or a list of names: at most ${MAX_GROUPS} of at most ${MAX_GROUP_NAME_LENGTH} characters`;
  const maxLength = MAX_GROUPS * (MAX_GROUP_NAME_LENGTH + 1);
  const item = { type: "string", maxLength: MAX_GROUP_NAME_LENGTH, pattern: "^[^,]*$" };
  const schema = { type: ["string", "array"], maxLength, items: item, maxItems: MAX_GROUPS };
  const decode: Decode<string[]> = (value, path, errors) => {
    const isList = Array.isArray(value);
    const sent: unknown[] | null = isList ? value : typeof value === "string" ? value.split(",") : null;
    if (sent === null || sent.length > MAX_GROUPS) {
      fail(errors, path, sent ? "too_long" : "invalid", `must be ${hint}.`);
      return [];
    }
    const names = sent.map((name, index) => checkGroupName(name, isList ? `${path}[${index}]` : path, errors));
    const keys = names.map(nameKey);
    return names.filter(
      (name, index) => name !== "" && keys[index] !== nameKey(GROUP_OF_ALL) && keys.indexOf(keys[index]!) === index,
    );
  };
  return requiredField(schema, hint, decode, { encode: (names) => names });
}

function checkGroupName(name: unknown, path: string, errors: FieldError[]): string {
  if (typeof name === "string" && name.trim() === "") return "";
  if (typeof name === "string" && name.includes(",")) {
    fail(errors, path, "invalid", "must not contain a comma: send each name separately.");
    return "";
  }
  const before = errors.length;
  const decoded = decodeGroupName(name, path, errors);
  return errors.length > before ? "" : decoded;
}

/** A sample body of `customer/save` for a merchant with these columns, without the keys and the customer. */
export function sampleCustomerRequest(columns: readonly CustomColumn[]) {
  const customFields = columns.map(({ columnId, name, type }) => ({ id: String(columnId), name, type, value: "" }));
  return {
    access_key_id: "",
    secret_access_key: "",
    customer: [{ ...memberTexts(CUSTOMER_MEMBERS, () => ""), custom_fields: customFields, customer_group: [] }],
  };
}
