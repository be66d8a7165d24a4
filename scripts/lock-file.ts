// package-lock.json: what it says of each package, and which package is meant where another one names it. What is made
// of it is in cyclonedx.ts; what it must hold, in its test.
import { readFileSync } from "node:fs";

type Dependencies = Readonly<Record<string, string>>;

/** A package as it is locked. Members that are not there are false or empty. */
export type LockedPackage = {
  /** Where the folder has another name than the package: an alias. */
  readonly name?: string;
  readonly version?: string;
  /** Where the tarball is, if not at the registry that npm is set to. */
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly description?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Dependencies;
  readonly optionalDependencies?: Dependencies;
  readonly peerDependencies?: Dependencies;
  readonly devDependencies?: Dependencies;
};

/** Packages by folder, such as `node_modules/ajv/node_modules/fast-uri`; `""` is the project itself. */
export type LockFile = { readonly lockfileVersion: number; readonly packages: Readonly<Record<string, LockedPackage>> };

/** Reads a lock file. Throws where it is not of the version that npm 7 and later write. */
export function readLockFile(path: string): LockFile {
  const lock = JSON.parse(readFileSync(path, "utf8")) as LockFile;
  if (lock.lockfileVersion !== 3) throw new Error(`${path} has version ${lock.lockfileVersion}: only 3 is understood`);
  return lock;
}

/** The packages that `npm ci --omit=dev` installs on one platform or another, without the project itself. */
export function productionPackages({ packages }: LockFile): [folder: string, locked: LockedPackage][] {
  return Object.entries(packages).filter(([folder, { dev }]) => folder !== "" && !dev);
}

/** The name in the registry of the package in a folder. */
export function packageName(folder: string, { name }: LockedPackage): string {
  return name ?? folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}

/**
 * The folders of what the package in `folder` needs at run time, found as Node finds them: in its own node_modules, else
 * further up. Throws where one is missing that is neither optional nor a peer.
 */
export function dependencyFolders({ packages }: LockFile, folder: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = packages[folder]!;
  const isRequired = (name: string): boolean =>
    dependencies?.[name] !== undefined && optionalDependencies?.[name] === undefined;
  const names = Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies });
  return names.flatMap((name) => {
    const found = placesOf(folder, name).find((place) => place in packages);
    if (found === undefined && isRequired(name))
      throw new Error(`${folder || "the project"} needs ${name}: not locked`);
    return found ?? [];
  });
}

function placesOf(folder: string, name: string): string[] {
  const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
  if (folder === "") return [place];
  return [place, ...placesOf(folder.slice(0, Math.max(folder.lastIndexOf("node_modules/") - 1, 0)), name)];
}
