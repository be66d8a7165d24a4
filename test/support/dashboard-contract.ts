// What tests see of the dashboard's answers is compared with the types that the handlers declare, which the pages use.
// The types are read from the source once for each state of it.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findMismatches, type Contract } from "./answer-types.ts";
import { listFiles, REPOSITORY } from "./files.ts";

/** Of the routes for people at a screen, and of all others. */
const BASES = /^\/api(?:\/v4(?=\/)|(?=\/session(?:\/|$)))/;
const READER = join(import.meta.dirname, "read-answer-types.ts");
/** For the next run too. */
const KEPT = join(REPOSITORY, "node_modules/.cache/nodal-tests");
const POLL_MS = 100;
/** Reading the types takes some seconds of processor time; whoever takes longer has been ended. */
const PATIENCE_MS = 60_000;

let contract: Promise<Contract> | null = null;

/**
 * What is wrong with the answer of a route of the dashboard: what it should not have, or lacks, or has as something else.
 * Nothing for a refusal, and for a file.
 */
export async function findBrokenPromises(method: string, path: string, status: number, body: unknown) {
  // Benchmarks time the answers: nothing else is done meanwhile.
  if (!process.env["VITEST"]) return [];
  if (status !== 200 || !BASES.test(path) || typeof body !== "object" || body === null) return [];
  const { pathname } = new URL(path, "http://localhost");
  const declared = await (contract ??= readContractOnce());
  const route = routeOf(declared, method, pathname.replace(BASES, ""));
  if (!route) return [`${method} ${pathname} answers with JSON, and its handler declares none`];
  return findMismatches(declared, route.answer, body).map((problem) => `${method} ${pathname}: ${problem}`);
}

/** Of two that fit, the one that says more: `/templates/form` and not `/templates/:template_id`. */
function routeOf({ routes }: Contract, method: string, path: string) {
  const fitting = routes.flatMap((route) =>
    route.method === method ? route.urls.filter((url) => fits(url, path)).map((url) => ({ url, route })) : [],
  );
  const parameters = ({ url }: { readonly url: string }): number => url.split(":").length;
  return fitting.toSorted((a, b) => parameters(a) - parameters(b))[0]?.route;
}

function fits(url: string, path: string): boolean {
  const [wanted, given] = [url.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((part, place) => part.startsWith(":") || part === given[place]);
}

/** The first process that needs the types of this source reads them; the others wait. */
async function readContractOnce(): Promise<Contract> {
  await mkdir(KEPT, { recursive: true });
  const file = join(KEPT, `contract-${await hashOfSource()}.json`);
  const turn = `${file}.turn`;
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const known = await readFile(file, "utf8").catch(() => null);
    if (known !== null) return JSON.parse(known) as Contract;
    const isMine = await mkdir(turn).then(
      () => true,
      () => performance.now() > deadline,
    );
    if (isMine) break;
    await sleep(POLL_MS);
  }
  try {
    // Most processes never load the compiler.
    const { readContract } = await import("./read-answer-types.ts");
    const read = readContract();
    await writeFile(`${file}.${process.pid}`, JSON.stringify(read));
    await rename(`${file}.${process.pid}`, file);
    return read;
  } finally {
    await rm(turn, { recursive: true, force: true });
  }
}

async function hashOfSource(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of [...listFiles(join(REPOSITORY, "src"), ".ts"), join(REPOSITORY, "package-lock.json"), READER]) {
    hash.update(`${path}\0`).update(await readFile(path));
  }
  return hash.digest("hex").slice(0, 32);
}
