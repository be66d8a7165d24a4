// Chromium for the browser tests: `npm run test:all` runs this before them. On Debian as root it installs the distribution's package.
// What belongs here: finding a browser and, where there is none, installing it or saying how to.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { CHROMIUM_REMEDY, findChromium } from "../test/support/chromium.ts";

if (findChromium() === null) {
  const canInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (!canInstall) fail(CHROMIUM_REMEDY);
  console.log(
    "The browser tests need Chromium, which is missing: installing the package of this distribution with apt-get.",
  );
  run("apt-get", "update", "-q");
  run("apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium-headless-shell", "fonts-liberation");
  if (findChromium() === null) fail(CHROMIUM_REMEDY);
}

function run(command: string, ...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync(command, args, { stdio: "inherit", env });
  if (status !== 0) fail(`${command} ${args.join(" ")} ended with ${status}. ${CHROMIUM_REMEDY}`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
