// How a command is declared: its options, what it works on, and what it answers; then read, run and printed in one way.
import { Option, type Command } from "commander";
import { openDatabase } from "../database.ts";
import { requireMerchant, type Context, type Merchant } from "../merchants/index.ts";
import { NodalError, renamed, validationError, type FieldError } from "../platform/errors.ts";
import { decoderOf } from "../platform/http/field.ts";
import { object } from "../platform/http/fields.ts";
import { withInstallation, type Installation, type Open } from "./on-database.ts";
import { flagOf, MERCHANT, type GivenOptions, type OptionOf, type Options, type Values } from "./options.ts";
import { printAnswer, type Answer } from "./output.ts";

/** What a command about a merchant works on: the context of every use case, and the installation around it. */
export type MerchantScope = Installation & Context<Merchant>;

/** Something that can be added below a command or a group of them. */
export type Addable = { readonly addTo: (parent: Command, name: string) => void };

export type Runnable<V> = Addable & {
  /** @throws NodalError `validation_failed` with every failing option, named by its flag */
  readonly read: (given: GivenOptions) => V;
};

type Said<O extends Options> = {
  readonly description: string;
  /** Further lines of the help. */
  readonly notes?: () => string;
  readonly options?: O;
  /** Adds what is wrong between options, by their names. */
  readonly check?: (given: GivenOptions, errors: FieldError[]) => void;
};

/** A line to type, for the help: whole, or by the command's words. */
type Example = string | ((path: string) => string);

type Spec<O extends Options, Scope> = Said<O> & {
  readonly run: (scope: Scope, options: Values<O>) => Promise<Answer>;
};

type NoOptions = Readonly<Record<never, never>>;

/** Commands with a name in common, such as `nodal invoice …`. */
export function group(description: string, commands: Readonly<Record<string, Addable>>): Addable {
  return {
    addTo(parent, name) {
      const added = parent.command(name).description(description);
      for (const [below, command] of Object.entries(commands)) command.addTo(added, below);
    },
  };
}

/**
 * A command about one merchant, which `--merchant` names. `example` is what follows the command's words and that option.
 */
export function merchantCommand<O extends Options = NoOptions>({
  run,
  example = "",
  ...said
}: Spec<O, MerchantScope> & { readonly example?: string }): Runnable<Values<O> & { readonly merchant: bigint }> {
  const options = { merchant: MERCHANT, ...said.options } as O & { readonly merchant: OptionOf<bigint> };
  const exampleOf = (path: string): string => `nodal ${path} --merchant 1000001 ${example}`.trimEnd();
  return command({ ...said, options, example: exampleOf }, (values) =>
    withInstallation(openDatabase, async (installation) => {
      const merchant = await requireMerchant(installation.pool, values.merchant);
      return run({ ...installation, merchant, idempotency: null }, values);
    }),
  );
}

/** A command about the whole installation; with `prepareDatabase`, one that makes it where there is none. */
export function installationCommand<O extends Options = NoOptions>(
  { run, ...said }: Spec<O, Installation> & { readonly example: string },
  open: Open = openDatabase,
): Runnable<Values<O>> {
  return command(said, (values) => withInstallation(open, (installation) => run(installation, values)));
}

/**
 * A command that opens by itself what it works on. Its options are read first, so that a slip of the pen starts no
 * database.
 */
export function command<O extends Options = NoOptions>(
  { description, example, notes, options, check }: Said<O> & { readonly example: Example },
  work: (values: Values<O>) => Promise<Answer>,
): Runnable<Values<O>> {
  const fields = Object.fromEntries(Object.entries(options ?? {}).map(([name, { field }]) => [name, field]));
  const decode = decoderOf(object(fields));
  const read = (given: GivenOptions): Values<O> => {
    const errors: FieldError[] = [];
    const values = decode(given, "", errors) as Values<O>;
    check?.(given, errors);
    if (errors.length > 0) throw inFlags(validationError(errors), options);
    return values;
  };
  return {
    read,
    addTo(parent, name) {
      const added = parent.command(name).description(description);
      for (const [key, given] of Object.entries(options ?? {})) added.addOption(toOption(key, given));
      const line = typeof example === "string" ? example : example(pathOf(added));
      added.addHelpText("after", `${notes === undefined ? "" : `\n${notes()}\n`}\nExample:\n  ${line}`);
      added.action(async (given: GivenOptions) => {
        const values = read(given);
        const answer = await work(values).catch((error: unknown) => {
          throw inFlags(error, options);
        });
        await printAnswer(answer, added.optsWithGlobals<{ json?: true }>().json ?? false);
      });
    },
  };
}

function toOption(name: string, { value, description, conflicts, isRepeated, isNegated }: OptionOf<unknown>): Option {
  const flag = isNegated ? flagOf(`no_${name}`) : flagOf(name);
  const made = new Option(value === undefined ? flag : `${flag} ${value}`, description).conflicts([
    ...(conflicts ?? []),
  ]);
  if (isRepeated) made.argParser((line, before?: string) => (before === undefined ? line : `${before}\n${line}`));
  return made;
}

/** The words after `nodal` that call a command. */
function pathOf(of: Command): string {
  return of.parent?.parent ? `${pathOf(of.parent)} ${of.name()}` : of.name();
}

/** A refusal with its fields named as the command's options: `time_zone` is `--time-zone`. */
function inFlags(error: unknown, options: Options = {}): unknown {
  if (!(error instanceof NodalError) || error.code !== "validation_failed") return error;
  const flags = new Map(Object.entries(options).map(([name, { named }]) => [flagOf(named ?? name), flagOf(name)]));
  return validationError(
    error.errors.map((refused) => {
      // What is inside of a value, such as a row's name, is named after it.
      const [head = ""] = /^[^.[]*/.exec(refused.field) ?? [];
      const flag = flags.get(flagOf(head));
      return flag === undefined ? refused : renamed(refused, flag + refused.field.slice(head.length));
    }),
  );
}
