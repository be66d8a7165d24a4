// `nodal user` and `nodal operator`: those who sign in to the dashboard.
// What belongs here: options and what is printed. The work is done in merchants/users/.
import type { Command } from "commander";
import {
  changeUser,
  createUser,
  listLogins,
  OPERATOR,
  OPERATORS,
  OWNER,
  requireMerchant,
  resetSecondFactor,
  resetUserPassword,
  signInLink,
  type Login,
  type LoginKey,
  type ManagedKind,
} from "../merchants/index.ts";
import { digitsOrNumber, email, optional, requiredText } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { onInstallation, publicUrlOf, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type GivenOptions, type MerchantOption } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

const MERCHANT_OPTION = ["--merchant <id>", "the merchant's id"] as const;
const ID_DIGITS = 16;

const NEW_FIELDS = { email: email(), name: optional(requiredText(100)) };
const ONE_FIELDS = { id: digitsOrNumber(ID_DIGITS) };
const readUser = optionsOf({ merchant: merchantId(), user: ONE_FIELDS.id });
const readOperator = optionsOf({ operator: ONE_FIELDS.id });

/** Whose logins a command is about: a merchant's, or the operators. */
type Named = { readonly merchant: bigint | null; readonly id: bigint };

/** Adds `user` and its subcommands. */
export function registerUser(program: Command): void {
  const user = program.command("user").description("who signs in to the dashboard for a merchant");
  const read = (given: GivenOptions): Named => {
    const values = readUser(given);
    return { merchant: values.merchant, id: BigInt(values.user) };
  };
  user
    .command("create")
    .description("create a user with a first password, which is shown only now")
    .option(...MERCHANT_OPTION)
    .option("--email <address>", "e-mail by which the user signs in")
    .option("--name <text>", "the user's name; default: the e-mail")
    .option("--role <name>", `what the user may do; default: ${OWNER}`)
    .addHelpText("after", example("nodal user create --merchant 1000001 --email ravi@example.com --role Accountant"))
    .action(
      onInstallation(
        optionsOf({ merchant: merchantId(), ...NEW_FIELDS, role: optional(requiredText(100)) }),
        (installation, { role, ...options }) => create(installation, "user", { ...options, role: role ?? OWNER }),
      ),
    );
  user
    .command("list")
    .description("list a merchant's users, oldest first")
    .option(...MERCHANT_OPTION)
    .addHelpText("after", example("nodal user list --merchant 1000001"))
    .action(
      onInstallation(optionsOf({ merchant: merchantId() }), (installation, options) => list(installation, options)),
    );
  const one: [string, string][] = [
    [...MERCHANT_OPTION],
    ["--user <id>", "the user's id, which `nodal user list` shows"],
  ];
  addCare(user, "user", one, read);
}

/** Adds `operator` and its subcommands. */
export function registerOperator(program: Command): void {
  const operator = program
    .command("operator")
    .description("who signs in to the dashboard for this installation, and sees every merchant");
  const read = (given: GivenOptions): Named => ({ merchant: null, id: BigInt(readOperator(given).operator) });
  operator
    .command("create")
    .description("create an operator with a first password, which is shown only now")
    .option("--email <address>", "e-mail by which the operator signs in")
    .option("--name <text>", "the operator's name; default: the e-mail")
    .addHelpText("after", example("nodal operator create --email ops@example.com"))
    .action(
      onInstallation(optionsOf(NEW_FIELDS), (installation, options) =>
        create(installation, "operator", { ...options, merchant: null, role: OPERATOR }),
      ),
    );
  operator
    .command("list")
    .description("list the operators, oldest first")
    .addHelpText("after", example("nodal operator list"))
    .action(onInstallation(optionsOf({}), (installation) => list(installation, { merchant: null })));
  addCare(operator, "operator", [["--operator <id>", "the operator's id, which `nodal operator list` shows"]], read);
}

/** What is the same for both: taking care of one that there is. */
function addCare(
  parent: Command,
  kind: ManagedKind,
  options: readonly [string, string][],
  read: (given: GivenOptions) => Named,
): void {
  const add = (
    name: string,
    description: string,
    work: (installation: Installation, named: Named) => Promise<Answer>,
  ) => {
    const command = parent.command(name).description(description);
    for (const [flags, text] of options) command.option(flags, text);
    const ids = kind === "user" ? "--merchant 1000001 --user 1000002" : "--operator 1000002";
    command.addHelpText("after", example(`nodal ${kind} ${name} ${ids}`)).action(onInstallation(read, work));
  };
  add(
    "reset-password",
    `give the ${kind} a new password, which is shown only now; ends its sessions`,
    async (installation, named) => {
      const { key } = await locate(installation, named, kind);
      const password = await resetUserPassword(installation.pool, key, null);
      const json = { id: String(named.id), password, sign_in_url: signInLink(publicUrlOf(installation.config), key) };
      return {
        json,
        text: `${formatRecord(json)}\n\nThe password is shown only now. It has to be changed at the next sign-in.`,
      };
    },
  );
  add(
    "reset-second-factor",
    `end the ${kind}'s second factor, for a phone that is lost; ends its sessions`,
    async (installation, named) => {
      const { key } = await locate(installation, named, kind);
      await resetSecondFactor(installation.pool, key, null);
      return {
        json: { id: String(named.id), second_factor: false },
        text: `The ${kind} signs in without a second factor now.`,
      };
    },
  );
  for (const [name, disabled, description] of [
    ["disable", true, `let the ${kind} sign in no more; ends its sessions`],
    ["enable", false, `let the ${kind} sign in again`],
  ] as const) {
    add(name, description, async (installation, named) => {
      const { key, timeZone } = await locate(installation, named, kind);
      const json = describe(await changeUser(installation.pool, key, { disabled }, null), timeZone);
      return { json, text: formatRecord(json) };
    });
  }
}

type NewOptions = {
  readonly merchant: bigint | null;
  readonly email: string;
  readonly name: string | null;
  readonly role: string;
};

async function create({ config, pool, ids }: Installation, kind: ManagedKind, options: NewOptions): Promise<Answer> {
  const owner = options.merchant === null ? OPERATORS : await requireMerchant(pool, options.merchant);
  const draft = { kind, email: options.email, name: options.name ?? options.email, roleName: options.role };
  const { loginId, password } = await createUser({ pool, ids }, owner, draft, null);
  const json = {
    id: String(loginId),
    email: draft.email,
    name: draft.name,
    role: draft.roleName,
    password,
    sign_in_url: signInLink(publicUrlOf(config), owner),
  };
  return {
    json,
    text: `${formatRecord(json)}\n\nThe password is shown only now. It has to be changed at the first sign-in.`,
  };
}

async function list({ pool }: Installation, { merchant }: MerchantOption | { merchant: null }): Promise<Answer> {
  const owner = merchant === null ? null : await requireMerchant(pool, merchant);
  const logins = await listLogins(pool, owner ?? OPERATORS, owner ? "user" : "operator");
  const json = logins.map((login) => describe(login, owner?.timeZone ?? "UTC"));
  const whenEmpty = owner
    ? `This merchant has no user: make one with \`nodal user create --merchant ${owner.merchantId} --email …\`.`
    : "There is no operator: make one with `nodal operator create --email …`.";
  return { json, text: formatTable(json, whenEmpty) };
}

type Located = { readonly key: LoginKey & { readonly kind: ManagedKind }; readonly timeZone: string };

async function locate({ pool }: Installation, { merchant, id }: Named, kind: ManagedKind): Promise<Located> {
  const owner = merchant === null ? null : await requireMerchant(pool, merchant);
  const { bucket, merchantId: ownerId } = owner ?? OPERATORS;
  return { key: { bucket, merchantId: ownerId, loginId: id, kind }, timeZone: owner?.timeZone ?? "UTC" };
}

function describe(login: Login, timeZone: string) {
  return {
    id: String(login.loginId),
    email: login.email,
    name: login.name,
    role: login.roleName,
    disabled: login.disabledAt !== null,
    second_factor: login.hasSecondFactor,
    created_at: formatTimestamp(login.createdAt, timeZone),
    last_sign_in_at: login.lastSignInAt && formatTimestamp(login.lastSignInAt, timeZone),
  };
}
