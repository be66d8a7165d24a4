// The introduction of the OpenAPI document: how to call the API, and its parts.
import { V4_TAGS } from "./v4-operations.ts";

/** In Markdown. */
export const GUIDE = `Payouts, franchises, customers and invoices of merchants in India. \`/api/v4\` has all that the dashboard does, by task. \`/api/v1\` to
\`/api/v3\` are older, and stay as they are.

**Credentials.** Exchange an access key for a bearer token with \`POST /api/token\`. It is valid for 60 minutes, from the address that requested it.
\`Authorization: Basic\` with the access key works too, for \`/api/v4\` and for customers and invoicing of \`/api/v1\` to \`/api/v3\`, which also take
\`access_key_id\` and \`secret_access_key\` in each JSON body.

**Scopes.** A key may call an operation if it has the scope that the operation names. An operator's key names the merchant in the path:
\`/api/v4/merchants/{merchant_id}/transfers\` is \`/api/v4/transfers\` of that merchant. It is sent as \`Authorization: Basic\`.

**Values.** Amounts are decimal rupees as text, such as \`"590.00"\`. Ids are strings of digits. Dates are \`YYYY-MM-DD\`. Times have an offset in
\`/api/v4\`; elsewhere they are \`YYYY-MM-DD HH:MM:SS\` in the merchant's time zone. Responses may gain fields.

**Lists** of \`/api/v4\` answer \`next\`: send it as \`after\` for the next page. The same address with \`.csv\` is the whole list as a file.

**Errors.** An error has a status, a \`code\` for programs (in the envelope: \`errcode\`) and a message that says what to do. \`fields\` (\`errors\`,
\`errlist\`) lists every wrong field, not only the first. A refused request changes nothing.

**Retries.** Every request that changes something takes an \`Idempotency-Key\`. Transfers also have a \`reference_id\`, which is valid for ever. After 429, 503
or no response, send the same request again; \`Retry-After\` says when.

**Limits.** 30 requests a minute for each merchant, unless it has another limit. The headers \`RateLimit-*\` give the number left.`;

export const TAGS = [
  { name: "Token", description: "Exchange access keys for a bearer token." },
  ...V4_TAGS,
  {
    name: "Payouts",
    description: "`/api/v1`: beneficiaries, transfers to them, withdrawals and the balance. Takes a bearer token.",
  },
  { name: "Franchises", description: "`/api/v1`: franchises and their commission. Takes a bearer token." },
  {
    name: "Customers",
    description:
      "`/api/v1`: the people and companies that the merchant bills. Takes access keys; responses have the envelope.",
  },
  {
    name: "Invoicing",
    description:
      "`/api/v1` to `/api/v3`: invoices, their payments, and subscriptions. Takes access keys; responses have the envelope.",
  },
  { name: "Webhooks", description: "Signed events that Nodal sends to your server." },
] as const;

export const SECURITY_SCHEMES = {
  bearerAuth: {
    type: "http",
    scheme: "bearer",
    description: "A token from `POST /api/token`. It is valid for 60 minutes, from the address that requested it.",
  },
  basicAuth: {
    type: "http",
    scheme: "basic",
    description: "The access key as user name and password. Leave the keys out of the body.",
  },
} as const;
