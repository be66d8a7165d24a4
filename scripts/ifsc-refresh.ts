// Fetches the list of IFSC codes anew: the data of the npm package `ifsc`, as one small file. `npm run ifsc:refresh`
// Its code is never run, and it is no dependency: it would bring an abandoned HTTP client with it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeIfscList, type IfscSource } from "./ifsc-list.ts";

const TARGET = new URL("../src/payouts/rails/ifsc-list.txt", import.meta.url);

const folder = mkdtempSync(join(tmpdir(), "nodal-ifsc-"));
try {
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "ifsc", "--json", "--silent"], { cwd: folder, encoding: "utf8" }),
  ) as [{ filename: string; version: string }];
  execFileSync("tar", ["xzf", packed.filename], { cwd: folder });
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, "package", "src", name), "utf8"));
  const list = writeIfscList({
    version: packed.version,
    fetchedOn: Temporal.Now.plainDateISO().toString(),
    licence: readFileSync(join(folder, "package", "LICENSE"), "utf8"),
    names: read("banknames.json") as IfscSource["names"],
    branches: read("IFSC.json") as IfscSource["branches"],
    tenants: {
      ...(read("sublet.json") as IfscSource["tenants"]),
      ...(read("custom-sublets.json") as IfscSource["tenants"]),
    },
  });
  writeFileSync(TARGET, list);
  console.log(`ifsc ${packed.version}: ${list.length} bytes`);
} finally {
  rmSync(folder, { recursive: true });
}
