// Programs that tests need and npm does not have: on Debian as root they are installed from the distribution.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

export type Needed = {
  /** What it is called in sentences. */
  readonly name: string;
  readonly packages: readonly string[];
  /** What to do where it can't be installed from here. */
  readonly remedy: string;
  readonly find: () => string | null;
};

/** Installs the packages where the program is missing; ends the process with the remedy where that can't be. */
export function bring({ name, packages, remedy, find }: Needed): void {
  if (find() !== null) return;
  const canInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (!canInstall) fail(remedy);
  console.log(`The tests need ${name}, which is missing: installing the package of this distribution with apt-get.`);
  run(remedy, "apt-get", "update", "-q");
  run(remedy, "apt-get", "install", "-y", "-q", "--no-install-recommends", ...packages);
  if (find() === null) fail(remedy);
}

function run(remedy: string, command: string, ...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync(command, args, { stdio: "inherit", env });
  if (status !== 0) fail(`${command} ${args.join(" ")} ended with ${status}. ${remedy}`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
