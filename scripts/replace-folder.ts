// Puts a folder of something built in place in one step. Several builds may run at once: the last one in place wins.
import { chmod, mkdtemp, rename, rm } from "node:fs/promises";

/** Has `build` fill a new folder, and puts it in the place of `target`. If it fails, `target` stays as it was. */
export async function replaceFolder(target: string, build: (folder: string) => Promise<void>): Promise<void> {
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
