// How a command is declared: its options, what it works on, and what it answers; then read, run and printed in one way.
// An option is its flag, what the help says of it, and the field of the API that checks its value.
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
  /** What the help shows for the value, such as `<id>`; none for an option that is given or not. */
  readonly value?: string;
  /** The name of the field in refusals of use cases, where it is not the option's. */
  readonly named?: string;
  /** The options that must not be given beside it. */
  readonly conflicts?: readonly string[];
  /** The flag begins with `--no-`, and the value is `false` where it is given, else `true`. */
  readonly isNegated?: true;
  /** It may be given several times: the values become the lines of one text. */
  readonly isRepeated?: true;
};

/** The options of a command by their names in camelCase: `bankAccount` is `--bank-account`. */
export type Options = { readonly [name: string]: OptionOf<unknown> };
/** The values of options, decoded. */
export type Values<O extends Options> = { -readonly [Name in keyof O]: Decoded<O[Name]["field"]> };

/** What commander hands over: the text of each option that was given, by its name in camelCase. */
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

/** An option without a value: `true` where it was given, else `null`. */
export function flag(description: string, conflicts: readonly string[] = []): OptionOf<true | null> {
  const field = optional(readOnlyField<true>({ type: "boolean" }, "given or not", () => true));
  return { description, field, conflicts };
}

/** The id of something: `what` says of what, and which command shows it. */
export function id(what: string): OptionOf<bigint> {
  const field = readOnlyField({ type: "string" }, what, (value, path, errors) => {
    if (typeof value === "string" && /^[0-9]{1,16}$/.test(value.trim())) return BigInt(value);
    fail(errors, path, "invalid", `must be ${what}.`);
    return 0n;
  });
  return option("<id>", what, field);
}

/** Items with commas between, each of one field. */
export function commaList<T>(item: Field<T>, maxItems: number): Field<T[]> {
  const decodeList = decoderOf(list(item, maxItems));
  return readOnlyField({ type: "string" }, "items with commas between", (value, path, errors) =>
    decodeList(typeof value === "string" ? value.split(",") : value, path, errors),
  );
}

/** A value, or a word in its place, which becomes `null`. */
export function orWord<T>(word: string, field: Field<T>): Field<T | null> {
  const hint = `${(field as { readonly "x-error"?: string })["x-error"]?.replace(/^Must be |\.$/g, "")}, or ${word}`;
  return readOnlyField<T | null>({ type: "string" }, hint, (value, path, errors) => {
    return value === word ? null : decoderOf(field)(value, path, errors);
  });
}

/** An option that need not be given: else its value is `null`. */
export function ifGiven<T>(given: OptionOf<T>, description = given.description): OptionOf<T | null> {
  return { ...given, description, field: optional(given.field) };
}

export const MERCHANT = id("the merchant's id, which `nodal merchant list` shows");

/** The option of commands that show account numbers and the like, which they mask without it. */
export const REVEAL = flag("show account numbers, PAN, Aadhaar and UPI handles in full");

/** How a command shows what it masks unless `--reveal` is given. */
export type Show = (text: string) => string;

/** The way to show things, by the value of `--reveal`. */
export function shownBy(reveal: true | null): Show {
  return reveal ? (text) => text : mask;
}

/** What a command about a merchant works on: the context of every use case, and the installation around it. */
export type MerchantScope = Installation & Context<Merchant>;

/** Something that can be added below a command or a group of them. */
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
  /** Adds what is wrong between options, by their names. */
  readonly check?: (given: GivenOptions, errors: FieldError[]) => void;
};

/** A line to type, for the help: whole, or by the command's words. */
type Example = string | ((path: string) => string);

type Spec<O extends Options, Scope> = CommandDocs<O> & {
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

/** The words after `nodal` that call a command. */
function pathOf(of: Command): string {
  return of.parent?.parent ? `${pathOf(of.parent)} ${of.name()}` : of.name();
}

/** A refusal with its fields named as the command's options: `time_zone` is `--time-zone`. */
function inFlags(error: unknown, options: Options = {}, given: GivenOptions = {}): unknown {
  if (!(error instanceof NodalError) || error.code !== "validation_failed") return error;
  // Its own checks call an option by its name, use cases by their field's.
  // Of several options for one field it is the given one, which comes last.
  const rank = ([name]: readonly [string, unknown]): number => (given[name] === undefined ? 0 : 1);
  const flags = new Map(
    Object.entries(options)
      .toSorted((one, other) => rank(one) - rank(other))
      .flatMap(([name, { named }]) => [name, named ?? name].map((each) => [flagOf(each), flagOf(name)])),
  );
  return validationError(
    error.errors.map((refused) => {
      // What is inside of a value, such as a row's name, is named after it.
      const [head = ""] = /^[^.[]*/.exec(refused.field) ?? [];
      const flag = flags.get(flagOf(head));
      return flag === undefined ? refused : { ...refused, field: flag + refused.field.slice(head.length) };
    }),
  );
}
