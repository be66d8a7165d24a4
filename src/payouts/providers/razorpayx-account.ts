// The details that RazorpayX needs to connect an account. Sources: docs/providers/razorpayx.md
import type { ConnectorDefinition } from "./connector.ts";
import { problemOfKey } from "./credentials.ts";
import { RazorpayX } from "./razorpayx.ts";

const SOURCE_ACCOUNT = /^[A-Za-z0-9]{5,35}$/;

export const RAZORPAYX: ConnectorDefinition = {
  label: "RazorpayX",
  baseUrl: "https://api.razorpay.com",
  credentials: [
    {
      property: "webhookSecret",
      name: "webhook_secret",
      label: "Webhook secret",
      help: "The secret you set for the webhook at RazorpayX",
      kind: "secret",
      isRequired: true,
      maxLength: 200,
      changes: "with_keys",
      problemOf: problemOfKey,
    },
    {
      property: "sourceAccount",
      name: "source_account",
      label: "Source account",
      help: "Number of the RazorpayX account to pay from",
      kind: "text",
      isRequired: true,
      maxLength: 35,
      changes: "never",
      isIdentity: true,
      problemOf: (value) =>
        SOURCE_ACCOUNT.test(value) ? null : "must be the account's number at RazorpayX: 5 to 35 letters and digits.",
    },
  ],
  // Its page about billing says so.
  returnsFees: true,
  open: (access, parts) => new RazorpayX(access, parts),
};
