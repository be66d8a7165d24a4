// Routes that take keys in the JSON body, and answer in the envelope: customers and invoicing. Their common rules:
// docs/rules/access.md#keys-in-the-body. The caller is identified from the raw bytes, before anything is parsed; docs/security.md
// says how much is read and held for an unknown caller.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import { NodalError, validationError, type ErrorCode, type FieldError } from "../platform/errors.ts";
import { capacityOf, type BodyCapacity } from "../platform/http/body-capacity.ts";
import { BodyReader, checkDeclaredLength } from "../platform/http/body-reader.ts";
import { clientAddress, networkOf } from "../platform/http/client-address.ts";
import {
  envelopeResponses,
  wrapError,
  wrapSuccess,
  type RequestKind,
  type Success,
} from "../platform/http/envelope.ts";
import { addRateHeaders } from "../platform/http/error-answers.ts";
import { decoderOf, ifSent } from "../platform/http/field.ts";
import { object, rawText, type Decoded, type Field } from "../platform/http/fields.ts";
import { checkEncoding, parseJsonBody } from "../platform/http/json-body.ts";
import { LARGE_BYTES, parseInTurn } from "../platform/http/large-bodies.ts";
import { findTopMembers } from "../platform/json-scan.ts";
import { KEYS_SECURITY } from "../platform/http/openapi.ts";
import { setErrorFormat, type HttpServer } from "../platform/http/server.ts";
import { unknownMembers } from "../platform/http/unknown-members.ts";
import type { Origin } from "../platform/origin.ts";
import { basicKeys, type Authenticator, type Caller, type GivenKeys } from "./keys/authenticate.ts";
import { requireScopes } from "./keys/key-terms.ts";
import type { MerchantPermission } from "./users/permission.ts";
import type { IdempotencyKey } from "./idempotency-store.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import type { Merchant } from "./merchant.ts";
import { DEFAULT_TIME_ZONE } from "./profile-members.ts";

type Fields = { readonly [name: string]: Field<unknown> };
type Values<F extends Fields> = { -readonly [Name in keyof F]: Decoded<F[Name]> };

/** The decoded part of a body in which some members failed: any member may be missing. */
type Unsound<T> = T extends readonly (infer Item)[]
  ? readonly Unsound<Item>[] | undefined
  : T extends object
    ? { readonly [Name in keyof T]?: Unsound<T[Name]> } | undefined
    : T | undefined;
type Reading = { readonly merchant: Merchant; readonly errors: FieldError[] };

export type MerchantCall<Request> = {
  readonly merchant: Merchant;
  /** The caller and its address, for the audit log. */
  readonly origin: Origin;
  readonly request: Request;
  /** The header Idempotency-Key; always `null` for a read. */
  readonly idempotency: IdempotencyKey | null;
};

export type MerchantRoute<F extends Fields, Request, Srvrsp extends TSchema, Found = void> = {
  readonly url: string;
  readonly summary: string;
  readonly tag: string;
  readonly kind: RequestKind;
  /** The scope a key needs to call it: docs/rules/access.md#scopes. */
  readonly scopes: readonly [MerchantPermission, ...MerchantPermission[]];
  /** Further scopes that a request needs, depending on its content. */
  readonly scopesOf?: (request: Request) => readonly MerchantPermission[];
  /** The route's own fields: the keys are added to them. */
  readonly body: F;
  /** The limit of the request's body; the server's own limit if unset. */
  readonly bodyLimitBytes?: number;
  readonly srvrsp: Srvrsp;
  /** Its errors besides those of every such route. */
  readonly errors?: readonly ErrorCode[];
  /**
   * Adds errors that depend on the merchant's own settings, so that the caller gets them together with those of single fields.
   * Members that failed by themselves are missing. Its result is passed to `read`.
   */
  readonly check?: (body: Unsound<Values<F>>, checking: Reading) => Found | Promise<Found>;
  /** Turns valid fields into the request, and adds errors between fields to `errors`. */
  readonly read: (body: Values<F>, reading: Reading & { readonly found: Found }) => Request | Promise<Request>;
  readonly handler: (call: MerchantCall<Request>) => Promise<Success<Static<Srvrsp>> & { readonly replayed?: boolean }>;
};

declare module "fastify" {
  interface FastifyRequest {
    /** The caller by the header Authorization, if a route takes keys in it. */
    basic: { readonly caller: Caller; readonly keys: GivenKeys } | null;
  }
}

const MAX_CREDENTIAL_LENGTH = 200;
const NO_KEYS: GivenKeys = { accessKeyId: undefined, secret: undefined };
const PATHS = /^\/api\/v[0-9]+\/merchant(\/|$)/;

/** Optional, since `Authorization: Basic` can carry them instead. */
const credentials = {
  access_key_id: ifSent(rawText(MAX_CREDENTIAL_LENGTH)),
  secret_access_key: ifSent(rawText(MAX_CREDENTIAL_LENGTH)),
};

/** Adds a part of the server whose routes, created with `merchantRoute`, take keys in their bodies. Once per server. */
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
      const capacity = capacityOf(routeOptions.schema?.body);
      const keyed = { headers, payload, address: clientAddress(request), limitBytes: routeOptions.bodyLimit, capacity };
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
      requireScopes(request.caller.scopes, request.routeOptions.config.scopes!);
    });
    addRoutes(scope);
  });
}

/** Adds a route to the part of the server created by `registerBodyKeyRoutes`. */
export function merchantRoute<F extends Fields, Request, Srvrsp extends TSchema, Found = void>(
  scope: HttpServer,
  route: MerchantRoute<F, Request, Srvrsp, Found>,
): void {
  const { url, summary, tag, kind, srvrsp } = route;
  const body = object({ ...route.body, ...credentials });
  // The keys have been checked by then, wherever they were.
  const decodeBody = decoderOf(object(route.body)) as (value: unknown, path: string, errors: FieldError[]) => Values<F>;
  scope.post(url, {
    config: { scopes: route.scopes },
    schema: {
      summary,
      tags: [tag],
      security: KEYS_SECURITY,
      body,
      response: envelopeResponses(kind, srvrsp, errorsOf(route)),
    },
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
      requireScopes(request.caller!.scopes, route.scopesOf?.(asked) ?? []);
      const header = kind === "write" ? request.headers["idempotency-key"] : undefined;
      const idempotency = readIdempotencyKey(header, url, fields);
      const { replayed, ...success } = await route.handler({ merchant, origin, request: asked, idempotency });
      const unknown = kind === "write" ? unknownMembers(body, request.body) : [];
      if (replayed) reply.header("idempotent-replayed", "true");
      const warnings = [...(success.warnings ?? []), ...unknown];
      return wrapSuccess(kind, { ...success, warnings }, reply, merchant.timeZone);
    },
  });
}

function errorsOf({ kind, errors = [] }: { kind: RequestKind; errors?: readonly ErrorCode[] }): ErrorCode[] {
  const ofEvery: ErrorCode[] = [
    ...(["malformed_json", "validation_failed", "invalid_keys", "access_denied", "body_too_large"] as const),
    ...(["unsupported_media_type", "rate_limited", "internal_error", "unavailable"] as const),
  ];
  return [...ofEvery, ...(kind === "write" ? (["idempotency_conflict", "limit_exceeded"] as const) : []), ...errors];
}

function formatError(error: NodalError, request: FastifyRequest, reply: FastifyReply): object {
  // The default for an unknown caller.
  return wrapError(explainKeys(error), reply, request.caller?.merchant.timeZone ?? DEFAULT_TIME_ZONE);
}

/** The token endpoint's texts for wrong keys are prescribed; here there is room for the remedy. */
function explainKeys(error: NodalError): NodalError {
  if (error.code !== "invalid_keys") return error;
  return new NodalError(
    "invalid_keys",
    "These keys are not valid: send a merchant's access_key_id and secret_access_key in the JSON body.",
  );
}

/** How much of a body is read for anybody, in bytes. Keys that come first are always in it. */
const HEAD_BYTES = 64 * 1024;
/** How much is read if the keys are not in the head, for clients that sort their members by name. */
const LATE_KEYS_BYTES = 1024 * 1024;
/** How many bodies with late keys are read at once: per network, and in all. */
const LATE_AT_ONCE = { network: 8, all: 64 } as const;

const KEY_NAMES: ReadonlySet<string> = new Set(["access_key_id", "secret_access_key"]);

/** A request whose body is still to be read. */
export type KeyedRequest = {
  readonly headers: IncomingHttpHeaders;
  readonly payload: Readable;
  /** The caller's. */
  readonly address: string;
  /** The limit of the body, once the caller is known. */
  readonly limitBytes: number;
  /** How much JSON it may hold. */
  readonly capacity: BodyCapacity;
};

/** Reads bodies first until the sender is known, and then in full. */
export class KeyedBodies {
  readonly #authenticator: Authenticator;
  /** Networks whose bodies with late keys are being read, with the number of each. */
  readonly #late: string[] = [];

  constructor(authenticator: Authenticator) {
    this.#authenticator = authenticator;
  }

  /**
   * Reads and parses the body of a request, and calls `onCaller` with the caller before it reads beyond the keys. A caller already
   * known by a header is passed in.
   * @throws NodalError `invalid_keys`, `access_denied`, `rate_limited`, `body_too_large`, `malformed_json`; `unavailable` if too
   * many large bodies wait
   */
  async read(
    { headers, payload, address, limitBytes, capacity }: KeyedRequest,
    known: { readonly caller: Caller; readonly keys: GivenKeys } | null,
    onCaller: (caller: Caller) => void,
  ): Promise<object> {
    checkEncoding(headers);
    checkDeclaredLength(headers["content-length"], limitBytes);
    const reader = new BodyReader(payload, limitBytes);
    try {
      const keys = known?.keys ?? (await this.#findKeys(reader, address));
      const caller = known?.caller ?? (await this.#accept(keys, reader, address));
      if (!known) onCaller(caller);
      const bytes = await reader.readAll();
      const owner = String(caller.merchant.merchantId);
      const parse = (): object => parseJsonBody(bytes, capacity);
      const body = bytes.length > LARGE_BYTES ? await parseInTurn(owner, parse) : parse();
      if (known) checkNoOtherKeys(body as Readonly<Record<string, unknown>>, keys);
      return body;
    } catch (error) {
      reader.giveUp();
      throw error;
    }
  }

  async #findKeys(reader: BodyReader, address: string): Promise<GivenKeys> {
    await reader.readUpTo(HEAD_BYTES);
    const keys = keysIn(reader.bytes);
    if (isPair(keys) || reader.isWhole) return keys;
    const network = networkOf(address);
    if (!(await this.#authenticator.mayGuess(address)) || !this.#mayBeLate(network)) throw keysFirst(HEAD_BYTES);
    this.#late.push(network);
    try {
      await reader.readUpTo(LATE_KEYS_BYTES);
    } finally {
      this.#late.splice(this.#late.indexOf(network), 1);
    }
    // Cut here, however much the last chunk brought: the same body gets the same answer however it is chunked.
    return keysIn(reader.bytes.subarray(0, LATE_KEYS_BYTES));
  }

  /** The caller with these keys. Missing keys count as wrong ones. */
  async #accept(keys: GivenKeys, reader: BodyReader, address: string): Promise<Caller> {
    try {
      return await this.#authenticator.acceptKeys(keys, address);
    } catch (error) {
      const isMissing = error instanceof NodalError && error.code === "invalid_keys" && !isPair(keys);
      const isAllSeen = reader.isWhole && reader.bytes.length <= LATE_KEYS_BYTES;
      if (isMissing && !isAllSeen) throw keysFirst(LATE_KEYS_BYTES);
      // An unreadable body is reported as such, if finding out is cheap.
      if (isMissing && reader.bytes.length <= HEAD_BYTES) parseJsonBody(reader.bytes);
      throw error;
    }
  }

  #mayBeLate(network: string): boolean {
    if (this.#late.length >= LATE_AT_ONCE.all) return false;
    return this.#late.filter((other) => other === network).length < LATE_AT_ONCE.network;
  }
}

function keysIn(bytes: Buffer): GivenKeys {
  const found = findTopMembers(bytes, KEY_NAMES);
  return { accessKeyId: found.get("access_key_id"), secret: found.get("secret_access_key") };
}

/** Whether both members are present, with any value. */
function isPair({ accessKeyId, secret }: GivenKeys): boolean {
  return accessKeyId !== undefined && secret !== undefined;
}

/** Keys in the body must equal those of the header Authorization. @throws NodalError `malformed_json` */
function checkNoOtherKeys(
  { access_key_id: accessKeyId, secret_access_key: secret }: Readonly<Record<string, unknown>>,
  keys: GivenKeys,
): void {
  const isSame = (sent: unknown, known: unknown): boolean => sent === undefined || sent === known;
  if (isSame(accessKeyId, keys.accessKeyId) && isSame(secret, keys.secret)) return;
  throw new NodalError(
    "malformed_json",
    "The body has another access_key_id or secret_access_key than the header Authorization. Send the keys once.",
  );
}

function keysFirst(bytes: number): NodalError {
  return new NodalError(
    "body_too_large",
    `The first ${bytes / 1024} KiB of the body have no access_key_id and secret_access_key: ` +
      "send them as its first two members, or send a smaller body.",
  );
}
