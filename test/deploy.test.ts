// What deploy/ holds: well-formed, with settings, commands and files that exist. Where its own linters are installed,
// they are asked.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseDocument } from "yaml";
import { createProgram } from "../src/cli/nodal.ts";
import { checkProductionSettings } from "../src/installation/index.ts";
import { SETTINGS } from "../src/platform/config.ts";
import { MAX_FILE_BYTES } from "../src/platform/file-size.ts";
import { readSettings } from "../src/platform/settings-file.ts";
import { listFiles, REPOSITORY } from "./support/files.ts";
import { Installation } from "./support/installation.ts";

const DEPLOY = join(REPOSITORY, "deploy");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nodal-deploy-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string): string => readFileSync(join(DEPLOY, path), "utf8");
const areSettings = (names: readonly string[]): string[] => names.filter((name) => !Object.hasOwn(SETTINGS, name));

type ProgramResult = { readonly ok: boolean; readonly status: number | null; readonly said: string };

/** What a program says of a file; skips the test where it is not installed. */
function ask(skip: (note: string) => void, program: string, ...args: string[]): ProgramResult {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (error) skip(`${program} is not installed`);
  return { ok: status === 0, status, said: `${stdout}${stderr}` };
}

/** Whether the command line has this command with these options; throws with the words that it has not. */
function requireCommand(words: readonly string[]): void {
  let found: Command = createProgram();
  const rest = [...words];
  for (let next = found.commands.find((each) => each.name() === rest[0]); next;) {
    found = next;
    rest.shift();
    next = found.commands.find((each) => each.name() === rest[0]);
  }
  const flags = rest.filter((word) => word.startsWith("--"));
  const unknown = flags.filter((flag) => !found.options.some((option) => option.long === flag));
  if (found.parent === null || unknown.length > 0 || found.commands.length > 0) throw new Error(words.join(" "));
}

/** The words after each `nodal` of a text, up to the end of the command. */
function callsIn(text: string): string[][] {
  return [...text.matchAll(/(?:^|[ /])nodal (?=[a-z])([^\n|&;'`]*)/gm)].map(([, words]) => words!.trim().split(/\s+/));
}

describe("systemd", () => {
  const units = readdirSync(join(DEPLOY, "systemd"));
  const linesOf = (unit: string): string[] =>
    read(`systemd/${unit}`)
      .split("\n")
      .filter((line) => !/^(#.*)?$/.test(line));

  test("units say nothing but sections and settings, and call commands that exist", () => {
    expect(units.length).toBeGreaterThan(4);
    for (const line of units.flatMap(linesOf)) expect(line).toMatch(/^(\[\w+\]|\w+=.*)$/);
    const calls = units.flatMap((unit) =>
      callsIn(
        linesOf(unit)
          .filter((line) => line.startsWith("Exec"))
          .join("\n"),
      ),
    );
    expect(new Set(calls.map(([first]) => first))).toEqual(new Set(["backup", "start", "verify"]));
    for (const words of calls) requireCommand(words);
    expect(() => requireCommand(["verify", "--heads"])).toThrow();
    expect(() => requireCommand(["backups"])).toThrow();
  });

  test("each timer has its service, and all services may do as little", () => {
    const services = units.filter((unit) => unit.endsWith(".service"));
    for (const timer of units.filter((unit) => unit.endsWith(".timer"))) {
      expect(services).toContain(timer.replace(".timer", ".service"));
    }
    const wallsOf = (unit: string): string[] => {
      const lines = linesOf(unit);
      return lines
        .slice(lines.indexOf("NoNewPrivileges=yes"))
        .filter((line) => !/^(\[Install\]|WantedBy=.*)$/.test(line));
    };
    expect(wallsOf("nodal.service").length).toBeGreaterThan(15);
    for (const unit of services) expect(wallsOf(unit)).toEqual(wallsOf("nodal.service"));
  });

  test("finds nothing wrong", ({ skip }) => {
    for (const unit of units) {
      writeFileSync(join(folder, unit), read(`systemd/${unit}`).replaceAll("/opt/nodal/", `${REPOSITORY}/`));
    }
    const asked = ask(skip, "systemd-analyze", "verify", ...units.map((unit) => join(folder, unit)));
    const own = asked.said.split("\n").filter((line) => line.includes("nodal"));
    expect({ ok: asked.ok, own }).toEqual({ ok: true, own: [] });
  });
});

test("the example of a settings file is taken in production once the keys are in it", () => {
  const path = join(folder, "nodal.env");
  const text = read("nodal.env.example");
  expect(text).toMatch(/^NODAL_MASTER_KEY=$/m);
  writeFileSync(path, text.replace(/^NODAL_MASTER_KEY=$/m, `NODAL_MASTER_KEY=${"0".repeat(64)}`), { mode: 0o640 });
  expect(() => checkProductionSettings(readSettings({ NODAL_SETTINGS_FILE: path }))).not.toThrow();
  writeFileSync(path, text.replaceAll(/^#(?=[A-Z])/gm, ""), { mode: 0o640 });
  expect(readSettings({ NODAL_SETTINGS_FILE: path }).DATABASE_URL).toContain("postgres://");
});

describe("the image", () => {
  const dockerfile = read("docker/Dockerfile");
  const ignored = read("docker/Dockerfile.dockerignore");

  test("is made of files that are there and that its context has", () => {
    const copies = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) => names!.split(" "));
    expect(copies).toContain("schema");
    for (const name of copies) {
      expect(existsSync(join(REPOSITORY, name)), name).toBe(true);
      expect(ignored).toContain(`!${name}\n`);
    }
  });

  test("runs a command, as nobody in particular, with settings that exist", () => {
    const settings = /^ENV (.+)$/m
      .exec(dockerfile)![1]!
      .split(" ")
      .map((each) => each.split("=")[0]!);
    expect(areSettings(settings)).toEqual([]);
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    requireCommand(JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)![1]!) as string[]);
  });

  test("stands beside a database and a proxy that Nodal believes", () => {
    const compose = parse(read("docker/compose.yaml")) as {
      services: Record<string, { environment: Record<string, string>; build: { dockerfile: string } }>;
      networks: { default: { ipam: { config: { subnet: string }[] } } };
    };
    const { nodal, proxy } = compose.services;
    expect(areSettings(Object.keys(nodal!.environment))).toEqual([]);
    expect(nodal!.environment["TRUST_PROXY"]).toBe(compose.networks.default.ipam.config[0]!.subnet);
    expect(existsSync(join(REPOSITORY, nodal!.build.dockerfile))).toBe(true);
    const caddy = read("caddy/Caddyfile");
    for (const name of Object.keys(proxy!.environment)) expect(caddy).toContain(`{$${name}:`);
  });
});

describe("the chart", () => {
  const templates = listFiles(join(DEPLOY, "helm/nodal/templates"), "").map((path) => readFileSync(path, "utf8"));
  const values = parse(read("helm/nodal/values.yaml")) as Record<string, unknown>;

  const leavesOf = (value: unknown, path: string): string[] =>
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length > 0 &&
    ![".settings", ".resources", ".ingress.annotations"].includes(path)
      ? Object.entries(value).flatMap(([name, below]) => leavesOf(below, `${path}.${name}`))
      : [path];

  test("uses values that are there, and all of them", () => {
    const used = new Set(
      templates.flatMap((text) => [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path]) => path!)),
    );
    expect([...used].toSorted()).toEqual(leavesOf(values, "").toSorted());
  });

  test("has settings that exist, and the release of the package", () => {
    expect(areSettings(Object.keys(values["settings"] as object))).toEqual([]);
    const { appVersion } = parse(read("helm/nodal/Chart.yaml")) as { appVersion: string };
    expect(appVersion).toBe(
      (JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as { version: string }).version,
    );
  });

  test("the guide builds, tags and pushes the image that the chart pulls", () => {
    const guide = readFileSync(join(REPOSITORY, "docs/install.md"), "utf8");
    const { appVersion } = parse(read("helm/nodal/Chart.yaml")) as { appVersion: string };
    const [, file, tagged] = /docker build --file (\S+) --tag "\$IMAGE:(\S+)" \.$/m.exec(guide)!;
    expect(existsSync(join(REPOSITORY, file!))).toBe(true);
    expect([tagged, /docker push "\$IMAGE:(\S+)"/.exec(guide)![1]]).toEqual([appVersion, appVersion]);
    expect(guide).toContain('--set image.repository="$IMAGE"');
  });

  test("opens as many blocks as it closes, and calls commands that exist", () => {
    for (const text of templates) {
      const opened = text.match(/\{\{-? *(if|range|with|define)\b/g)?.length ?? 0;
      expect(text.match(/\{\{-? *end *-?\}\}/g)?.length ?? 0).toBe(opened);
    }
    const calls = callsIn(templates.join("\n")).filter(([first]) => first === "backup" || first === "merchant");
    expect(calls).toHaveLength(2);
    for (const words of calls) requireCommand(words);
  });
});

describe("metrics and readiness", () => {
  const [, port] = /^OPERATIONS_PORT=(\d+)$/m.exec(read("nodal.env.example"))!;

  type Template = {
    readonly kind: string;
    readonly spec: {
      readonly ports: { readonly name: string; readonly port: number; readonly targetPort: string }[];
      readonly endpoints: { readonly port: string }[];
      readonly template: { readonly spec: { readonly containers: Container[] } };
    };
  };
  type Container = {
    readonly ports: { readonly name: string; readonly containerPort: number }[];
    readonly readinessProbe: { readonly httpGet: { readonly port: string } };
    readonly livenessProbe: { readonly httpGet: { readonly path: string } };
  };

  /** The documents of a template, whose conditions all hold; its expressions are left out. */
  const documentsOf = (path: string): Template[] =>
    read(path)
      .replaceAll(/^ *\{\{-? *(if|end|range|with)\b.*\n/gm, "")
      .replaceAll(/\{\{.*?\}\}/g, "x")
      .split(/^---$/m)
      .map((document) => parse(document) as Template);

  test("have the same port in every example", () => {
    expect(read("docker/Dockerfile")).toMatch(new RegExp(`^ENV .*\\bOPERATIONS_PORT=${port}$`, "m"));
    expect(read("docker/Dockerfile")).toMatch(new RegExp(`^EXPOSE 8080 ${port}$`, "m"));
    const { scrape_configs: jobs } = parse(read("prometheus/prometheus.yml")) as {
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    const targets = jobs.flatMap(({ static_configs: each }) => each.flatMap((config) => config.targets));
    expect(targets).toEqual([`127.0.0.1:${port}`, `http://127.0.0.1:${port}/readyz`]);
    const { nodal, proxy } = (parse(read("docker/compose.yaml")) as { services: Record<string, { ports: string[] }> })
      .services;
    // For this machine alone.
    expect(nodal!.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(proxy!.ports).toEqual(["80:80", "443:443"]);
  });

  test("are asked by HAProxy at a port that it leads nobody to", () => {
    const servers = [...read("haproxy/haproxy.cfg").matchAll(/^ +server \w+ [\d.]+:(\d+) port (\d+)$/gm)];
    expect(servers).toHaveLength(2);
    const served = servers.map(([, serves]) => serves);
    for (const [, , asked] of servers) expect(served).not.toContain(asked);
  });

  test("have a port in the chart that its ingress does not publish", () => {
    const documents = documentsOf("helm/nodal/templates/server.yaml");
    const of = (kind: string): Template["spec"] => documents.find((document) => document.kind === kind)!.spec;
    const [container] = of("Deployment").template.spec.containers;
    expect(container!.ports).toEqual([
      { name: "http", containerPort: 8080 },
      { name: "operations", containerPort: Number(port) },
    ]);
    expect(container!.readinessProbe.httpGet.port).toBe("operations");
    expect(container!.livenessProbe.httpGet.path).toBe("/healthz");
    expect(of("Service").ports.map(({ name, targetPort }) => [name, targetPort])).toEqual([
      ["http", "http"],
      ["operations", "operations"],
    ]);
    expect(of("ServiceMonitor").endpoints.map((endpoint) => endpoint.port)).toEqual(["operations"]);
    const published = [...read("helm/nodal/templates/ingress.yaml").matchAll(/port:\s+name: (\w+)/g)];
    expect(published.map(([, name]) => name)).toEqual(["http"]);
  });
});

describe("a proxy", () => {
  test.each([
    ["nginx/nodal.conf", /client_max_body_size (\d+)m;/],
    ["caddy/Caddyfile", /max_size (\d+)MiB/],
    ["haproxy/haproxy.cfg", /req\.body_size gt (\d+)/],
    ["helm/nodal/values.yaml", /proxy-body-size: (\d+)m$/m],
  ])("lets the largest file through, and little more: %s", (path, limit) => {
    const given = Number(limit.exec(read(path))![1]);
    const bytes = given < 1024 ? given * 2 ** 20 : given;
    expect(bytes).toBe(MAX_FILE_BYTES + 2 ** 20);
  });

  test("nginx takes its configuration", ({ skip }) => {
    const [key, certificate] = [join(folder, "nodal.key"), join(folder, "nodal.pem")];
    const made = [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-subj",
      "/CN=nodal",
    ];
    ask(skip, "openssl", ...made, "-keyout", key, "-out", certificate);
    const site = read("nginx/nodal.conf")
      .replaceAll("/etc/nginx/tls", folder)
      // Others than root may not have the ports of the web.
      .replaceAll(/(listen (?:\[::\]:)?)(80|443)\b/g, "$118$2");
    const file = join(folder, "nginx.conf");
    writeFileSync(file, `pid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${site}}\n`);
    expect(ask(skip, "/usr/sbin/nginx", "-t", "-p", folder, "-c", file)).toMatchObject({ ok: true });
  });

  test("Caddy takes its configuration", ({ skip }) => {
    cpSync(join(DEPLOY, "caddy/Caddyfile"), join(folder, "Caddyfile"));
    const asked = ask(skip, "caddy", "validate", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile"));
    expect(asked).toMatchObject({ ok: true });
  });
});

test("Prometheus takes the configuration, and the alerts fire when they should", ({ skip }) => {
  const asked = ask(skip, "promtool", "check", "config", join(DEPLOY, "prometheus/prometheus.yml"));
  expect(asked).toMatchObject({ ok: true });
  const tried = ask(skip, "promtool", "test", "rules", join(DEPLOY, "prometheus/rules.test.yml"));
  expect(tried).toMatchObject({ ok: true });
});

test("Prometheus takes what a server measures", async ({ skip }) => {
  const installation = await Installation.shared();
  try {
    const merchant = await installation.newMerchant({ fund: "10.00" });
    const beneficiary_id = await merchant.addBeneficiary();
    await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "measured" });
    const text = String((await installation.send("GET", "/metrics")).body);
    const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]));
    // The labels of summaries and histograms are theirs alone.
    const labelled = [...text.matchAll(/^(\w+)\{.*\b(quantile|le)=/gm)].map(([, name]) =>
      name!.replace(/_bucket$/, ""),
    );
    expect([...new Set(labelled.map((name) => types.get(name)))]).toEqual(["histogram"]);
    const file = join(folder, "metrics.txt");
    writeFileSync(file, text);
    const checked = ask(
      skip,
      "sh",
      "-c",
      `command -v promtool >/dev/null || exit 127; promtool check metrics <${file}`,
    );
    if (checked.status === 127) skip("promtool is not installed");
    expect(checked.said).toBe("");
  } finally {
    await installation.stop();
  }
});

test("every file of YAML is well-formed, also with what a template leaves out", () => {
  const files = listFiles(DEPLOY, ".yaml").concat(listFiles(DEPLOY, ".yml"));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files.filter((path) => !path.includes("/templates/"))) {
    expect(parseDocument(readFileSync(file, "utf8")).errors, file).toEqual([]);
  }
});
