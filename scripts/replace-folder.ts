// Puts a folder of something built in place in one step. Several builds may run at once: the last one in place wins.
import { chmod, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const LEFT_OVER_AFTER_MS = 3_600_000;

/** Has `build` fill a new folder, and puts it in the place of `target`. If it fails, `target` stays as it was. */
export async function replaceFolder(target: string, build: (folder: string) => Promise<void>): Promise<void> {
  await removeLeftOvers(target);
  const folder = await mkdtemp(`${target}-`);
  try {
    // Who runs the server may be another user than who built.
    await chmod(folder, 0o755);
    await build(folder);
    await putInPlace(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A folder can't be replaced by another in one step where it isn't empty: the earlier one is moved aside first. */
async function putInPlace(folder: string, target: string): Promise<void> {
  const earlier = `${folder}-earlier`;
  await rename(target, earlier).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(folder, target).catch((error: NodeJS.ErrnoException) => {
    // Another build was faster; what it put there is of the same source.
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  await rm(earlier, { recursive: true, force: true });
}

/** What builds left that were killed. One that is under way is younger. */
async function removeLeftOvers(target: string): Promise<void> {
  const [parent, name] = [dirname(target), basename(target)];
  for (const other of await readdir(parent)) {
    if (!other.startsWith(name) || !/^-[A-Za-z0-9]{6}(-earlier)?$/.test(other.slice(name.length))) continue;
    // Another build may remove it at the same time.
    const found = await stat(join(parent, other)).catch(() => null);
    if (found && found.mtimeMs < Date.now() - LEFT_OVER_AFTER_MS)
      await rm(join(parent, other), { recursive: true, force: true });
  }
}
