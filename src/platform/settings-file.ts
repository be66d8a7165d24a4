// The settings file: one file that the server and all commands read, wherever and as whoever they are started.
// What belongs here: where it is, who may read and write it, its lines. What each setting means is in config.ts.
import { readFileSync, statSync, type Stats } from "node:fs";
import { isAbsolute } from "node:path";
import { closestMatch } from "leven";
import { ConfigError, readConfig, SETTINGS, type Config } from "./config.ts";

/** The variable that names the file; `--settings` sets it. */
export const SETTINGS_FILE = "NODAL_SETTINGS_FILE";
/** Read where nothing names a file, if it is there. */
export const WELL_KNOWN_FILE = "/etc/nodal/nodal.env";

const OTHERS_MAY_READ = 0o004;
const OTHERS_MAY_WRITE = 0o022;
/** `NAME=value`: the value bare, or in quotes of one kind. What systemd, Compose and shells read otherwise is refused. */
const LINE = /^([A-Za-z_][A-Za-z0-9_]*)=(?:"([^"\\$`]*)"|'([^']*)'|([^\s"'#\\$`]*))$/;
/** How many letters a name may be away from the one that was meant. */
const MAX_TYPOS = 5;

type Environment = Readonly<Record<string, string | undefined>>;
type Values = Readonly<Record<string, string>>;

/**
 * The configuration of this process: of its environment and, for what is not set there, of the settings file.
 * @throws ConfigError for a file that can't be used, with its line, and as `readConfig`
 */
export function readSettings(environment: Environment, wellKnownFile = WELL_KNOWN_FILE): Config {
  const path = findSettingsFile(environment, wellKnownFile);
  if (path === null) return readConfig(environment);
  const values = readSettingsFile(path);
  const own = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  try {
    return readConfig({ ...values, ...own });
  } catch (error) {
    // It names the setting first. Where that is the file's, so does the sentence.
    const name = error instanceof ConfigError ? error.message.split(" ", 1)[0]! : "";
    if (Object.hasOwn(own, name) || !Object.hasOwn(values, name)) throw error;
    return refuse(`${path}:`, (error as ConfigError).message);
  }
}

/** The settings file that this environment leads to: `null` where none is named and the well-known one is not there. */
export function findSettingsFile(environment: Environment, wellKnownFile = WELL_KNOWN_FILE): string | null {
  const named = environment[SETTINGS_FILE]?.trim();
  if (named) return named;
  return statSync(wellKnownFile, { throwIfNoEntry: false }) === undefined ? null : wellKnownFile;
}

/** Reads a settings file. @throws ConfigError where others may write it or read its secrets, or a line is no setting */
export function readSettingsFile(path: string): Values {
  const { text, mode } = open(path);
  const values: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const written = line.trim();
    if (written === "" || written.startsWith("#")) continue;
    const [name, value] = readLine(written, `${path}, line ${index + 1}:`);
    if (Object.hasOwn(values, name))
      refuse(`${path}, line ${index + 1}:`, `${name} is set twice. Remove one of the two.`);
    values[name] = value;
  }
  const { DATA_DIR: folder } = values;
  if (folder && !isAbsolute(folder)) {
    refuse(path, "DATA_DIR must begin with / in a settings file, so that it is the same folder from everywhere.");
  }
  checkMode(path, mode, values);
  return values;
}

function open(path: string): { readonly text: string; readonly mode: Stats } {
  try {
    return { text: readFileSync(path, "utf8"), mode: statSync(path) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return refuse(path, `there is no such file. Correct --settings or ${SETTINGS_FILE}.`);
    if (code !== "EACCES") return refuse(path, `the settings can't be read: ${message}.`);
    const remedy = `Run this as Nodal's user, such as \`sudo -u nodal nodal …\`, or name a file of your own with --settings.`;
    return refuse(path, `this user may not read the settings. ${remedy}`);
  }
}

/** The name and the value of a line. A value is not shown: it may be a secret. */
function readLine(line: string, where: string): [name: string, value: string] {
  const [, name, doubleQuoted, singleQuoted, bare] = LINE.exec(line) ?? [];
  if (name === undefined) {
    return refuse(
      where,
      "is not NAME=value. Nothing stands around the = or behind the value, and a value with blanks, #, $, ` or \\ " +
        "stands in single quotes.",
    );
  }
  if (!Object.hasOwn(SETTINGS, name)) {
    const nearest = closestMatch(name.toUpperCase(), Object.keys(SETTINGS), { maxDistance: MAX_TYPOS });
    const meant = nearest === undefined ? "The README lists all settings." : `Did you mean ${nearest}?`;
    return refuse(where, `there is no setting ${name}. ${meant}`);
  }
  return [name, doubleQuoted ?? singleQuoted ?? bare ?? ""];
}

/** Who can write the file decides where money goes; who can read its secrets can too. Devices, as /dev/null, hold nothing. */
function checkMode(path: string, stats: Stats, values: Values): void {
  if (!stats.isFile()) return;
  if ((stats.mode & OTHERS_MAY_WRITE) !== 0) {
    refuse(path, `others than its owner may write the settings, so they are not used. Run chmod go-w ${path}`);
  }
  const secret = Object.keys(values).find((name) => SETTINGS[name as keyof typeof SETTINGS].isSecret);
  if (secret !== undefined && (stats.mode & OTHERS_MAY_READ) !== 0) {
    refuse(path, `everybody may read it, and it holds ${secret}, so it is not used. Run chmod o-r ${path}`);
  }
}

function refuse(where: string, what: string): never {
  throw new ConfigError(where, what);
}
