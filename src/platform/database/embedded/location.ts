// The place of a data folder's cluster, and the system user that runs PostgreSQL.
import { createHash } from "node:crypto";
import { access, chmod, constants, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Logger } from "../../log.ts";
import { type Account, accountOfOwner, findBlockingFolder, isRoot, providePostgresAccount } from "./account.ts";
import { SHARED_FOLDER } from "./binaries.ts";
import { EmbeddedDatabaseError, hasCode, messageOf } from "./errors.ts";

export type DataDirOptions = {
  readonly dataDir: string;
  /** Is `dataDir` the default? Only then may the data go elsewhere if PostgreSQL's user can't reach it. */
  readonly isDefaultDataDir: boolean;
};

export type Location = {
  /** The final data folder, an absolute path. */
  readonly dataDir: string;
  /** The folder of everything that belongs to the cluster; it exists only once the cluster in it is complete. */
  readonly home: string;
  readonly exists: boolean;
  readonly account: Account | undefined;
};

const HOME_NAME = "postgresql";

function sharedDataDir(dataDir: string): string {
  return join(SHARED_FOLDER, `data-${createHash("sha256").update(dataDir).digest("hex").slice(0, 8)}`);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `The data folder can't be used: ${messageOf(error)}. Give Nodal's user write access to ${path}, ` +
      "or set DATA_DIR to another folder.",
    error,
  );
}

/** The data folder that already has a complete cluster; null if there is none. Changes nothing. */
async function findDataDir(options: DataDirOptions): Promise<string | null> {
  const dataDir = resolve(options.dataDir);
  if (await exists(join(dataDir, HOME_NAME))) return dataDir;
  const shared = sharedDataDir(dataDir);
  return options.isDefaultDataDir && isRoot() && (await exists(join(shared, HOME_NAME))) ? shared : null;
}

/** The home of the existing cluster; null if there is none. Changes nothing. */
export async function findHome(options: DataDirOptions): Promise<string | null> {
  const dataDir = await findDataDir(options);
  return dataDir === null ? null : realpath(join(dataDir, HOME_NAME));
}

function unreachable(account: Account, folder: string, blocking: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `DATA_DIR ${folder} can't be used: PostgreSQL does not run as root, and its user ${account.name} may not enter ` +
      `${blocking}. Set DATA_DIR to a folder that this user can reach (such as ${SHARED_FOLDER}/data), ` +
      `or run: chmod a+x ${blocking}`,
  );
}

/** Files without which PostgreSQL does not start, below the cluster's home. */
const NEEDED_FILES = ["cluster", "cluster/PG_VERSION", "cluster/postgresql.conf", "cluster/global/pg_control"];

/**
 * Refuses a cluster with files of a different user than its home's, which PostgreSQL would report as damaged.
 * PostgreSQL itself reports missing files.
 * @throws EmbeddedDatabaseError that names the owner and the command to run
 */
async function requireOneOwner(home: string, owner: { readonly uid: number; readonly gid: number }): Promise<void> {
  for (const path of NEEDED_FILES.map((name) => join(home, name))) {
    const found = await stat(path).catch(() => null);
    if (found === null || found.uid === owner.uid) continue;
    const [wanted, other] = [await accountOfOwner(owner), await accountOfOwner(found)];
    throw new EmbeddedDatabaseError(
      `${path} belongs to the user ${other.name}, the rest of the database to ${wanted.name}. Nothing is damaged: ` +
        `give the files back with chown -R ${wanted.name} ${home}`,
    );
  }
}

/**
 * The account that PostgreSQL runs an existing cluster as; `undefined` for this process's own user.
 * @throws EmbeddedDatabaseError if this process's user can't use it
 */
export async function accountOfExisting(home: string): Promise<Account | undefined> {
  const owner = await stat(home);
  await requireOneOwner(home, owner);
  if (owner.uid === process.geteuid?.()) {
    if (!isRoot()) return undefined;
    throw new EmbeddedDatabaseError(
      `The database in ${home} belongs to root, which PostgreSQL refuses. ` +
        `Give it to PostgreSQL's user: chown -R postgres ${home}`,
    );
  }
  const account = await accountOfOwner(owner);
  if (isRoot()) return account;
  throw new EmbeddedDatabaseError(
    `The database in ${home} belongs to the user ${account.name}. Run Nodal as root or as that user, ` +
      "or set DATA_DIR to another folder.",
  );
}

async function nearestExistingFolder(path: string): Promise<string> {
  return (await exists(path)) ? path : nearestExistingFolder(dirname(path));
}

/**
 * Creates `folder` and its missing parents so that every user may enter them, whatever the umask. One by one: Node's
 * recursive mkdir never returns where a file system such as /proc answers ENOENT for a folder whose parent exists.
 */
async function createFolder(folder: string): Promise<void> {
  const existing = await nearestExistingFolder(folder);
  const missing: string[] = [];
  for (let path = folder; path !== existing; path = dirname(path)) missing.unshift(path);
  try {
    for (const path of missing) await createOne(path);
  } catch (error) {
    throw unusable(folder, error);
  }
}

async function createOne(path: string): Promise<void> {
  try {
    await mkdir(path);
    await chmod(path, 0o755);
  } catch (error) {
    // Another process starting at the same time may have made it.
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

async function chooseDataDir(options: DataDirOptions, account: Account | undefined, logger: Logger): Promise<string> {
  const wanted = resolve(options.dataDir);
  if (!account) return wanted;
  const blocking = findBlockingFolder(account, await nearestExistingFolder(wanted));
  if (blocking === null) return wanted;
  if (!options.isDefaultDataDir) throw unreachable(account, wanted, blocking);
  const dataDir = sharedDataDir(wanted);
  logger.info({ dataDir }, `PostgreSQL's user ${account.name} may not enter ${blocking}: the data is in ${dataDir}`);
  return dataDir;
}

/**
 * The current or future place of the cluster. Creates the data folder and PostgreSQL's system user if they are missing.
 * @throws EmbeddedDatabaseError when the folder can't be used by Nodal's user or, under root, by PostgreSQL's.
 */
export async function locate(options: DataDirOptions, logger: Logger): Promise<Location> {
  const existing = await findDataDir(options);
  if (existing !== null) {
    const home = await realpath(join(existing, HOME_NAME));
    const account = await accountOfExisting(home);
    const blocking = account ? findBlockingFolder(account, home) : null;
    // Never choose another place here: with a second, empty database the money would seem to be gone.
    if (account && blocking !== null) throw unreachable(account, existing, blocking);
    if (existing !== resolve(options.dataDir)) logger.info({ dataDir: existing }, `The data is in ${existing}`);
    return { dataDir: existing, home, exists: true, account };
  }
  const account = isRoot() ? await providePostgresAccount() : undefined;
  const dataDir = await chooseDataDir(options, account, logger);
  await createFolder(dataDir);
  await access(dataDir, constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw unusable(dataDir, error);
  });
  return { dataDir, home: join(await realpath(dataDir), HOME_NAME), exists: false, account };
}
