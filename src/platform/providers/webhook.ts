// Webhooks of providers, as any product receives them.

/** A webhook as it arrived. Names of headers are in small letters. */
export type ArrivedWebhook = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
};

/** How old a signed webhook may be. Deliveries that are tried again are signed anew. */
export const WEBHOOK_MAX_AGE_MS = 5 * 60_000;

/** An account at a provider, of a merchant or of the installation. */
export type AccountKey = { readonly bucket: number; readonly merchantId: bigint; readonly accountId: bigint };
