// Commands about something that a merchant or the installation has.
import { openDatabase } from "../database.ts";
import { requireMerchant, type Context } from "../merchants/index.ts";
import type { FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { INSTALLATION_OWNER, type EventOwner } from "../webhooks/index.ts";
import {
  command,
  flag,
  ifGiven,
  MERCHANT,
  type GivenOptions,
  type Options,
  type Runnable,
  type Values,
} from "./command.ts";
import { withInstallation, type Installation } from "./on-database.ts";
import type { Answer } from "./output.ts";

const OWNER = {
  merchant: ifGiven(MERCHANT),
  installation: flag("of the installation, instead of a merchant", ["merchant"]),
};

/** The scope of such a command. `merchant` is the owner: a merchant, or the installation. */
export type OwnerScope = Installation & Context<EventOwner>;

type Definition<O extends Options> = {
  readonly description: string;
  readonly notes?: () => string;
  readonly example?: string;
  readonly options?: O;
  readonly check?: (given: GivenOptions, errors: FieldError[]) => void;
  readonly run: (scope: OwnerScope, options: Values<O>) => Promise<Answer>;
};

/** A command with `--merchant` or `--installation`. `example` follows the command's words and that option. */
export function ownerCommand<O extends Options = Readonly<Record<never, never>>>({
  run,
  example = "",
  ...said
}: Definition<O>): Runnable<Values<typeof OWNER & O>> {
  const options = { ...OWNER, ...said.options } as typeof OWNER & O;
  return command(
    {
      ...said,
      options,
      example: (path) => `nodal ${path} --merchant 1000001 ${example}`.trimEnd(),
      check(given, errors) {
        if (given.merchant === undefined && given.installation === undefined) {
          fail(errors, "merchant", "required", "Give --merchant <id> or --installation.");
        }
        said.check?.(given, errors);
      },
    },
    (values) =>
      withInstallation(openDatabase, async (installation) => {
        const { merchant: id } = values as Values<typeof OWNER>;
        const merchant = id === null ? INSTALLATION_OWNER : await requireMerchant(installation.pool, id);
        return run({ ...installation, merchant, idempotency: null }, values);
      }),
  );
}
