// What the OpenAPI document says of the API as a whole: how to call it, and what its parts are.

/** In Markdown. */
export const GUIDE = `Payouts, franchises, customers and invoices of merchants in India.

**Who calls.** Payouts and franchises take a bearer token: exchange an access key for one with \`POST /api/token\`. It is good for
60 minutes, and only from the address that asked for it. Customers and invoicing take the access key in each JSON body instead
(\`access_key_id\` and \`secret_access_key\`); \`Authorization: Basic\` with the two does as well, and then they may be left out of the body.

**Values.** Amounts are decimal rupees as text, such as \`"590.00"\`. Ids are text of digits. Days are \`YYYY-MM-DD\`, times
\`YYYY-MM-DD HH:MM:SS\` in the merchant's time zone. Unknown fields are ignored; responses may gain fields.

**Errors.** Every refusal has a status, a \`code\` for programs (in the envelope: \`errcode\`) and a sentence that says what to do, and has changed
nothing. \`errors\` (\`errlist\`) lists every member that is wrong, not only the first.

**Again.** Each \`POST\` that changes something takes \`Idempotency-Key\`. Transfers have \`reference_id\` besides, which is the same for ever. After 429 and 503, and
after an answer that never came, send the same request again; \`Retry-After\` says when.

**Limits.** 30 requests a minute for each merchant, unless it was given another limit. The headers \`RateLimit-*\` say how many are left.`;

export const TAGS = [
  { name: "Token", description: "From access keys to a bearer token." },
  {
    name: "Payouts",
    description: "Beneficiaries, transfers to them, withdrawals and the balance. With a bearer token.",
  },
  { name: "Franchises", description: "Parts of the business that earn commission. With a bearer token." },
  {
    name: "Customers",
    description: "Whom the merchant bills. With access keys in the body, and answers in the envelope.",
  },
  {
    name: "Invoicing",
    description: "Invoices, payments of them, and invoices that repeat. With access keys in the body.",
  },
  { name: "Webhooks", description: "What Nodal sends to your server, signed, when something has happened." },
] as const;

export const SECURITY_SCHEMES = {
  bearerAuth: {
    type: "http",
    scheme: "bearer",
    description: "A token of `POST /api/token`. It is good for 60 minutes, from the address that asked for it.",
  },
  basicAuth: {
    type: "http",
    scheme: "basic",
    description: "The access key as user name and password. The keys may then be left out of the body.",
  },
} as const;
