// Declares commands: options, scope and answer. All are read, run and printed in the same way. An option has a flag, a
// help text, and the API field that checks its value.
import { Option, type Command } from "commander";
import { openDatabase } from "../database.ts";
import { requireMerchant, type Context, type Merchant } from "../merchants/index.ts";
import { NodalError, validationError, type FieldError } from "../platform/errors.ts";
import { decoderOf, fail, readOnlyField } from "../platform/http/field.ts";
import { list, object, optional, type Decoded, type Field } from "../platform/http/fields.ts";
import { mask } from "../platform/secrets/index.ts";
import { withInstallation, type Installation, type Open } from "./on-database.ts";
import { printAnswer, type Answer } from "./output.ts";

export type OptionOf<T> = {
  readonly field: Field<T>;
  readonly description: string;
  /** The value in the help, such as `<id>`; none for an option without a value. */
  readonly value?: string;
  /** The name of the field in errors of use cases, if it differs from the option's. */
  readonly named?: string;
  /** The options that can't be combined with it. */
  readonly conflicts?: readonly string[];
  /** The flag begins with `--no-`, and the value is `false` if it is given, else `true`. */
  readonly isNegated?: true;
  /** It may be repeated: the values become the lines of one text. */
  readonly isRepeated?: true;
};

/** The options of a command by their names in camelCase: `bankAccount` is `--bank-account`. */
export type Options = { readonly [name: string]: OptionOf<unknown> };
/** The values of options, decoded. */
export type Values<O extends Options> = { -readonly [Name in keyof O]: Decoded<O[Name]["field"]> };

/** Commander's result: the text of each given option, by its name in camelCase. */
export type GivenOptions = { readonly [name: string]: string | boolean | undefined };

/** The flag of an option, or of a field of a use case: `--bank-account` for `bankAccount` and `bank_account`. */
function flagOf(name: string): string {
  return `--${name.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** An option with a value. */
export function option<T>(
  value: string,
  description: string,
  field: Field<T>,
  more: Omit<OptionOf<T>, "field" | "description" | "value"> = {},
): OptionOf<T> {
  return { value, description, field, ...more };
}

/** An option without a value: `true` if it was given, else `null`. */
export function flag(description: string, conflicts: readonly string[] = []): OptionOf<true | null> {
  const field = optional(readOnlyField<true>({ type: "boolean" }, "given or not", () => true));
  return { description, field, conflicts };
}

/** The id of something. `what` names it, and the command that shows it. */
export function id(what: string): OptionOf<bigint> {
  const field = readOnlyField({ type: "string" }, what, (value, path, errors) => {
    if (typeof value === "string" && /^[0-9]{1,16}$/.test(value.trim())) return BigInt(value);
    fail(errors, path, "invalid", `must be ${what}.`);
    return 0n;
  });
  return option("<id>", what, field);
}

/** Items separated by commas, each checked by one field. */
export function commaList<T>(item: Field<T>, maxItems: number): Field<T[]> {
  const decodeList = decoderOf(list(item, maxItems));
  return readOnlyField({ type: "string" }, "items with commas between", (value, path, errors) =>
    decodeList(typeof value === "string" ? value.split(",") : value, path, errors),
  );
}

/** A value, or a special word, which becomes `null`. */
export function orWord<T>(word: string, field: Field<T>): Field<T | null> {
  const hint = `${(field as { readonly "x-error"?: string })["x-error"]?.replace(/^Must be |\.$/g, "")}, or ${word}`;
  return readOnlyField<T | null>({ type: "string" }, hint, (value, path, errors) => {
    return value === word ? null : decoderOf(field)(value, path, errors);
  });
}

/** An optional option; its value is `null` if missing. */
export function ifGiven<T>(given: OptionOf<T>, description = given.description): OptionOf<T | null> {
  return { ...given, description, field: optional(given.field) };
}

export const MERCHANT = id("the merchant's id, which `nodal merchant list` shows");

/** The option of commands that mask account numbers and the like without it. */
export const REVEAL = flag("show account numbers, PAN, Aadhaar and UPI handles in full");

/** Shows a text, masked unless `--reveal` is given. */
export type Show = (text: string) => string;

/** The `Show` for the value of `--reveal`. */
export function shownBy(reveal: true | null): Show {
  return reveal ? (text) => text : mask;
}

/** The scope of a command about a merchant: the context of every use case, and the installation. */
export type MerchantScope = Installation & Context<Merchant>;

/** A command or group that can be added below another. */
export type Addable = { readonly addTo: (parent: Command, name: string) => void };

export type Runnable<V> = Addable & {
  /** @throws NodalError `validation_failed` with every failing option, named by its flag */
  readonly read: (given: GivenOptions) => V;
};

type CommandDocs<O extends Options> = {
  readonly description: string;
  /** Further lines of the help. */
  readonly notes?: () => string;
  readonly options?: O;
  /** Adds errors about combinations of options, by their names. */
  readonly check?: (given: GivenOptions, errors: FieldError[]) => void;
};

/** An example line for the help: a text, or a function of the command's words. */
type Example = string | ((path: string) => string);

type Spec<O extends Options, Scope> = CommandDocs<O> & {
  readonly run: (scope: Scope, options: Values<O>) => Promise<Answer>;
};

type NoOptions = Readonly<Record<never, never>>;

/** Commands with a common name, such as `nodal invoice …`. */
export function group(description: string, commands: Readonly<Record<string, Addable>>): Addable {
  return {
    addTo(parent, name) {
      const added = parent.command(name).description(description);
      for (const [below, command] of Object.entries(commands)) command.addTo(added, below);
    },
  };
}

/**
 * A command about one merchant, given by `--merchant`. `example` follows the command's words and that option.
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

/** A command about the whole installation; `prepareDatabase` creates it if there is none. */
export function installationCommand<O extends Options = NoOptions>(
  { run, ...said }: Spec<O, Installation> & { readonly example: string },
  open: Open = openDatabase,
): Runnable<Values<O>> {
  return command(said, (values) => withInstallation(open, (installation) => run(installation, values)));
}

/**
 * A command that opens its database itself. Its options are read first, so that a typo starts no database.
 */
export function command<O extends Options = NoOptions>(
  { description, example, notes, options, check }: CommandDocs<O> & { readonly example: Example },
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
          throw inFlags(error, options, given);
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

/** The words of a command after `nodal`. */
function pathOf(of: Command): string {
  return of.parent?.parent ? `${pathOf(of.parent)} ${of.name()}` : of.name();
}

/** An error with its fields renamed to the command's options: `time_zone` is `--time-zone`. */
function inFlags(error: unknown, options: Options = {}, given: GivenOptions = {}): unknown {
  if (!(error instanceof NodalError) || error.code !== "validation_failed" || error.errors.length === 0) return error;
  // The command's own checks use the option's name, use cases their field's.
  // If several options set one field, the given one is named; it comes last.
  const rank = ([name]: readonly [string, unknown]): number => (given[name] === undefined ? 0 : 1);
  const flags = new Map(
    Object.entries(options)
      .toSorted((one, other) => rank(one) - rank(other))
      .flatMap(([name, { named }]) => [name, named ?? name].map((each) => [flagOf(each), flagOf(name)])),
  );
  return validationError(
    error.errors.map((refused) => {
      // Errors within a value, such as a row's name, are named by its option.
      const [head = ""] = /^[^.[]*/.exec(refused.field) ?? [];
      const flag = flags.get(flagOf(head));
      return flag === undefined ? refused : { ...refused, field: flag + refused.field.slice(head.length) };
    }),
  );
}
