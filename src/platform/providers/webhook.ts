// Types of providers' webhooks, for all products.

/** A received webhook. Names of headers are in lower case. */
export type ArrivedWebhook = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
};

/** The maximum age of a signed webhook. Retried deliveries are signed again. */
export const WEBHOOK_MAX_AGE_MS = 5 * 60_000;

/** An account at a provider, of a merchant or of the installation. */
export type AccountKey = { readonly bucket: number; readonly merchantId: bigint; readonly accountId: bigint };
