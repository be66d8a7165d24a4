// The routes for providers' webhooks: /hooks/<provider>/<bucket>-<merchant>-<account>.
import { NodalError } from "../errors.ts";
import type { HttpServer } from "../http/server.ts";
import type { AccountKey } from "./webhook.ts";
import type { WebhookInbox } from "./webhook-inbox.ts";

const MAX_BYTES = 64 * 1024;

/** The path at which an account's webhooks arrive. */
export function hookPath(provider: string, { bucket, merchantId, accountId }: AccountKey): string {
  return `/hooks/${provider}/${bucket}-${merchantId}-${accountId}`;
}

/** Adds the route of these providers' webhooks. It asks for no keys: each webhook is signed. */
export async function registerHookRoutes<Provider extends string>(
  app: HttpServer,
  providers: readonly Provider[],
  inbox: WebhookInbox<Provider>,
): Promise<void> {
  await app.register(async (scope: HttpServer) => {
    // The signature is over the raw bytes.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MAX_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    scope.post<{ Params: { provider: string; account: string } }>(
      "/hooks/:provider/:account",
      { schema: { hide: true } },
      async ({ params, headers, body }, reply) => {
        const match = /^([0-9]{1,3})-([0-9]{1,16})-([0-9]{1,16})$/.exec(params.account);
        const provider = providers.find((each) => each === params.provider);
        if (!match || !provider) throw new NodalError("not_found", "This provider account does not exist.");
        const [bucket, merchantId, accountId] = [Number(match[1]), BigInt(match[2]!), BigInt(match[3]!)];
        const webhook = { headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) };
        await inbox.take(provider, { bucket, merchantId, accountId }, webhook);
        return reply.send({});
      },
    );
  });
}
