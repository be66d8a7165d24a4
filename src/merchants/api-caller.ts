// Who calls /api/v4: a person who is signed in, or a program with an access key. Use cases take either.
import { NodalError } from "../platform/errors.ts";
import type { Origin } from "../platform/origin.ts";
import type { Program } from "./keys/authenticate.ts";
import { requireScopes } from "./keys/key-terms.ts";
import type { Manager } from "./users/manage-users.ts";
import { originOf } from "./users/login-events.ts";
import { maySessionMoveMoney, requirePermission } from "./users/open-session.ts";
import { KEY_SCOPES, OPERATOR_KEY_SCOPES, PEOPLE_ONLY, type Permission, type PersonalAct } from "./users/permission.ts";
import type { Session } from "./users/session.ts";

/** A person or a program, and what it may do. Exactly one of `session` and `program` is there. */
export type ApiCaller = {
  readonly permissions: ReadonlySet<Permission>;
  readonly session: Session | null;
  readonly program: Program | null;
};

/** The caller that a session is of. */
export function personCalling(session: Session): ApiCaller {
  return { permissions: session.permissions, session, program: null };
}

/** The caller that an access key is of. */
export function programCalling(program: Program): ApiCaller {
  return { permissions: new Set(program.scopes), session: null, program };
}

/** Whether the caller works for the whole installation: an operator, or a program with an operator's key. */
export function isOfOperators({ session, program }: ApiCaller): boolean {
  return session ? session.login.kind === "operator" : program!.merchant === null;
}

/** The franchise that a caller is, which sees its own part only; `null` for everybody else. */
export function franchiseOf({ session }: ApiCaller): bigint | null {
  return session?.login.kind === "franchise" ? session.login.loginId : null;
}

/** The caller as one who manages users, roles and keys. */
export function managerOf({ session, program, permissions }: ApiCaller): Manager {
  // What an operator's program makes is another's.
  const key = program?.merchant ? program.key : null;
  return { loginId: session?.login.loginId ?? null, permissions, key };
}

/** Who acts, for the audit log, and whether money may leave for it. */
export function originOfCaller(caller: ApiCaller, address: string, isMoneyReal: boolean): Origin {
  const { session, program } = caller;
  if (program) return program.origin;
  return originOf(session!.login, address, maySessionMoveMoney(session!, isMoneyReal));
}

/**
 * Refuses a caller that lacks all of these permissions.
 * @throws NodalError `access_denied`, or `second_factor_required` for a person where money is real
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

/** Says so where no key of this kind can have any of these scopes: another one would not help. */
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
 * Refuses a program what only a person does.
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
