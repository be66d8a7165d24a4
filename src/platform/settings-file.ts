// The settings file: one file that the server and all commands read, in any folder and under any user. The settings are
// in config.ts.
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
/** The default file, read if it exists. */
export const WELL_KNOWN_FILE = "/etc/nodal/nodal.env";

const OTHERS_MAY_READ = 0o004;
const OTHERS_MAY_WRITE = 0o022;
/**
 * `NAME=value`: the value bare, or in quotes of one kind. Anything that systemd, Compose or shells would read
 * differently is refused.
 */
const LINE = /^([A-Za-z_][A-Za-z0-9_]*)=(?:"([^"\\$`]*)"|'([^']*)'|([^\s"'#\\$`]*))$/;
/** Variables of commands that belong in the environment: secrets of a provider's account must not be in a file. */
const SECRET_OF_PROVIDER = /^PROVIDER_(?:\w+_)?SECRETS?$/i;
/** The largest edit distance of a suggested name. */
const MAX_TYPOS = 5;

type Environment = Readonly<Record<string, string | undefined>>;
type Values = Readonly<Record<string, string>>;
/** The values of a settings file, and the problems of unusable lines. */
type FileSettings = { readonly values: Values; readonly problems: readonly ConfigProblem[] };

/**
 * Settings that all select the database. If the environment has `by`, the file's values of `others` belong to a
 * different database. A DATA_DIR of the file is kept with a DATABASE_URL of the environment: it contains the master
 * key.
 */
const SAME_THING = [
  { by: "DATA_DIR", others: ["DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL"] },
  { by: "DATABASE_URL", others: ["DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL"] },
] as const;

/**
 * The configuration of this process: its environment, then the settings file for missing variables. An empty variable
 * counts as set, to nothing.
 * @throws ConfigError with all unusable settings, and for an unusable file
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

/** The same, with its problems. @throws ConfigError for an unusable file */
export function checkSettings(
  environment: Environment,
  { wellKnownFile = WELL_KNOWN_FILE, rules = [] }: SettingsOptions = {},
): CheckedConfig {
  const path = findSettingsFile(environment, wellKnownFile);
  if (path === null) return checkConfig(environment, rules);
  const file = readLines(path);
  const own = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  const { config, problems } = checkConfig({ ...withoutReplaced(file.values, own), ...own }, rules);
  // A message begins with the setting. For settings of the file, the file comes first.
  const placed = problems.map(({ variable, problem }) =>
    !Object.hasOwn(own, variable) && Object.hasOwn(file.values, variable)
      ? { variable: `${path}: ${variable}`, problem }
      : { variable, problem },
  );
  return { config, problems: [...file.problems, ...placed] };
}

/** The file's values, without those that the environment replaces under another name. */
function withoutReplaced(values: Values, own: Environment): Values {
  const replaced = SAME_THING.flatMap(({ by, others }): readonly string[] => {
    const isNamed = by === "DATABASE_URL" ? own[by] !== undefined : (own[by]?.trim() ?? "") !== "";
    return isNamed ? others : [];
  });
  return Object.fromEntries(Object.entries(values).filter(([name]) => !replaced.includes(name)));
}

/**
 * The settings file for this environment. `null` if none is given and the default file does not exist, or if the
 * variable is empty.
 */
export function findSettingsFile(environment: Environment, wellKnownFile = WELL_KNOWN_FILE): string | null {
  const named = environment[SETTINGS_FILE]?.trim();
  if (named !== undefined) return named === "" ? null : named;
  return statSync(wellKnownFile, { throwIfNoEntry: false }) === undefined ? null : wellKnownFile;
}

/** Reads a settings file. @throws ConfigError if others may write it or read its secrets, or a line is no setting */
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

/** The name and value of a line, or its problem. Values are not shown: they may be secrets. */
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

/** Anyone who can write the file, or read its secrets, can decide where money goes. Devices such as /dev/null are empty. */
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
