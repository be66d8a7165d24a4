// `nodal user` and `nodal operator`: logins of the dashboard.
import {
  changeUser,
  createUser,
  listLogins,
  OPERATOR,
  OPERATORS,
  OWNER,
  resetSecondFactor,
  resetUserPassword,
  signInLink,
  type Login,
  type ManagedKind,
  type Merchant,
  type MerchantKey,
} from "../merchants/index.ts";
import { email, optional, requiredText } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { group, id, installationCommand, merchantCommand, option, type Addable } from "./command.ts";
import { operatorKeyCommands } from "./key.ts";
import { publicUrlOf, type Installation } from "./on-database.ts";
import { listAnswer, recordAnswer, type Answer } from "./output.ts";

/** The scope of a command: a merchant's users, or the operators. */
type Scope = Installation & { readonly merchant?: Merchant };

const EMAIL = option("<address>", "e-mail to sign in with", email());
const NAME = option("<text>", "name; default: the e-mail", optional(requiredText(100)));
const ROLE = option("<name>", `the user's role; default: ${OWNER}`, optional(requiredText(100)));

export const userCommands = group("a merchant's dashboard users", {
  create: merchantCommand({
    description: "create a user; the temporary password is shown only once",
    example: "--email ravi@example.com --role Accountant",
    options: { email: EMAIL, name: NAME, role: ROLE },
    run: (scope, { role, ...draft }) => create(scope, "user", { ...draft, roleName: role ?? OWNER }),
  }),
  list: merchantCommand({ description: "list a merchant's users, oldest first", run: list }),
  ...careOf("user", (care) => {
    const options = { user: id("a user's id, which `nodal user list` shows") };
    return merchantCommand({
      ...care,
      example: "--user 1000002",
      options,
      run: (scope, { user }) => care.run(scope, user),
    });
  }),
});

export const operatorCommands = group("operators: dashboard users who see every merchant", {
  create: installationCommand({
    description: "create an operator; the temporary password is shown only once",
    example: "nodal operator create --email ops@example.com",
    options: { email: EMAIL, name: NAME },
    run: (scope, draft) => create(scope, "operator", { ...draft, roleName: OPERATOR }),
  }),
  list: installationCommand({
    description: "list operators, oldest first",
    example: "nodal operator list",
    run: list,
  }),
  key: operatorKeyCommands,
  ...careOf("operator", (care, name) => {
    const options = { operator: id("an operator's id, which `nodal operator list` shows") };
    const example = `nodal operator ${name} --operator 1000002`;
    return installationCommand({ ...care, example, options, run: (scope, { operator }) => care.run(scope, operator) });
  }),
});

type Care = { readonly description: string; readonly run: (scope: Scope, loginId: bigint) => Promise<Answer> };

/** Commands for existing users, the same for both. */
function careOf(kind: ManagedKind, commandOf: (care: Care, name: string) => Addable): Record<string, Addable> {
  const change =
    (disabled: boolean): Care["run"] =>
    async (scope, loginId) =>
      recordAnswer(
        describe(await changeUser(byCommand(scope), { kind, loginId, changes: { disabled } }), scope.merchant),
      );
  const care: Record<string, Care> = {
    "reset-password": {
      description: `set a new password, shown only once; signs the ${kind} out`,
      async run(scope, loginId) {
        const context = byCommand(scope);
        const password = await resetUserPassword(context, { kind, loginId });
        return recordAnswer(
          { id: String(loginId), password, sign_in_url: signInLink(publicUrlOf(scope.config), context.merchant) },
          "The password is shown only once, and must be changed at the next sign-in.",
        );
      },
    },
    "reset-second-factor": {
      description: `remove the ${kind}'s second factor, after a lost phone; signs the ${kind} out`,
      async run(scope, loginId) {
        await resetSecondFactor(byCommand(scope), { kind, loginId });
        return {
          json: { id: String(loginId), second_factor: false },
          text: `The ${kind} now signs in without a second factor.`,
        };
      },
    },
    disable: { description: `stop the ${kind} from signing in; ends its sessions`, run: change(true) },
    enable: { description: `let the ${kind} sign in again`, run: change(false) },
  };
  return Object.fromEntries(Object.entries(care).map(([name, one]) => [name, commandOf(one, name)]));
}

type Draft = { readonly email: string; readonly name: string | null; readonly roleName: string };

/** The command line has all permissions. */
function byCommand({ pool, ids, merchant = OPERATORS }: { readonly merchant?: MerchantKey } & Omit<Scope, "merchant">) {
  return { pool, ids, merchant, by: null };
}

async function create(scope: Scope, kind: ManagedKind, given: Draft): Promise<Answer> {
  const draft = { ...given, kind, name: given.name ?? given.email };
  const { loginId, password } = await createUser(byCommand(scope), draft);
  return recordAnswer(
    {
      id: String(loginId),
      email: draft.email,
      name: draft.name,
      role: draft.roleName,
      password,
      sign_in_url: signInLink(publicUrlOf(scope.config), scope.merchant ?? OPERATORS),
    },
    "The password is shown only once, and must be changed at the first sign-in.",
  );
}

async function list({ pool, merchant }: Scope): Promise<Answer> {
  const logins = await listLogins(pool, merchant ?? OPERATORS, merchant ? "user" : "operator");
  return listAnswer(
    logins.map((login) => describe(login, merchant)),
    merchant
      ? `This merchant has no users: create one with \`nodal user create --merchant ${merchant.merchantId} --email …\`.`
      : "There are no operators: create one with `nodal operator create --email …`.",
  );
}

function describe(login: Login, merchant: Merchant | undefined) {
  const timeZone = merchant?.timeZone ?? "UTC";
  return {
    id: String(login.loginId),
    email: login.email,
    name: login.name,
    role: login.roleName,
    disabled: login.disabledAt !== null,
    second_factor: login.hasSecondFactor,
    created_at: formatTimestamp(login.createdAt, timeZone),
    last_sign_in_at: formatTimestamp(login.lastSignInAt, timeZone),
  };
}
