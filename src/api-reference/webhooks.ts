// The webhooks of the OpenAPI document, by kind: docs/webhooks.md. They share schemas with the API's responses.
import { MERCHANT_EVENTS } from "../webhooks/index.ts";
import { refTo, type Json, type NamedSchemas } from "./name-schemas.ts";

type Examples = Readonly<Record<string, { readonly response?: unknown }>>;

const text: Json = { type: "string" };
const textOrNull: Json = { anyOf: [text, { type: "null" }] };

/** An object with all of these members. */
function object(properties: Json, optional: readonly string[] = []): Json {
  return {
    type: "object",
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  };
}

function texts(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, text]));
}

/** Types of events whose `data` comes from a posting, and not from the object of their kind. */
const OF_COMMISSION = [
  "commission.accrued",
  "commission.accrual_reversed",
  "commission.payment_recorded",
  "commission.payment_reversed",
];
const APPROVAL_EXTRAS = "bank_account ifsc bank_holder bank_name account_type resolve_as utr reason".split(" ");
const subscription = object({
  ...texts("subscription_id", "status", "customer_id", "customer_code", "customer_name", "template_id", "mode"),
  ...texts("repeat_every", "start_date", "due_date", "end_mode", "occurences", "end_date", "carry_forword_dues"),
  next_invoice_date: text,
  next_invoice_dates: { type: "array", items: text },
  parked: {
    anyOf: [
      object({ ...texts("code", "reason", "since"), attempts: { type: "integer" }, retry_at: text }),
      { type: "null" },
    ],
  },
  recent_occurrences: {
    type: "array",
    items: object({ occurrence: { type: "integer" }, ...texts("bill_date", "due_date", "status", "invoice_id") }),
  },
  invoice: { type: "object", additionalProperties: true },
  created_at: text,
});

/** The object of each kind of event. A batch's line comes without its position. */
function objectsOf(schemas: Json): Readonly<Record<string, Json>> {
  const transfer = { allOf: [refTo("Transfer"), object({ transfer_id: text })] };
  const { line: _, ...scheduled } = (schemas["BatchTransferOutcome"] as Json)["properties"] as Json;
  const [refund, receipt] = ["ReceiptsCreateAnswerReceiptRefundsItem", "ReceiptsListAnswerReceiptsItem"].map(
    (name) => (schemas[name] as Json)["properties"] as Json,
  );
  return {
    transfer,
    withdrawal: transfer,
    commission: transfer,
    balance: object(texts("funding_id", "reference", "amount")),
    beneficiary: refTo("Beneficiary"),
    payout_batch: refTo("TransferBatch"),
    scheduled_payout: object(scheduled),
    approval: {
      ...object(
        {
          ...texts("approval_id", "kind", "subject_id", "status", "requested_by", "requested_at", "expires_at"),
          decided_by: textOrNull,
          decided_at: textOrNull,
          ...texts("note", ...APPROVAL_EXTRAS),
        },
        APPROVAL_EXTRAS,
      ),
      additionalProperties: true,
    },
    invoice: { allOf: [refTo("InvoiceRecord"), object({ short_url: text })] },
    settlement: refTo("SettledInvoice"),
    credit_note: { allOf: [refTo("CreditNote"), object({ invoice_id: text })] },
    debit_note: refTo("DebitNotesListAnswerDebitNotesItem"),
    receipt: refTo("ReceiptsListAnswerReceiptsItem"),
    receipt_refund: object({ ...refund, receipt_id: (receipt as Json)["receipt_id"] }),
    subscription,
  };
}

/** The messages to receivers, by kind; `schemas` has the objects of the API by name. */
export function describeWebhooks(named: NamedSchemas, schemas: Json, examples: Examples): Json {
  const objects = objectsOf(schemas);
  const groups = Object.entries(objects).map(([kind, data]) => {
    const types = MERCHANT_EVENTS.types.filter((type) => type.startsWith(`${kind}.`) && !OF_COMMISSION.includes(type));
    return [kind, types, data] as const;
  });
  const all = [
    ...groups,
    ["commission_earned", OF_COMMISSION, object(texts("franchise_id", "amount", "source_id"))],
    ["test", ["webhook.test"], object(texts("endpoint_id"))],
  ] as const;
  return Object.fromEntries(
    all.map(([kind, types, data]) => [
      kind,
      { post: describe(named, { kind, types, data, example: examples[`webhook ${kind}`]?.response }) },
    ]),
  );
}

type Group = {
  readonly kind: string;
  readonly types: readonly string[];
  readonly data: Json;
  readonly example: unknown;
};

const SIGNATURE = [
  ["webhook-id", "The id of the event, the same on every attempt: process it once."],
  ["webhook-timestamp", "When it was sent, in seconds since 1970. Refuse a difference of more than 5 minutes."],
  ["webhook-signature", "One or more signatures `v1,…`, separated by spaces. One of them must be valid."],
] as const;

function describe(named: NamedSchemas, { kind, types, data, example }: Group): Json {
  const name = `${kind.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
  const message = object({
    type: { type: "string", enum: types },
    timestamp: { type: "string", format: "date-time" },
    sequence: { type: "integer" },
    merchant_id: text,
    data,
  });
  return {
    operationId: `receive${name}`,
    summary: `Receive ${types.join(", ")}`,
    tags: ["Webhooks"],
    security: [],
    parameters: SIGNATURE.map(([header, description]) => ({
      name: header,
      in: "header",
      required: true,
      description,
      schema: text,
    })),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: named.hoist(message, name),
          ...(example === undefined ? {} : { example }),
        },
      },
    },
    responses: {
      "2XX": { description: "Accepted. Respond within 10 seconds, and do the work afterwards." },
      "410": { description: "No more events wanted: the endpoint is disabled." },
      default: { description: "Not accepted: it is retried for three days." },
    },
  };
}
