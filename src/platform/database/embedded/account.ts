// The system user that PostgreSQL runs as: PostgreSQL refuses to run as root, so root needs another one for it.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { EmbeddedDatabaseError, messageOf } from "./errors.ts";

/** A system user. If an account is optional, `undefined` means this process's user. */
export type Account = { readonly name: string; readonly uid: number; readonly gid: number };

const ACCOUNT_NAME = "postgres";
const USERADD_ARGUMENTS = ["--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT_NAME];

/** Is this process root, which PostgreSQL must not be? */
export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

async function listAccounts(): Promise<Account[]> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n");
  return lines.map((line) => {
    const [name = "", , uid, gid] = line.split(":");
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

/** The owner of existing files, with its name if the system has one. */
export async function accountOfOwner(owner: { readonly uid: number; readonly gid: number }): Promise<Account> {
  const known = (await listAccounts()).find((account) => account.uid === owner.uid);
  return { name: known?.name ?? String(owner.uid), uid: owner.uid, gid: known?.gid ?? owner.gid };
}

/**
 * The user `postgres`, created as a system user where it does not exist. For root only.
 * @throws EmbeddedDatabaseError when it can't be created.
 */
export async function providePostgresAccount(): Promise<Account> {
  const find = async () => (await listAccounts()).find((account) => account.name === ACCOUNT_NAME);
  const existing = await find();
  if (existing) return existing;
  const { error, stderr } = spawnSync("/usr/sbin/useradd", USERADD_ARGUMENTS, { encoding: "utf8" });
  // Another process may have created it in the meantime, which is fine.
  const created = await find();
  if (created) return created;
  throw new EmbeddedDatabaseError(
    "PostgreSQL can't run as root, and its system user could not be created " +
      `(${error ? error.message : stderr.trim()}). Create a user named ${ACCOUNT_NAME}, ` +
      "or start Nodal as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.",
  );
}

/** The options that make a child process run as `account`. */
export function asAccount(account: Account | undefined): { uid?: number; gid?: number } {
  return account ? { uid: account.uid, gid: account.gid } : {};
}

function canEnter(account: Account, folder: string): boolean {
  // Tried for real, since modes are not enough: access lists, mount options and security modules matter too.
  const result = spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], {
    ...asAccount(account),
    cwd: "/",
    stdio: "ignore",
  });
  if (result.error) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL does not run as root, and this system does not let root act as the user ${account.name} ` +
        `(${messageOf(result.error)}). Start Nodal as an ordinary user, or set DATABASE_URL.`,
      result.error,
    );
  }
  return result.status === 0;
}

/** The outermost folder on the way to `folder` (itself included) that `account` may not enter; null when it may. */
export function findBlockingFolder(account: Account, folder: string): string | null {
  if (canEnter(account, folder)) return null;
  const parent = dirname(folder);
  return (parent === folder ? null : findBlockingFolder(account, parent)) ?? folder;
}
