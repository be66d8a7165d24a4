// `nodal merchant kyc`: show and change a merchant's KYC status, for operators.
import { changeKyc, describeKyc, KYC_STATUSES, kycFields, type Merchant } from "../merchants/index.ts";
import { decoderOf, fail, readOnlyField, type Field } from "../platform/http/field.ts";
import { ifSent, oneOf } from "../platform/http/fields.ts";
import { flag, merchantCommand, option } from "./command.ts";
import { formatRecord, type Answer } from "./output.ts";

/** Converts the lines of a repeated option to a list. */
function lines<T>(field: Field<T>): Field<T> {
  const decode = decoderOf(field);
  return readOnlyField({ type: "string" }, "text", (value, path, errors) =>
    decode(String(value).split("\n"), path, errors),
  );
}

export const kycCommand = merchantCommand({
  description: "show a merchant's KYC, or change its state",
  example: '--status rejected --reason "The PAN card is not readable"',
  options: {
    status: option("<state>", KYC_STATUSES.join(", "), ifSent(oneOf(KYC_STATUSES))),
    reason: option("<text>", "why it is rejected; can be repeated", ifSent(lines(kycFields.reasons)), {
      isRepeated: true,
      named: "reasons",
    }),
    document: option(
      "<reference>",
      "a document that is kept elsewhere, by URL or id; can be repeated; replaces earlier ones",
      ifSent(lines(kycFields.documents)),
      { isRepeated: true, named: "documents" },
    ),
    clearDocuments: flag("remove all references to documents", ["document"]),
  },
  check({ status, reason, document, clearDocuments }, errors) {
    if (status !== undefined || (reason ?? document ?? clearDocuments) === undefined) return;
    fail(errors, "status", "required", "is required to change something.");
  },
  async run({ pool, ids, merchant }, { status, reason, document, clearDocuments }) {
    if (status === undefined) return answerOf(merchant);
    const documents = clearDocuments ? [] : document;
    return answerOf(await changeKyc({ pool, ids, merchant }, { status, reasons: reason, documents }));
  },
});

function answerOf({ merchantId, ...merchant }: Merchant): Answer {
  const { status, reasons, documents } = describeKyc(merchant);
  const json = { merchant_id: String(merchantId), kyc_status: status, reasons, documents };
  const inLines = { reasons: reasons.join("\n"), documents: documents.join("\n") };
  return { json, text: formatRecord({ ...json, ...inLines }) };
}
