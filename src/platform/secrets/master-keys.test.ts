// Files of master keys: created once, readable by their owner only, and replaced without a moment without a key.
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newMasterKeyText, parseMasterKey, MasterKeys, type MasterKeysOptions } from "./master-keys.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nodal-keys-"));
});
afterEach(() => rm(folder, { recursive: true }));

function keys(options: Partial<MasterKeysOptions> = {}): MasterKeys {
  return new MasterKeys({ given: null, next: null, folder, mayMake: true, ...options });
}

test("a file is made where there is none, for its owner alone, and once by many at the same time", async () => {
  expect(keys().list()).toEqual([]);
  const made = await Promise.all(Array.from({ length: 8 }, () => keys().provide()));
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(await readdir(folder)).toEqual(["master.key"]);
  expect((await stat(join(folder, "master.key"))).mode & 0o777).toBe(0o600);
  expect(parseMasterKey(await readFile(join(folder, "master.key"), "utf8"))?.id).toBe(made[0]!.id);
});

test("none is made where none may be, nor where one is given", async () => {
  await expect(keys({ mayMake: false }).provide()).rejects.toThrow("NODAL_MASTER_KEY must be set in production");
  const given = parseMasterKey(newMasterKeyText());
  expect((await keys({ given }).provide()).id).toBe(given!.id);
  expect(await readdir(folder)).toEqual([]);
});

test("a file that others may read, or that holds no key, is refused", async () => {
  await keys().provide();
  const path = join(folder, "master.key");
  await chmod(path, 0o640);
  expect(() => keys().list()).toThrow(`chmod 600 ${path}`);
  await writeFile(path, "half a key");
  await chmod(path, 0o600);
  expect(() => keys().list()).toThrow("does not contain a master key");
});

test("a rotation's file takes its place, and the earlier one is kept beside it", async () => {
  const earlier = await keys().provide();
  const next = await keys().provideNext();
  expect(
    keys()
      .list()
      .map(({ id }) => id),
  ).toEqual([earlier.id, next.id]);
  expect((await keys().provideNext()).id).toBe(next.id);
  const aside = keys().settle(next);
  expect(aside).toBe(join(folder, `master.key.old-${earlier.id}`));
  expect(
    keys()
      .list()
      .map(({ id }) => id),
  ).toEqual([next.id]);
  expect((await readdir(folder)).sort()).toEqual(["master.key", `master.key.old-${earlier.id}`]);
  // Again, as after a kill at the end.
  expect(keys().settle(next)).toBeNull();
  expect(
    keys()
      .list()
      .map(({ id }) => id),
  ).toEqual([next.id]);
});

test("a given key is rotated to a given one only", async () => {
  const [given, next] = [parseMasterKey(newMasterKeyText())!, parseMasterKey(newMasterKeyText())!];
  await expect(keys({ given }).provideNext()).rejects.toThrow("NODAL_MASTER_KEY_NEW must be the new master key");
  await expect(keys({ given, next: given }).provideNext()).rejects.toThrow("set it to a new key");
  expect((await keys({ given, next }).provideNext()).id).toBe(next.id);
  expect(
    keys({ given, next })
      .list()
      .map(({ id }) => id),
  ).toEqual([given.id, next.id]);
  expect(keys({ given, next }).settle(next)).toBeNull();
});
