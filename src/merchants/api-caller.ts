// The caller of /api/v4: a signed-in person, or a program with an access key. Use cases accept either.
import { NodalError } from "../platform/errors.ts";
import type { Origin } from "../platform/origin.ts";
import type { Program } from "./keys/authenticate.ts";
import { requireScopes } from "./keys/key-terms.ts";
import type { Manager } from "./users/manage-users.ts";
import { originOf } from "./users/login-events.ts";
import { maySessionMoveMoney, requirePermission } from "./users/open-session.ts";
import { KEY_SCOPES, OPERATOR_KEY_SCOPES, PEOPLE_ONLY, type Permission, type PersonalAct } from "./users/permission.ts";
import type { Session } from "./users/session.ts";

/** A person or a program, with its permissions. Exactly one of `session` and `program` is set. */
export type ApiCaller = {
  readonly permissions: ReadonlySet<Permission>;
  readonly session: Session | null;
  readonly program: Program | null;
};

/** The caller of a session. */
export function personCalling(session: Session): ApiCaller {
  return { permissions: session.permissions, session, program: null };
}

/** The caller of an access key. */
export function programCalling(program: Program): ApiCaller {
  return { permissions: new Set(program.scopes), session: null, program };
}

/** Whether the caller acts for the whole installation: an operator, or a program with an operator's key. */
export function isOfOperators({ session, program }: ApiCaller): boolean {
  return session ? session.login.kind === "operator" : program!.merchant === null;
}

/** The caller's franchise, which sees only its own part; `null` for everybody else. */
export function franchiseOf({ session }: ApiCaller): bigint | null {
  return session?.login.kind === "franchise" ? session.login.loginId : null;
}

/** The caller as a manager of users, roles and keys. */
export function managerOf({ session, program, permissions }: ApiCaller): Manager {
  // Keys that an operator's program creates are not limited by its own key, which belongs to no merchant.
  const key = program?.merchant ? program.key : null;
  return { loginId: session?.login.loginId ?? null, permissions, key };
}

/** The actor for the audit log, and whether it may move money. */
export function originOfCaller(caller: ApiCaller, address: string, isMoneyReal: boolean): Origin {
  const { session, program } = caller;
  if (program) return program.origin;
  return originOf(session!.login, address, maySessionMoveMoney(session!, isMoneyReal));
}

/**
 * Refuses a caller that has none of these permissions.
 * @throws NodalError `access_denied`, or `second_factor_required` for a person if the money is real
 */
export function requireAnyOf(
  { session, program, permissions }: ApiCaller,
  asked: readonly [Permission, ...Permission[]],
  isMoneyReal: boolean,
): void {
  const permission = asked.find((each) => permissions.has(each)) ?? asked[0];
  if (!program) return requirePermission(session!, permission, isMoneyReal);
  if (!permissions.has(permission)) refuseImpossible(program, asked);
  requireScopes(program.scopes, [permission]);
}

/** Says so if no key of this kind can have any of these scopes: another key would not help. */
function refuseImpossible({ merchant }: Program, asked: readonly Permission[]): void {
  const possible: readonly Permission[] = merchant ? KEY_SCOPES : OPERATOR_KEY_SCOPES;
  if (asked.some((each) => possible.includes(each))) return;
  const others: readonly Permission[] = merchant ? OPERATOR_KEY_SCOPES : KEY_SCOPES;
  const whose = merchant ? "an operator" : "the merchant";
  const remedy = asked.some((each) => others.includes(each))
    ? `Use an access key of ${whose}.`
    : "Sign in to the dashboard.";
  throw new NodalError(
    "access_denied",
    `This access key can't do this: no such key can have the scope ${asked[0]}. ${remedy}`,
  );
}

/**
 * Refuses programs actions that only a person can do.
 * @throws NodalError `access_denied`
 */
export function refuseProgram({ program }: ApiCaller, act: PersonalAct): void {
  if (program) throw new NodalError("access_denied", PEOPLE_ONLY[act]);
}

/**
 * The session of a person, on a route that refuses programs.
 * @throws Error for a program
 */
export function sessionOf({ session }: ApiCaller): Session {
  if (session) return session;
  throw new Error("this route has to refuse programs: `personal`");
}
