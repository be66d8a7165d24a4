// What Nodal is made of: where packages come from, what they may run, under which licences, and the list of them
// (SBOM). No network.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildSbom } from "../scripts/cyclonedx.ts";
import {
  dependencyFolders,
  packageName,
  productionPackages,
  readLockFile,
  type LockedPackage,
  type LockFile,
} from "../scripts/lock-file.ts";
import { plantFiles, REPOSITORY } from "./support/files.ts";

type Manifest = { readonly allowScripts: Readonly<Record<string, boolean>>; readonly overrides?: object } & Pick<
  LockedPackage,
  "dependencies" | "optionalDependencies" | "devDependencies"
>;

const lock = readLockFile(join(REPOSITORY, "package-lock.json"));
const manifest = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as Manifest;
const REGISTRY = "https://registry.npmjs.org/";
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Builds for other platforms that are locked by version only: docs/supply-chain.md says why. May only become fewer. */
const LOCKED_BY_VERSION_ONLY = platforms(
  "@myriaddreamin/typst-ts-node-compiler",
  "android-arm-eabi android-arm64 darwin-arm64 darwin-x64 linux-arm-gnueabihf linux-arm64-gnu linux-arm64-musl",
  "win32-arm64-msvc win32-x64-msvc",
);
const LOCKED_BY_VERSION_ONLY_IN_TESTS = platforms(
  "@napi-rs/canvas",
  "android-arm64 darwin-arm64 darwin-x64 linux-arm-gnueabihf linux-arm64-musl linux-riscv64-gnu linux-x64-musl",
  "win32-arm64-msvc win32-x64-msvc",
);

/** Licences that oblige nobody who runs or changes Nodal to publish anything: MPL-2.0 is about its own files alone. */
const LICENSES = new Set(
  "0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT MIT-0 MPL-2.0 OFL-1.1 PostgreSQL Python-2.0 Unlicense Zlib".split(
    " ",
  ),
);

function platforms(name: string, ...lists: string[]): string[] {
  return lists.flatMap((list) => list.split(" ")).map((platform) => `${name}-${platform}`);
}

function installed({ packages }: LockFile): [folder: string, locked: LockedPackage][] {
  return Object.entries(packages).filter(([folder]) => folder !== "");
}

function withoutHash(of: LockFile): string[] {
  return installed(of)
    .filter(([, { integrity }]) => !SHA512.test(integrity ?? ""))
    .map(([folder, locked]) => packageName(folder, locked));
}

/** Versions and ranges of the registry have neither a slash nor a colon; all else (git, http, file, GitHub) has. */
function isOfRegistry(wanted: string): boolean {
  return /^(npm:(@[a-z0-9._-]+\/)?[a-z0-9._-]+@)?[^/:]*$/i.test(wanted);
}

/** Packages that are no tarballs of the registry, and wishes for such packages. */
function fromElsewhere(of: LockFile): string[] {
  return Object.entries(of.packages).flatMap(([folder, locked]) => {
    const { resolved, link, dependencies, optionalDependencies, peerDependencies, devDependencies } = locked;
    const wanted = { ...devDependencies, ...peerDependencies, ...optionalDependencies, ...dependencies };
    return [
      ...(link || (resolved !== undefined && !resolved.startsWith(REGISTRY)) ? [`${folder}: ${resolved}`] : []),
      ...Object.entries(wanted).flatMap(([name, text]) =>
        isOfRegistry(text) ? [] : [`${folder} wants ${name} ${text}`],
      ),
    ];
  });
}

function withInstallScript(of: LockFile): string[] {
  return installed(of).flatMap(([folder, locked]) => (locked.hasInstallScript ? packageName(folder, locked) : []));
}

function allowedScripts({ allowScripts }: Manifest): string[] {
  return Object.keys(allowScripts).filter((name) => allowScripts[name]);
}

function inexact({ dependencies, optionalDependencies, devDependencies }: Manifest): string[] {
  return Object.entries({ ...devDependencies, ...optionalDependencies, ...dependencies })
    .filter(([, wanted]) => !/^(npm:.+@)?[0-9]+\.[0-9]+\.[0-9]+(-[0-9a-z.-]+)?$/i.test(wanted))
    .map(([name, wanted]) => `${name} ${wanted}`);
}

function isAllowed(expression: string): boolean {
  const plain = expression.replace(/^\(([^()]*)\)$/, "$1");
  return plain.split(" OR ").some((choice) => choice.split(" AND ").every((id) => LICENSES.has(id)));
}

function underOtherLicense(of: LockFile): string[] {
  return productionPackages(of)
    .filter(([, { license }]) => license === undefined || !isAllowed(license))
    .map(([folder, locked]) => `${packageName(folder, locked)} ${locked.license}`);
}

/** The lock file with changes to some of its packages, or with packages more. */
function planted(changes: Readonly<Record<string, LockedPackage>>): LockFile {
  const packages = Object.entries(changes).map(([folder, change]) => [folder, { ...lock.packages[folder], ...change }]);
  return { ...lock, packages: { ...lock.packages, ...Object.fromEntries(packages) } };
}

const PG = "node_modules/pg";

describe("every package has a hash", () => {
  test("but for builds for other platforms", () => {
    const names = withoutHash(lock);
    expect(names.toSorted()).toEqual([...LOCKED_BY_VERSION_ONLY, ...LOCKED_BY_VERSION_ONLY_IN_TESTS].toSorted());
    const builds = installed(lock).filter(([, { integrity }]) => integrity === undefined);
    expect(builds.every(([, { optional }]) => optional)).toBe(true);
  });

  test.each(["", "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha512-short=="])("the hash %j is reported", (integrity) => {
    expect(withoutHash(planted({ [PG]: { integrity } }))).toContain("pg");
  });
});

describe("every package comes from the registry", () => {
  test("as the lock file has them", () => expect(fromElsewhere(lock)).toEqual([]));

  test.each([
    "git+ssh://git@github.com/brianc/node-postgres.git#0123456",
    "https://example.com/pg.tgz",
    "http://registry.npmjs.org/pg/-/pg-8.23.1.tgz",
    "file:../pg",
  ])("%s is reported, also where a package only wants it", (source) => {
    expect(fromElsewhere(planted({ [PG]: { resolved: source } }))).toEqual([`${PG}: ${source}`]);
    const wanting = planted({ [PG]: { dependencies: { "pg-pool": source } } });
    expect(fromElsewhere(wanting)).toEqual([`${PG} wants pg-pool ${source}`]);
  });

  test("a repository's short name and a link are reported", () => {
    expect(fromElsewhere(planted({ "": { dependencies: { pg: "brianc/node-postgres" } } }))).not.toEqual([]);
    expect(fromElsewhere(planted({ [PG]: { resolved: "packages/pg", link: true } }))).not.toEqual([]);
  });
});

describe("install scripts", () => {
  test("are those that package.json allows, and no allowance is left over", () => {
    expect(withInstallScript(lock).toSorted()).toEqual(allowedScripts(manifest).toSorted());
  });

  test("one more is reported", () => {
    const names = withInstallScript(planted({ [PG]: { hasInstallScript: true } }));
    expect(names.filter((name) => !allowedScripts(manifest).includes(name))).toEqual(["pg"]);
  });
});

describe("versions", () => {
  test("are exact in package.json, and the locked ones; nothing overrides them", () => {
    expect(inexact(manifest)).toEqual([]);
    expect(manifest.overrides).toBeUndefined();
    const { dependencies, optionalDependencies, devDependencies } = lock.packages[""]!;
    expect({ dependencies, optionalDependencies, devDependencies }).toEqual({
      dependencies: manifest.dependencies,
      optionalDependencies: manifest.optionalDependencies,
      devDependencies: manifest.devDependencies,
    });
  });

  test.each(["^8.23.1", "~8.23.1", "8.x", "latest", ">=8", "*", "", "npm:pg@^8.23.1"])("%j is reported", (wanted) => {
    expect(inexact({ ...manifest, dependencies: { pg: wanted } })).toEqual([`pg ${wanted}`]);
  });
});

describe("licences of what is shipped", () => {
  test("are on the list", () => expect(underOtherLicense(lock)).toEqual([]));

  test.each(["GPL-3.0-only", "MIT AND AGPL-3.0-only", "SEE LICENSE IN LICENSE.md", "UNLICENSED", ""])(
    "%j is reported",
    (license) => expect(underOtherLicense(planted({ [PG]: { license } }))).toEqual([`pg ${license}`]),
  );

  test("none at all is reported, a choice is taken, a tool's is its own business", () => {
    const { license: _, ...unlicensed } = lock.packages[PG]!;
    const without = { ...lock, packages: { ...lock.packages, [PG]: unlicensed } };
    expect(underOtherLicense(without)).toEqual(["pg undefined"]);
    expect(underOtherLicense(planted({ [PG]: { license: "(MIT OR GPL-3.0-only)" } }))).toEqual([]);
    expect(underOtherLicense(planted({ "node_modules/vitest": { license: "GPL-3.0-only" } }))).toEqual([]);
  });
});

describe("the bill of materials", () => {
  const sbom = buildSbom(lock, null);
  const refs = sbom.components.map((component) => component["bom-ref"]);

  test("has the form of CycloneDX 1.6", () => {
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
    expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(sbom.metadata.component).toMatchObject({ type: "application", name: "nodal", purl: "pkg:npm/nodal@0.1.0" });
    expect(new Set(refs).size).toBe(refs.length);
    for (const { purl, version, hashes = [], licenses = [] } of sbom.components) {
      expect(purl).toMatch(/^pkg:npm\/(%40[a-z0-9._-]+\/)?[a-z0-9._-]+@[0-9][^@]*$/i);
      expect(purl.endsWith(`@${version}`)).toBe(true);
      for (const { alg, content } of hashes) expect([alg, content.length]).toEqual(["SHA-512", 128]);
      const [license] = licenses;
      if (license && "license" in license) expect(LICENSES).toContain(license.license.id);
      expect(licenses.length).toBe(1);
    }
  });

  test("has each production package, with the hash that npm checks", () => {
    const locked = productionPackages(lock).map(([folder, it]) => `${packageName(folder, it)}@${it.version}`);
    const named = sbom.components.map(({ group, name, version }) => `${group ? `${group}/` : ""}${name}@${version}`);
    expect(named.toSorted()).toEqual([...new Set(locked)].toSorted());
    const pg = sbom.components.find(({ name }) => name === "pg")!;
    const integrity = `sha512-${Buffer.from(pg.hashes![0]!.content, "hex").toString("base64")}`;
    expect(integrity).toBe(lock.packages[PG]!.integrity);
    const unhashed = sbom.components.filter(({ hashes }) => !hashes).map(({ group, name }) => `${group}/${name}`);
    expect(unhashed.toSorted()).toEqual(LOCKED_BY_VERSION_ONLY.toSorted());
  });

  test("leads from Nodal to every package", () => {
    const graph = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const reached = new Set([sbom.metadata.component.purl]);
    for (const ref of reached) for (const next of graph.get(ref)!) reached.add(next);
    expect([...reached].toSorted()).toEqual([sbom.metadata.component.purl, ...refs].toSorted());
    expect(graph.size).toBe(reached.size);
  });

  test("names Node and PostgreSQL as their vulnerabilities are published", () => {
    const cpes = new Set(sbom.components.flatMap(({ cpe }) => cpe ?? []));
    expect([...cpes]).toEqual([
      expect.stringMatching(/^cpe:2\.3:a:postgresql:postgresql:18\.[0-9]+:\*/),
      expect.stringMatching(/^cpe:2\.3:a:nodejs:node\.js:26\.[0-9]+\.[0-9]+:\*/),
    ]);
  });

  test("changes its number with its content, and a package that is not locked is reported", () => {
    const other = buildSbom(planted({ [PG]: { version: "8.23.2" } }), null);
    expect(other.serialNumber).not.toBe(sbom.serialNumber);
    const incomplete = planted({ [PG]: { dependencies: { "pg-nowhere": "1.0.0" } } });
    expect(() => buildSbom(incomplete, null)).toThrow("node_modules/pg needs pg-nowhere: not locked");
    expect(dependencyFolders(planted({ [PG]: { peerDependencies: { "pg-nowhere": "1.0.0" } } }), PG)).not.toEqual([]);
  });

  test("is written by the command, the same each time, with the moment that SOURCE_DATE_EPOCH names", () => {
    const folder = plantFiles({});
    const run = (epoch: string, ...args: string[]) =>
      spawnSync(process.execPath, [join(REPOSITORY, "scripts/sbom.ts"), ...args], {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, SOURCE_DATE_EPOCH: epoch },
      });
    expect(run("").stdout).toBe(`${JSON.stringify(sbom, null, 2)}\n`);
    expect(run("1795341153", "--out", "sbom.json")).toMatchObject({ status: 0, stdout: "" });
    const dated = JSON.parse(readFileSync(join(folder, "sbom.json"), "utf8"));
    expect(dated.metadata.timestamp).toBe("2026-11-22T09:52:33Z");
    expect(dated.serialNumber).not.toBe(sbom.serialNumber);
    expect(run("yesterday")).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("SOURCE_DATE") });
    rmSync(folder, { recursive: true });
  });
});
