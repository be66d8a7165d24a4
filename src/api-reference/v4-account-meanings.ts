// The meaning of the fields of payout accounts in /api/v4.

export const PAYOUT_ACCOUNT_MEANINGS: Readonly<Record<string, string>> = {
  account_id: "Assigned by Nodal: the payout account's id.",
  provider: "The payout provider.",
  modes: "What the account is used for, in order of preference.",
  key_id: "The id of the provider's key.",
  webhook_secret: "The secret that signs the provider's webhooks.",
  webhook_secrets: "Secrets that sign the provider's webhooks, the newest first.",
  signing_key: "The key that signs requests to the provider.",
  verify_key_id: "The id of the provider's key for verifying accounts.",
  verify_secret: "Its secret.",
  source_account: "The account at the provider that payouts leave from.",
  fund_source: "The fund source at the provider.",
  when_down: "What happens to payouts while the provider is down.",
  give_up_minutes: "Minutes after which a waiting payout is given up.",
  rate_limit_per_minute: "Requests a minute; `null` for the installation's limit.",
};
