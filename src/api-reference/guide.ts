// The introduction of the OpenAPI document: how to call the API, and its parts.

/** In Markdown. */
export const GUIDE = `Payouts, franchises, customers and invoices of merchants in India.

**Credentials.** Payouts and franchises take a bearer token: exchange an access key for one with \`POST /api/token\`. It is valid for 60 minutes, from the
address that requested it. Customers and invoicing take the access key in each JSON body instead (\`access_key_id\` and \`secret_access_key\`), or as
\`Authorization: Basic\`; then leave the keys out of the body.

**Values.** Amounts are decimal rupees as text, such as \`"590.00"\`. Ids are strings of digits. Dates are \`YYYY-MM-DD\`, times \`YYYY-MM-DD HH:MM:SS\` in the
merchant's time zone. Unknown fields are ignored; responses may gain fields.

**Errors.** An error has a status, a \`code\` for programs (in the envelope: \`errcode\`) and a message that says what to do. \`errors\` (\`errlist\`) lists every
wrong field, not only the first. A refused request changes nothing.

**Retries.** Every \`POST\` that changes something takes an \`Idempotency-Key\`. Transfers also have a \`reference_id\`, which is valid for ever. After 429, 503 or
no response, send the same request again; \`Retry-After\` says when.

**Limits.** 30 requests a minute for each merchant, unless it has another limit. The headers \`RateLimit-*\` give the number left.`;

export const TAGS = [
  { name: "Token", description: "Exchange access keys for a bearer token." },
  {
    name: "Payouts",
    description: "Beneficiaries, transfers to them, withdrawals and the balance. Takes a bearer token.",
  },
  { name: "Franchises", description: "Franchises and their commission. Takes a bearer token." },
  {
    name: "Customers",
    description: "The people and companies that the merchant bills. Takes access keys; responses have the envelope.",
  },
  {
    name: "Invoicing",
    description: "Invoices, their payments, and subscriptions. Takes access keys; responses have the envelope.",
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
