// Authentication of callers of payouts and franchises: POST /api/token, and the bearer token. docs/rules/access.md#bearer-tokens
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { NodalError } from "../platform/errors.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import { addRateHeaders, defaultErrorFormat } from "../platform/http/error-answers.ts";
import { object, rawText } from "../platform/http/fields.ts";
import { acceptForms } from "../platform/http/forms.ts";
import { BODY_ERRORS, errorResponses } from "../platform/http/openapi.ts";
import { setErrorFormat, type HttpServer } from "../platform/http/server.ts";
import { bearerToken, type Authenticator, type Caller } from "./keys/authenticate.ts";
import { requireScopes } from "./keys/key-terms.ts";
import type { MerchantPermission } from "./users/permission.ts";
import type { Origin } from "../platform/origin.ts";
import { modeOf, MODES, type Merchant, type Mode } from "./merchant.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** For a route that returns earlier requests of a suspended merchant, and refuses new ones. */
    admitsSuspended?: true;
    /** The scope a key needs to call a route with a bearer token: docs/rules/access.md#scopes. */
    scopes?: readonly MerchantPermission[];
  }
}

const MAX_CREDENTIAL_LENGTH = 200;
/** The same for JSON and forms: the caller is unknown, and only two members are needed. */
const BODY_LIMIT_BYTES = 64 * 1024;

/** Adds POST /api/token, which takes JSON and both kinds of form. */
export async function registerTokenRoute(app: HttpServer, authenticator: Authenticator): Promise<void> {
  await app.register(async (scope: HttpServer) => {
    await acceptForms(scope);
    setErrorFormat(scope, (error, request, reply) =>
      error.code === "invalid_keys"
        ? { error: error.message, status: 0, code: error.code }
        : defaultErrorFormat(error, request, reply),
    );
    scope.post("/api/token", {
      schema: {
        summary: "Exchange access keys for a bearer token",
        tags: ["Token"],
        consumes: ["multipart/form-data", "application/x-www-form-urlencoded", "application/json"],
        body: object({
          access_key_id: rawText(MAX_CREDENTIAL_LENGTH),
          secret_access_key: rawText(MAX_CREDENTIAL_LENGTH),
        }),
        response: {
          ...errorResponses(...BODY_ERRORS, "access_denied", "rate_limited"),
          401: Type.Object({
            error: Type.Literal("Invalid Keys"),
            status: Type.Literal(0),
            code: Type.Literal("invalid_keys"),
          }),
          200: Type.Object({
            success: Type.Object({ token: Type.String(), mode: Type.Unsafe<Mode>({ type: "string", enum: MODES }) }),
          }),
        },
      },
      bodyLimit: BODY_LIMIT_BYTES,
      // Keys that are missing or malformed are wrong keys, not failed fields.
      validatorCompiler: () => () => true,
      handler: async (request, reply) => {
        const body = (request.body ?? {}) as Readonly<Record<string, unknown>>;
        const keys = { accessKeyId: body["access_key_id"], secret: body["secret_access_key"] };
        const { token, caller } = await authenticator.issueToken(keys, clientAddress(request));
        addRateHeaders(reply, caller.rate);
        return { success: { token, mode: modeOf(caller.merchant) } };
      },
    });
  });
}

/** Requires a bearer token on every route of this part of the server, before their bodies are read. */
export function requireBearerToken(app: HttpServer, authenticator: Authenticator): void {
  app.decorateRequest("caller", null);
  app.addHook("onRoute", ({ url, config }) => {
    if (!config?.scopes) throw new Error(`${url} doesn't say which scopes it needs`);
  });
  app.addHook("onRequest", async (request, reply) => {
    const { admitsSuspended, scopes } = request.routeOptions.config;
    const caller = await authenticator.acceptToken(requireToken(request), clientAddress(request), admitsSuspended);
    request.caller = caller;
    request.bodyOwner = String(caller.merchant.merchantId);
    addRateHeaders(reply, caller.rate);
    requireScopes(caller.scopes, scopes!);
  });
}

/** The merchant that calls a route behind `requireBearerToken`. */
export function callingMerchant(request: FastifyRequest): Merchant {
  return callerOf(request).merchant;
}

/** The caller of such a route, for the audit log: the key that the token was issued for, and the caller's address. */
export function callingOrigin(request: FastifyRequest): Origin {
  return callerOf(request).origin;
}

function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error("this route is not behind requireBearerToken");
  return request.caller;
}

function requireToken({ headers: { authorization } }: FastifyRequest): string {
  const token = bearerToken(authorization);
  if (token !== null) return token;
  throw new NodalError(
    "missing_token",
    "Send the header Authorization: Bearer <token>, with a token from POST /api/token.",
  );
}
