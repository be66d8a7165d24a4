// Routes that take keys in the JSON body, and answer in the envelope: customers and invoicing.
// What belongs here: what is the same for all of them. docs/rules/access.md#keys-in-the-body
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import { NodalError, validationError, type ErrorCode, type FieldError } from "../platform/errors.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import {
  envelopeResponses,
  wrapError,
  wrapSuccess,
  type RequestKind,
  type Success,
} from "../platform/http/envelope.ts";
import { addRateHeaders } from "../platform/http/error-answers.ts";
import { decoderOf } from "../platform/http/field.ts";
import { object, rawText, type Decoded, type Field } from "../platform/http/fields.ts";
import { setErrorFormat, type HttpServer } from "../platform/http/server.ts";
import type { Origin } from "../platform/origin.ts";
import type { Authenticator, Caller, GivenKeys } from "./authenticate.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import { KeyedBodies } from "./keyed-body.ts";
import type { IdempotencyKey } from "./idempotency-store.ts";
import { DEFAULT_TIME_ZONE, type Merchant } from "./merchant.ts";

type Fields = { readonly [name: string]: Field<unknown> };
type Values<F extends Fields> = { -readonly [Name in keyof F]: Decoded<F[Name]> };

/** What was decoded of a body in which some members failed: any member may be missing. */
type Unsound<T> = T extends readonly (infer Item)[]
  ? readonly Unsound<Item>[] | undefined
  : T extends object
    ? { readonly [Name in keyof T]?: Unsound<T[Name]> } | undefined
    : T | undefined;
type Reading = { readonly merchant: Merchant; readonly errors: FieldError[] };

export type MerchantCall<Request> = {
  readonly merchant: Merchant;
  /** Who calls and from where, for the audit log. */
  readonly origin: Origin;
  readonly request: Request;
  /** Of the header Idempotency-Key; always `null` for a read. */
  readonly idempotency: IdempotencyKey | null;
};

export type MerchantRoute<F extends Fields, Request, Srvrsp extends TSchema, Found = void> = {
  readonly url: string;
  readonly summary: string;
  readonly tag: string;
  readonly kind: RequestKind;
  /** The route's own fields: the keys are added to them. */
  readonly body: F;
  /** Of the request's body; the server's own limit where nothing is said. */
  readonly bodyLimitBytes?: number;
  readonly srvrsp: Srvrsp;
  /** What it may answer besides the errors of every such route. */
  readonly errors?: readonly ErrorCode[];
  /**
   * Adds to `errors` what only the merchant's own settings tell, so that the caller learns it together with what is
   * wrong with single fields. Members that failed by themselves are missing. What it found out goes on to `read`.
   */
  readonly check?: (body: Unsound<Values<F>>, checking: Reading) => Found | Promise<Found>;
  /** Turns fields that are all sound into the request, and adds to `errors` what is wrong between them. */
  readonly read: (body: Values<F>, reading: Reading & { readonly found: Found }) => Request | Promise<Request>;
  readonly handler: (call: MerchantCall<Request>) => Promise<Success<Static<Srvrsp>> & { readonly replayed?: boolean }>;
};

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls by the header Authorization, where a route takes keys in it. */
    basic: { readonly caller: Caller; readonly keys: GivenKeys } | null;
  }
}

const MAX_CREDENTIAL_LENGTH = 200;
const NO_KEYS: GivenKeys = { accessKeyId: undefined, secret: undefined };
const PATHS = /^\/api\/v[0-9]+\/merchant(\/|$)/;

const credentials = {
  access_key_id: rawText(MAX_CREDENTIAL_LENGTH),
  secret_access_key: rawText(MAX_CREDENTIAL_LENGTH),
};

/** Adds a part of the server whose routes, made with `merchantRoute`, take keys in their bodies. Once for a server. */
export async function registerBodyKeyRoutes(
  app: HttpServer,
  authenticator: Authenticator,
  addRoutes: (scope: HttpServer) => void,
): Promise<void> {
  await app.register(async (scope: HttpServer) => {
    setErrorFormat(scope, formatError, PATHS);
    scope.decorateRequest("caller", null);
    scope.decorateRequest("basic", null);
    // Bodies are checked in `merchantRoute`, together with what only `read` knows.
    scope.setValidatorCompiler(() => () => true);
    const bodies = new KeyedBodies(authenticator);
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", (request: FastifyRequest, payload: IncomingMessage) => {
      const { headers, routeOptions, basic } = request;
      const keyed = { headers, payload, address: clientAddress(request), limitBytes: routeOptions.bodyLimit };
      return bodies.read(keyed, basic, (caller) => (request.caller = caller));
    });
    scope.addHook("onRequest", async (request) => {
      const keys = basicKeys(request.headers.authorization);
      if (!keys) return;
      const caller = await authenticator.acceptKeys(keys, clientAddress(request));
      request.caller = caller;
      request.basic = { caller, keys };
    });
    scope.addHook("preValidation", async (request, reply) => {
      // Without a body there are no keys.
      request.caller ??= await authenticator.acceptKeys(NO_KEYS, clientAddress(request));
      addRateHeaders(reply, request.caller.rate);
    });
    addRoutes(scope);
  });
}

/** Adds a route to the part of the server that `registerBodyKeyRoutes` made. */
export function merchantRoute<F extends Fields, Request, Srvrsp extends TSchema, Found = void>(
  scope: HttpServer,
  route: MerchantRoute<F, Request, Srvrsp, Found>,
): void {
  const { url, summary, tag, kind, srvrsp } = route;
  const body = object({ ...route.body, ...credentials });
  // The keys have been checked by then, wherever they stood.
  const decodeBody = decoderOf(object(route.body)) as (value: unknown, path: string, errors: FieldError[]) => Values<F>;
  scope.post(url, {
    schema: { summary, tags: [tag], body, response: envelopeResponses(kind, srvrsp, errorsOf(route)) },
    ...(route.bodyLimitBytes === undefined ? {} : { bodyLimit: route.bodyLimitBytes }),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { merchant, origin } = request.caller!;
      const errors: FieldError[] = [];
      const fields = decodeBody(request.body, "", errors);
      // A route without a check finds nothing, and its `Found` is void.
      const found = (await route.check?.(fields as Unsound<Values<F>>, { merchant, errors })) as Found;
      if (errors.length > 0) throw validationError(errors);
      const asked = await route.read(fields, { merchant, errors, found });
      if (errors.length > 0) throw validationError(errors);
      const header = kind === "write" ? request.headers["idempotency-key"] : undefined;
      const idempotency = readIdempotencyKey(header, url, fields);
      const { replayed, ...success } = await route.handler({ merchant, origin, request: asked, idempotency });
      if (replayed) reply.header("idempotent-replayed", "true");
      return wrapSuccess(kind, success, reply, merchant.timeZone);
    },
  });
}

/** The keys of `Authorization: Basic`; `null` where there are none: the header may be meant for a proxy. */
function basicKeys(header: string | undefined): GivenKeys | null {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? "")?.[1] ?? "";
  const [, accessKeyId, secret] = /^(nk_[^:]*):(.*)$/.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  return accessKeyId === undefined ? null : { accessKeyId, secret };
}

function errorsOf({ kind, errors = [] }: { kind: RequestKind; errors?: readonly ErrorCode[] }): ErrorCode[] {
  const ofEvery: ErrorCode[] = [
    ...(["malformed_json", "validation_failed", "invalid_keys", "access_denied", "body_too_large"] as const),
    ...(["unsupported_media_type", "rate_limited", "internal_error", "unavailable"] as const),
  ];
  return [...ofEvery, ...(kind === "write" ? (["idempotency_conflict", "limit_exceeded"] as const) : []), ...errors];
}

function formatError(error: NodalError, request: FastifyRequest, reply: FastifyReply): object {
  // The default where it is not known who calls.
  return wrapError(explainKeys(error), reply, request.caller?.merchant.timeZone ?? DEFAULT_TIME_ZONE);
}

/** The token endpoint's two words for wrong keys are prescribed; here there is room to say what to do. */
function explainKeys(error: NodalError): NodalError {
  if (error.code !== "invalid_keys") return error;
  return new NodalError(
    "invalid_keys",
    "These keys are not valid: send a merchant's access_key_id and secret_access_key in the JSON body.",
  );
}
