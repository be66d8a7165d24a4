#!/usr/bin/env node
// The `nodal` command for whatever Node is at hand (18 or later): goes over to the Node 26 that npm installed beside
// it. The commands are in src/cli.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
// By name, enableCompileCache would stop an older Node before it gets to hand over.
import module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NEEDED_MAJOR = 26;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/** The path of the Node that the package `node` brought, wherever npm put that package. */
function findNode() {
  try {
    const path = join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin", "node");
    if (existsSync(path)) return path;
  } catch {
    // Not installed: the same remedy as an incomplete installation.
  }
  console.error(`nodal: Node ${NEEDED_MAJOR} is missing from node_modules: run \`npm ci\` in Nodal's folder.`);
  process.exit(1);
}

/**
 * Runs this file again under the right Node, and ends as that process ends. It gets a process group of its own, so that a
 * signal to our group (Ctrl-C) does not reach it twice: once from the terminal and once from us.
 */
function startChild() {
  const child = spawn(findNode(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    detached: true,
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`nodal: could not start Node ${NEEDED_MAJOR}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** A parent that is killed outright can forward nothing: the closed channel tells us, and we end the same way. */
function endWithParent() {
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.channel?.unref();
}

if (Number.parseInt(process.versions.node, 10) < NEEDED_MAJOR) {
  startChild();
} else {
  if (process.connected) endWithParent();
  // What was compiled once is kept: half of a command's time is compiling. In a folder that nobody else may write to.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/nodal", import.meta.url)));
  const { loadProgram } = await import("../src/program.ts");
  const { runCommand } = await loadProgram("nodal");
  await runCommand(process.argv.slice(2));
}
