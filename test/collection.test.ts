// The collection for Postman and others, run by newman as its users run it: at a fresh installation with the demo merchant.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ENDING } from "../scripts/postman.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDemo, type DemoInstallation } from "./support/demo.ts";
import { REPOSITORY } from "./support/files.ts";
import { nodalJson, send } from "./support/nodal.ts";

const COLLECTION = join(REPOSITORY, "sdk/nodal.postman_collection.json");
const NEWMAN = fileURLToPath(import.meta.resolve("newman/bin/newman.js"));

type Folder = { readonly item: readonly { readonly request: { readonly method: string } }[] };
const { item: folders } = JSON.parse(readFileSync(COLLECTION, "utf8")) as { readonly item: readonly Folder[] };
const requests = folders.flatMap(({ item }) => item);

let demo: DemoInstallation;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo.stop());

/** Runs the whole collection. Returns newman's exit code and what it printed. */
async function runCollection(keys: DemoInstallation["keys"]): Promise<{ code: number; stdout: string }> {
  const values = { base_url: demo.baseUrl, ...keys };
  const given = Object.entries(values).flatMap(([name, value]) => ["--env-var", `${name}=${value}`]);
  const { PATH = "", HOME = "" } = process.env;
  const run = promisify(execFile)(process.execPath, [NEWMAN, "run", COLLECTION, "--color", "off", ...given], {
    env: { PATH, HOME },
  });
  return await run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );
}

test("it has a request for each operation of /api/v1 to v3, and for each of /api/v4 with an example", async () => {
  const { body } = await send(demo.baseUrl, "GET", "/openapi.json");
  const { paths } = body as {
    paths: Record<string, Record<string, { responses: Record<string, object> }>>;
  };
  const shown = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).filter(
      ({ responses }) => !path.startsWith("/api/v4/") || JSON.stringify(responses["200"]).includes('"example":'),
    ),
  );
  expect(shown.length).toBeGreaterThan(70);
  expect(requests).toHaveLength(shown.length + Object.keys(ENDING).length);
});

test.each(["the first time", "again"])("every request succeeds, %s", async () => {
  const { code, stdout } = await runCollection(demo.keys);
  expect(code, stdout).toBe(0);
  // One assertion for each request at least: newman's table has executed and failed ones.
  expect(stdout).toMatch(new RegExp(`requests │ +${requests.length} │ +0 `));
  expect(stdout).toMatch(new RegExp(`assertions │ +${requests.length} │ +0 `));
});

test("with wrong keys its run fails", async () => {
  const { code, stdout } = await runCollection({ ...demo.keys, secret_access_key: "ns_sandbox_wrong" });
  expect(code).toBe(1);
  expect(stdout).toContain("Invalid Keys");
});

test("after it the books are sound", async () => {
  expect(await nodalJson(demo.environment, "verify")).toMatchObject({ ok: true });
});
