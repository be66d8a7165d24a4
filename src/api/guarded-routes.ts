// Builders for routes of the dashboard: each declares who may call it, and refuses everybody else.
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import type { CommissionPayer } from "../franchises/index.ts";
import type { InvoiceSaves, InvoiceSettlements, Links } from "../invoices/index.ts";
import {
  franchiseOf,
  mustEnrol,
  OPERATORS,
  originOfCaller,
  personCalling,
  refuseProgram,
  requireAnyOf,
  type ApiCaller,
  type IdempotencyKey,
  type Merchant,
  type Permission,
  type PersonalAct,
  type Session,
} from "../merchants/index.ts";
import type { ChannelName } from "../notifications/index.ts";
import type { OwnPayouts, TransferDesk } from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { actingAs } from "../platform/database/tenant.ts";
import type { Reports } from "../platform/database/reports.ts";
import { NodalError } from "../platform/errors.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import { object, type Between, type Decoded, type Field } from "../platform/http/fields.ts";
import { parameters } from "../platform/http/parameters.ts";
import type { HttpServer } from "../platform/http/server.ts";
import type { Json } from "../platform/json.ts";
import type { Logger } from "../platform/log.ts";
import type { Origin } from "../platform/origin.ts";
import type { RateWindow } from "../platform/rates/rate-window.ts";
import type { LedgerCheck } from "../installation/index.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import type { AddressGuard } from "../webhooks/index.ts";
import { withFileBodies } from "./file-bodies.ts";
import { addressOf, isScreenRoute, named, ofMerchant, type Method, type OfMerchant } from "./addresses.ts";
import { published, type PublishedRoute } from "./published.ts";
import { answerOnce, idempotencyOf, type Once } from "./once.ts";
import { checkSameOrigin } from "./callers.ts";
import {
  findCaller,
  findMerchantOf,
  findPerson,
  findSession,
  isMoneyReal,
  namedMerchant,
  type CallerParts,
} from "./find-caller.ts";

/** Dependencies of the dashboard's routes. */
export type DashboardParts = CallerParts & {
  /** Connections for reading files; their data may be some seconds old. */
  readonly reports: Reports;
  /** Rate limits, counted per minute. */
  readonly rates: RateWindow;
  /** Takes requests for transfers and withdrawals. */
  readonly desk: TransferDesk;
  /** Pays out commission. The limits of transfers apply. */
  readonly commissionPayer: CommissionPayer;
  /** Saves new invoices of every API. */
  readonly saves: InvoiceSaves;
  readonly settlements: InvoiceSettlements;
  /** Links to invoices for customers. */
  readonly links: Links;
  /** Renders PDFs. */
  readonly renderer: PdfRenderer;
  /** Requests transfers that refund credit notes. */
  readonly ownPayouts: OwnPayouts;
  /** Refuses addresses that webhooks may not be sent to. */
  readonly webhookGuard: AddressGuard;
  /** The channels on which messages to customers can be sent. */
  readonly configuredChannels: readonly ChannelName[];
  /** The most accounts that a merchant can verify per day. */
  readonly verificationsPerDay: number;
  /** Whether KYC has to be approved before a merchant goes live. */
  readonly kycRequired: boolean;
  readonly ledgerCheck: LedgerCheck;
  readonly logger: Logger;
};

/** The caller of a request that has passed its guard. */
type Passed = {
  /** `null` on a route that needs only a session, or nothing. */
  readonly caller: ApiCaller | null;
  readonly session: Session | null;
  readonly merchant: Merchant | null;
};

/** Access to a route with an access key. */
export type RouteAccess = {
  /** Whose keys: a merchant's or an operator's, or only an operator's. */
  readonly keys: "merchant" | "operator";
  /** A key needs any one of these scopes; if there are none, every key is accepted. */
  readonly scopes: readonly Permission[];
  /** The reason why every key is refused, even one with all scopes. */
  readonly personal: PersonalAct | null;
};

declare module "fastify" {
  interface FastifyRequest {
    dashboard: Passed;
  }
  interface FastifyContextConfig {
    /** Set for routes that programs may call too. */
    access?: RouteAccess;
  }
}

type Fields = { readonly [name: string]: Field<unknown> };
/** The decoded values of fields, by name. */
export type Values<F extends Fields> = { -readonly [Name in keyof F]: Decoded<F[Name]> };
type NoFields = Record<never, never>;

/** The decoded parts of a request. */
type Sent<P extends Fields, Q extends Fields, B extends Fields> = {
  readonly params: Values<P>;
  readonly query: Values<Q>;
  readonly body: Values<B>;
  /** Of the header Idempotency-Key; always `null` for a read. */
  readonly idempotency: IdempotencyKey | null;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/**
 * An added route, for the browser's side: its method and path, the type of its result, and the names of its parameters
 * and fields.
 */
export type AddedRoute<M extends Method, U extends string, A, Q extends string, B extends string> = {
  readonly method: M;
  readonly url: U;
  readonly answer?: A;
  readonly takes?: { readonly query: Q; readonly body: B };
};
type NamesOf<F> = keyof F & string;

type Route<Context, P extends Fields, Q extends Fields, B extends Fields, M extends Method, U extends string, A> = {
  /** `GET /customers/:customer_id`, behind /api/v4; `GET /session/home/waiting`, behind /api. */
  readonly route: `${M} ${U}`;
  /** What it does, for the API's document: "List customers". */
  readonly summary?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The handler checks the raw body, since that needs the database. */
  readonly checksBody?: true;
  /** Errors about combinations of the body's fields. */
  readonly betweenBody?: Between<B>;
  /** The largest body, in bytes; 64 KiB if left out. */
  readonly bodyLimitBytes?: number;
  /** Whether the body is a file, instead of JSON. */
  readonly takesFile?: true;
  /** Its result is the response, unchanged, and its type is the contract with the dashboard's pages. A reply is a file. */
  readonly handler: (call: Sent<P, Q, B> & Context) => A | Promise<A>;
};

type Guard = (request: FastifyRequest) => Promise<Passed>;

export type { Route };

/** The part of the server that the dashboard's routes are added to, with their dependencies. */
export type DashboardScope = { readonly app: HttpServer; readonly parts: DashboardParts };

/** The usual limit. Files, templates and long invoices set a larger one. */
const BODY_LIMIT_BYTES = 64 * 1024;
/** The limit without a session: an address, a password, a link. */
const OPEN_BODY_LIMIT_BYTES = 16 * 1024;
/** Adds a route that anybody may call, for signing in. */
export function openRoute<
  const M extends Method,
  const U extends string,
  A extends Json | FastifyReply,
  P extends Fields = NoFields,
  Q extends Fields = NoFields,
  B extends Fields = NoFields,
>(
  { app, parts }: DashboardScope,
  route: Route<unknown, P, Q, B, M, U, A>,
): AddedRoute<M, U, A, NamesOf<Q>, NamesOf<B>> {
  const guard: Guard = (request) => {
    if (request.method !== "GET") checkSameOrigin(request, parts.publicUrl());
    return Promise.resolve({ caller: null, session: null, merchant: null });
  };
  const bounded = { bodyLimitBytes: OPEN_BODY_LIMIT_BYTES, ...(route as Route<object, P, Q, B, M, U, A>) };
  addRoute(app, bounded, guard);
  return named(route.route);
}

/** Adds a route for a signed-in person, about the person's own login. `states`: how far a sign-in must have come. */
export function sessionRoute<
  const M extends Method,
  const U extends string,
  A extends Json | FastifyReply,
  P extends Fields = NoFields,
  Q extends Fields = NoFields,
  B extends Fields = NoFields,
>(
  { app, parts }: DashboardScope,
  route: Route<{ session: Session }, P, Q, B, M, U, A> & { readonly states?: readonly Session["state"][] },
): AddedRoute<M, U, A, NamesOf<Q>, NamesOf<B>> {
  const guard: Guard = async (request) => {
    const session = await findSession(parts, request, route.states ?? ["signed_in"]);
    return { caller: null, session, merchant: null };
  };
  addRoute(app, route, guard);
  return named(route.route);
}

/** Adds a route for every person and program, which must not show anybody's data. */
export function lookUpRoute<
  const M extends Method,
  const U extends string,
  A extends Json,
  P extends Fields = NoFields,
>(
  { app, parts }: DashboardScope,
  route: Route<unknown, P, NoFields, NoFields, M, U, A>,
): AddedRoute<M, U, A, never, never> {
  const guard: Guard = async (request) => {
    const caller = await findCaller(parts, request);
    return { caller, session: caller.session, merchant: null };
  };
  addRoute(app, route, guard, { keys: "merchant", scopes: [], personal: null });
  return named(route.route);
}

/** A call of a route about the whole installation. The caller is the actor of changes through `db`. */
type OperatorCall = { readonly caller: ApiCaller; readonly db: Pool };

/** Adds a route about the whole installation, for operators, and programs with an operator's key, that have a permission. */
export function operatorRoute<
  const M extends Method,
  const U extends string,
  A extends Json | FastifyReply,
  P extends Fields = NoFields,
  Q extends Fields = NoFields,
  B extends Fields = NoFields,
>(
  { app, parts }: DashboardScope,
  route: Route<OperatorCall, P, Q, B, M, U, A> & {
    readonly summary: string;
    readonly permission: Permission;
    readonly once?: Once;
  },
): AddedRoute<M, U, A, NamesOf<Q>, NamesOf<B>> {
  const guard: Guard = async (request) => {
    const caller = await findCaller(parts, request);
    requireAnyOf(caller, [route.permission], isMoneyReal(parts, caller, null));
    return { caller, session: caller.session, merchant: null };
  };
  const handler = (call: Sent<P, Q, B>) => {
    const caller = call.request.dashboard.caller!;
    const { actor, address } = originOfCaller(caller, clientAddress(call.request), false);
    const once = { db: actingAs(parts.pool, actor, address), owner: OPERATORS, idempotency: call.idempotency };
    return answerOnce(once, route.once, call.reply, (db) => route.handler({ ...call, caller, db }));
  };
  const access = { keys: "operator", scopes: [route.permission], personal: null } as const;
  addRoute(app, { ...route, handler }, guard, access);
  return named(route.route);
}

/** A call of a route about a merchant. `db` only shows that merchant's rows, with `origin` as its actor. */
export type MerchantCall = {
  readonly caller: ApiCaller;
  readonly merchant: Merchant;
  readonly origin: Origin;
  readonly db: Pool;
};

/**
 * Adds a route about a merchant, for its people and programs with a permission, and, below /merchants/:merchant_id, for
 * operators and their programs too. Franchises are only allowed if the route declares that it limits itself to the
 * franchise's part (`franchiseOf`).
 */
export function dashboardRoute<
  const M extends Method,
  const U extends string,
  A extends Json | FastifyReply,
  P extends Fields = NoFields,
  Q extends Fields = NoFields,
  B extends Fields = NoFields,
>(
  { app, parts }: DashboardScope,
  route: Route<MerchantCall, P, Q, B, M, U, A> & {
    readonly summary: string;
    /** Any one of several: the route then limits what it shows. */
    readonly permission: Permission | readonly [Permission, ...Permission[]];
    readonly narrowsToFranchise?: true;
    readonly once?: Once;
    /** The reason why programs are refused, even with all scopes. */
    readonly personal?: PersonalAct;
  },
): AddedRoute<M, U | OfMerchant<U>, A, NamesOf<Q>, NamesOf<B>> {
  const asked = typeof route.permission === "string" ? ([route.permission] as const) : route.permission;
  const isScreen = isScreenRoute(named(route.route).url);
  const guard: Guard = async (request) => {
    const caller = await (isScreen ? findPerson : findCaller)(parts, request);
    const merchant = await findMerchantOf(parts, request, caller);
    if (route.personal) refuseProgram(caller, route.personal);
    requireAnyOf(caller, asked, isMoneyReal(parts, caller, merchant));
    if (franchiseOf(caller) !== null && !route.narrowsToFranchise) {
      throw new NodalError("access_denied", "Franchises don't have access to this.");
    }
    return { caller, session: caller.session, merchant };
  };
  const handler = (call: Sent<P, Q, B>) => {
    const { request } = call;
    const caller = request.dashboard.caller!;
    const merchant = request.dashboard.merchant!;
    const origin = originOfCaller(caller, clientAddress(request), isMoneyReal(parts, caller, merchant));
    const once = { db: parts.tenants.of(merchant, origin), owner: merchant, idempotency: call.idempotency };
    return answerOnce(once, route.once, call.reply, (db) => route.handler({ ...call, caller, merchant, origin, db }));
  };
  const ofKeys = { keys: "merchant", scopes: asked, personal: route.personal ?? null } as const;
  const access = isScreen ? undefined : ofKeys;
  addRoute(app, { ...route, handler, isOfMerchant: true }, guard, access);
  // Operators choose a merchant by the path; its own people may do so too.
  addRoute(app, { ...route, route: ofMerchant(route.route), handler, isRepeated: true }, guard, access);
  return named(route.route);
}

/** The merchant of a signed-in person's request; `null` if an operator has chosen none. */
export async function readMerchantIfAny(
  parts: DashboardParts,
  request: FastifyRequest,
  session: Session,
): Promise<Merchant | null> {
  const isUnchosen = session.login.kind === "operator" && namedMerchant(request) === null;
  return isUnchosen ? null : findMerchantOf(parts, request, personCalling(session));
}

/** Does a session still need a second factor? */
export function needsSecondFactor(parts: DashboardParts, session: Session, merchant: Merchant | null): boolean {
  return mustEnrol(session, isMoneyReal(parts, personCalling(session), merchant));
}

/** Adds one more address to `sessionRoute`, below a chosen merchant. */
export function sessionOfMerchantRoute<const M extends Method, const U extends string, A extends Json>(
  { app, parts }: DashboardScope,
  route: Route<{ session: Session }, NoFields, NoFields, NoFields, M, U, A>,
): AddedRoute<M, OfMerchant<U>, A, never, never> {
  addRoute(app, { ...route, route: ofMerchant(route.route), isRepeated: true }, async (request) => {
    return { caller: null, session: await findSession(parts, request, ["signed_in"]), merchant: null };
  });
  return named(ofMerchant(route.route));
}

function addRoute<P extends Fields, Q extends Fields, B extends Fields>(
  app: HttpServer,
  route: Route<{ session: Session }, P, Q, B, Method, string, unknown> &
    PublishedRoute & { readonly isRepeated?: true },
  guard: Guard,
  access?: RouteAccess,
): void {
  const { params, query, body, betweenBody, bodyLimitBytes = BODY_LIMIT_BYTES, takesFile } = route;
  const { method, url } = named(route.route);
  const options: RouteOptions = {
    method,
    url: addressOf(url),
    ...(access ? { config: { access } } : {}),
    schema: {
      // Screen routes are not documented, and a merchant's routes only once.
      ...(isScreenRoute(url) || route.isRepeated ? { hide: true } : published(route, access?.keys ?? "merchant")),
      ...(params ? { params: object(params) } : {}),
      querystring: parameters<Fields>(query ?? {}),
      ...(body ? { body: object(body, betweenBody) } : {}),
    },
    ...(route.checksBody ? { validatorCompiler: () => () => true } : {}),
    bodyLimit: bodyLimitBytes,
    // Before the body is read: a caller without permission learns nothing about the body's fields.
    onRequest: async (request, reply) => {
      // Personal answers must not be cached.
      reply.header("cache-control", "no-store");
      request.dashboard = await guard(request);
      const { merchant, session, caller } = request.dashboard;
      const key = caller?.program?.key.accessKeyId;
      request.bodyOwner = String(merchant?.merchantId ?? session?.sessionId ?? key ?? "");
    },
    handler: async (request, reply) =>
      route.handler({
        params: request.params as Values<P>,
        query: request.query as Values<Q>,
        body: request.body as Values<B>,
        session: request.dashboard.session!,
        idempotency: idempotencyOf(request, route.route),
        request,
        reply,
      }),
  };
  if (takesFile) withFileBodies(app, (inner) => inner.route(options));
  else app.route(options);
}
