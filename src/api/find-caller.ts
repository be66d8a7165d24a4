// Who makes a request of the API, a person or a program, and which merchant it is about: docs/rules/access.md#who-calls.
import {
  findMerchant,
  findMerchantByKey,
  findSessionOf,
  isOfOperators,
  notSignedIn,
  personCalling,
  programCalling,
  suspended,
  type ApiCaller,
  type Authenticator,
  type Merchant,
  type MerchantKey,
  type Program,
  type Session,
  type SignInParts,
} from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import { checkCsrfToken, checkSameOrigin, openCookie, readCookie, type RequestRate } from "./callers.ts";

/** What finding a caller takes. */
export type CallerParts = SignInParts & {
  /** Finds out whose keys programs send. */
  readonly authenticator: Authenticator;
  /** How many requests of people are taken. */
  readonly requestRate: RequestRate;
  readonly isProduction: boolean;
  /** The address under which browsers reach the server. */
  readonly publicUrl: () => string;
};

type Request = Parameters<typeof clientAddress>[0];

/**
 * The program whose key the header Authorization has, or else the person whose session the cookie has. The header decides where a
 * request has both.
 * @throws NodalError `not_signed_in`, `csrf_refused`, `rate_limited`, and what `Authenticator.acceptHeader` throws
 */
export async function findCaller(parts: CallerParts, request: Request): Promise<ApiCaller> {
  const program = await findProgram(parts, request);
  if (program === null) {
    if (!comesFromBrowser(request)) throw withoutCredentials();
    return findPerson(parts, request);
  }
  request.rate = program.rate;
  return programCalling(program);
}

/**
 * The person whose session the cookie has.
 * @throws NodalError as `findSession`
 */
export async function findPerson(parts: CallerParts, request: Request): Promise<ApiCaller> {
  return personCalling(await findSession(parts, request, ["signed_in"]));
}

async function findProgram(parts: CallerParts, request: Request): Promise<Program | null> {
  try {
    return await parts.authenticator.acceptHeader(request.headers.authorization, clientAddress(request));
  } catch (error) {
    if (!(error instanceof NodalError) || error.code !== "invalid_keys") throw error;
    throw new NodalError(
      "invalid_keys",
      "These keys are not valid: send the access_key_id and secret_access_key of an access key as Authorization: Basic.",
    );
  }
}

/**
 * The session of the request's cookie, in one of these states.
 * @throws NodalError `not_signed_in`, `csrf_refused` or `rate_limited`
 */
export async function findSession(
  parts: CallerParts,
  request: Request,
  states: readonly Session["state"][],
): Promise<Session> {
  const signed = readCookie(request.headers.cookie, "nodal", parts.isProduction ? ["https"] : ["https", "http"]);
  const address = clientAddress(request);
  const { requestRate, tenants } = parts;
  const cookie = signed && openCookie(parts.installationSecret, signed);
  const session = cookie && (await requestRate.findSession(cookie, () => findSessionOf(tenants, cookie, address)));
  if (session) request.rate = await requestRate.count(session);
  if (!session || !states.includes(session.state)) throw notSignedIn();
  if (request.method !== "GET") {
    checkSameOrigin(request, parts.publicUrl());
    checkCsrfToken(request, session.csrfToken);
  }
  return session;
}

/** Browsers say where their requests come from; older ones have the cookie at least. */
function comesFromBrowser({ headers }: Request): boolean {
  return headers.cookie !== undefined || headers["sec-fetch-site"] !== undefined;
}

function withoutCredentials(): NodalError {
  return new NodalError(
    "not_signed_in",
    "Sign in, or send an access key: Authorization: Basic, or Authorization: Bearer with a token from POST /api/token.",
  );
}

/** The merchant's id that the path names; `null` where it names none. */
export function namedMerchant(request: Request): string | null {
  return (request.params as { merchant_id?: string }).merchant_id ?? null;
}

/**
 * The merchant that a request is about, as it is now: an operator's by the path, everybody else's own.
 * @throws NodalError `merchant_not_found`, or `access_denied` for people of a suspended merchant
 */
export async function findMerchantOf(
  { pool, tenants }: CallerParts,
  request: Request,
  caller: ApiCaller,
): Promise<Merchant> {
  const named = namedMerchant(request);
  const isNumber = named === null || /^[0-9]{1,16}$/.test(named);
  if (isOfOperators(caller)) {
    const merchant = named !== null && isNumber ? await findMerchant(pool, BigInt(named)) : null;
    if (!merchant) throw merchantNotFound();
    return merchant;
  }
  const own: MerchantKey = caller.session?.login ?? caller.program!.merchant!;
  if (!isNumber || (named !== null && BigInt(named) !== own.merchantId)) throw merchantNotFound();
  const merchant = await findMerchantByKey(tenants.of(own), own);
  if (merchant?.status !== "active") throw suspended(merchant);
  return merchant;
}

function merchantNotFound(): NodalError {
  return new NodalError("merchant_not_found", "Merchant not found. Choose one from the list of merchants.");
}

/** Whether what a caller may do is about real money: a live merchant's, or for operators an installation in production. */
export function isMoneyReal({ isProduction }: CallerParts, caller: ApiCaller, merchant: Merchant | null): boolean {
  return (merchant?.live ?? false) || (isOfOperators(caller) && isProduction);
}
