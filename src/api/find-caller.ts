// Finds the caller of an API request, a person or a program, and the merchant: docs/rules/access.md#who-calls.
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

/** Dependencies for finding a caller. */
export type CallerParts = SignInParts & {
  /** Identifies programs by their keys. */
  readonly authenticator: Authenticator;
  /** The rate limit for people. */
  readonly requestRate: RequestRate;
  readonly isProduction: boolean;
  /** The server's URL for browsers. */
  readonly publicUrl: () => string;
};

type Request = Parameters<typeof clientAddress>[0];

/**
 * The program with the key in the Authorization header, or else the person with the session in the cookie. The header
 * wins if a request has both.
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
 * The person with the session in the cookie.
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

/** Browsers send the origin of their requests; older ones at least send the cookie. */
function comesFromBrowser({ headers }: Request): boolean {
  return headers.cookie !== undefined || headers["sec-fetch-site"] !== undefined;
}

function withoutCredentials(): NodalError {
  return new NodalError(
    "not_signed_in",
    "Sign in, or send an access key: Authorization: Basic, or Authorization: Bearer with a token from POST /api/token.",
  );
}

/** The merchant's id in the path; `null` if there is none. */
export function namedMerchant(request: Request): string | null {
  return (request.params as { merchant_id?: string }).merchant_id ?? null;
}

/**
 * The merchant of a request, in its current state: for operators from the path, for everybody else their own.
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

/** Does the caller handle real money? True for a live merchant, and for operators of a production installation. */
export function isMoneyReal({ isProduction }: CallerParts, caller: ApiCaller, merchant: Merchant | null): boolean {
  return (merchant?.live ?? false) || (isOfOperators(caller) && isProduction);
}
