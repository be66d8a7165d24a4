// The settings file: one file that the server and all commands read, wherever and as whoever they are started. What
// each setting means is in config.ts.
import { readFileSync, statSync, type Stats } from "node:fs";
import { isAbsolute } from "node:path";
import { closestMatch } from "leven";
import {
  checkConfig,
  ConfigError,
  SETTINGS,
  type CheckedConfig,
  type Config,
  type ConfigProblem,
  type ConfigRule,
} from "./config.ts";

/** The variable that names the file; `--settings` sets it. */
export const SETTINGS_FILE = "NODAL_SETTINGS_FILE";
/** Read where nothing names a file, if it is there. */
export const WELL_KNOWN_FILE = "/etc/nodal/nodal.env";

const OTHERS_MAY_READ = 0o004;
const OTHERS_MAY_WRITE = 0o022;
/** `NAME=value`: the value bare, or in quotes of one kind. What systemd, Compose and shells read otherwise is refused. */
const LINE = /^([A-Za-z_][A-Za-z0-9_]*)=(?:"([^"\\$`]*)"|'([^']*)'|([^\s"'#\\$`]*))$/;
/** What commands read from their environment: secrets of a provider's account are not kept in a file. */
const SECRET_OF_PROVIDER = /^PROVIDER_(?:\w+_)?SECRETS?$/i;
/** How many letters a name may be away from the one that was meant. */
const MAX_TYPOS = 5;

type Environment = Readonly<Record<string, string | undefined>>;
type Values = Readonly<Record<string, string>>;
/** What a settings file says, and which of its lines say nothing that can be used. */
type FileSettings = { readonly values: Values; readonly problems: readonly ConfigProblem[] };

/**
 * Settings that name one thing, the database. Where the environment has `by`, what the file says under the names of `others`
 * is of another database. DATA_DIR in the file goes with a DATABASE_URL of the environment: the master key is in it.
 */
const SAME_THING = [
  { by: "DATA_DIR", others: ["DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL"] },
  { by: "DATABASE_URL", others: ["DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL"] },
] as const;

/**
 * The configuration of this process: of its environment and, for what is not set there, of the settings file. A variable
 * that is empty is set, to nothing.
 * @throws ConfigError with all that can't be used, and for a file that can't be
 */
export function readSettings(
  environment: Environment,
  { wellKnownFile = WELL_KNOWN_FILE, rules = [] }: SettingsOptions = {},
): Config {
  const { config, problems } = checkSettings(environment, { wellKnownFile, rules });
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

export type SettingsOptions = { readonly wellKnownFile?: string; readonly rules?: readonly ConfigRule[] };

/** The same, with what is wrong with it. @throws ConfigError for a file that can't be used */
export function checkSettings(
  environment: Environment,
  { wellKnownFile = WELL_KNOWN_FILE, rules = [] }: SettingsOptions = {},
): CheckedConfig {
  const path = findSettingsFile(environment, wellKnownFile);
  if (path === null) return checkConfig(environment, rules);
  const file = readLines(path);
  const own = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  const { config, problems } = checkConfig({ ...withoutReplaced(file.values, own), ...own }, rules);
  // A sentence begins with the setting. Where that is the file's, so does the sentence.
  const placed = problems.map(({ variable, problem }) =>
    !Object.hasOwn(own, variable) && Object.hasOwn(file.values, variable)
      ? { variable: `${path}: ${variable}`, problem }
      : { variable, problem },
  );
  return { config, problems: [...file.problems, ...placed] };
}

/** What the file says, but for what the environment says otherwise under another name. */
function withoutReplaced(values: Values, own: Environment): Values {
  const replaced = SAME_THING.flatMap(({ by, others }): readonly string[] => {
    const isNamed = by === "DATABASE_URL" ? own[by] !== undefined : (own[by]?.trim() ?? "") !== "";
    return isNamed ? others : [];
  });
  return Object.fromEntries(Object.entries(values).filter(([name]) => !replaced.includes(name)));
}

/**
 * The settings file that this environment leads to: `null` where none is named and the well-known one is not there, or where
 * the variable that names it is empty.
 */
export function findSettingsFile(environment: Environment, wellKnownFile = WELL_KNOWN_FILE): string | null {
  const named = environment[SETTINGS_FILE]?.trim();
  if (named !== undefined) return named === "" ? null : named;
  return statSync(wellKnownFile, { throwIfNoEntry: false }) === undefined ? null : wellKnownFile;
}

/** Reads a settings file. @throws ConfigError where others may write it or read its secrets, or a line is no setting */
export function readSettingsFile(path: string): Values {
  const { values, problems } = readLines(path);
  if (problems.length > 0) throw new ConfigError(problems);
  return values;
}

function readLines(path: string): FileSettings {
  const { text, mode } = open(path);
  const values: Record<string, string> = {};
  const problems: ConfigProblem[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const written = line.trim();
    if (written === "" || written.startsWith("#")) continue;
    const found = readLine(written, values);
    if (typeof found === "string") problems.push({ variable: `${path}, line ${index + 1}:`, problem: found });
    else values[found.name] = found.value;
  }
  const { DATA_DIR: folder } = values;
  if (folder && !isAbsolute(folder)) {
    const problem = "DATA_DIR must be an absolute path in a settings file.";
    problems.push({ variable: path, problem });
  }
  checkMode(path, mode, values);
  return { values, problems };
}

function open(path: string): { readonly text: string; readonly mode: Stats } {
  try {
    return { text: readFileSync(path, "utf8"), mode: statSync(path) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return refuse(path, `no such file. Correct --settings or ${SETTINGS_FILE}.`);
    if (code !== "EACCES") return refuse(path, `the settings can't be read: ${message}.`);
    const remedy = `Run this as Nodal's user, such as \`sudo -u nodal nodal …\`, or give your own file with --settings.`;
    return refuse(path, `this user can't read the settings. ${remedy}`);
  }
}

/** The name and the value of a line, or what is wrong with it. A value is not shown: it may be a secret. */
function readLine(line: string, before: Values): { readonly name: string; readonly value: string } | string {
  const [, name, doubleQuoted, singleQuoted, bare] = LINE.exec(line) ?? [];
  if (name === undefined) {
    return (
      "is not NAME=value. Don't put spaces around the = or after the value, and put a value with spaces, #, $, ` or \\ " +
      "in single quotes."
    );
  }
  if (!Object.hasOwn(SETTINGS, name)) {
    if (SECRET_OF_PROVIDER.test(name))
      return `${name} is no setting: \`nodal provider\` reads it from the environment alone. Remove it here, and export it for that command.`;
    const nearest = closestMatch(name.toUpperCase(), Object.keys(SETTINGS), { maxDistance: MAX_TYPOS });
    const meant = nearest === undefined ? "docs/settings.md lists all settings." : `Did you mean ${nearest}?`;
    return `there is no setting ${name}. ${meant}`;
  }
  if (Object.hasOwn(before, name)) return `${name} is set twice. Remove one of the two.`;
  return { name, value: doubleQuoted ?? singleQuoted ?? bare ?? "" };
}

/** Who can write the file decides where money goes; who can read its secrets can too. Devices, as /dev/null, hold nothing. */
function checkMode(path: string, stats: Stats, values: Values): void {
  if (!stats.isFile()) return;
  if ((stats.mode & OTHERS_MAY_WRITE) !== 0) {
    refuse(path, `users other than the owner can write this file, so it is not used. Run chmod go-w ${path}`);
  }
  const secret = Object.keys(values).find((name) => SETTINGS[name as keyof typeof SETTINGS].isSecret);
  if (secret !== undefined && (stats.mode & OTHERS_MAY_READ) !== 0) {
    refuse(path, `everyone can read this file, which contains ${secret}, so it is not used. Run chmod o-r ${path}`);
  }
}

function refuse(where: string, what: string): never {
  throw new ConfigError(where, what);
}
