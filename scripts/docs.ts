// The lists in docs/commands.md, docs/settings.md and docs/design.md, made from the code. `npm run generate:docs` writes them; with
// `--check` (`npm run check`) the pages are compared with what would be written.
import type { EventEmitter } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { Command, Help } from "commander";
import { createProgram } from "../src/cli/nodal.ts";
import { SETTINGS } from "../src/platform/config.ts";
import { formatPaise } from "../src/platform/money.ts";
import * as tokens from "../web/src/app/tokens.ts";

const BEGIN = "<!-- From here on generated: npm run generate:docs -->";
const DOCS = new URL("../docs/", import.meta.url);

/** A cell or a line of text: pages in docs/ become links, and a placeholder such as <id> is not read as HTML. */
function prose(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll(/`[^`]*`|</g, (found) => (found === "<" ? "&lt;" : found))
    .replaceAll(/docs\/([\w/-]+\.md)(#[\w-]+)?/g, (_all, page: string, anchor = "") => `[${page}](${page}${anchor})`);
}

function sentence(text: string): string {
  const end = /[.!?]$/.test(text) ? "" : ".";
  return prose(text.charAt(0).toUpperCase() + text.slice(1) + end);
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function visibleCommands(help: Help, command: Command): Command[] {
  return help.visibleCommands(command).filter((each) => each.name() !== "help");
}

/** What follows the options in `--help`: notes and an example. */
function textAfterHelp(command: Command): string {
  let text = "";
  const emitter = command as Command & Pick<EventEmitter, "emit">;
  emitter.emit("afterHelp", { error: false, command, write: (written: string) => (text += written) });
  return text.trim();
}

function optionsOf(help: Help, command: Command): string[] {
  const options = help.visibleOptions(command).filter(({ long }) => long !== "--help");
  if (options.length === 0) return [];
  const rows = options.map((option) => `| \`${help.optionTerm(option)}\` | ${prose(help.optionDescription(option))} |`);
  return [["| Option | |", "|---|---|", ...rows].join("\n")];
}

function describeCommand(help: Help, command: Command): string[] {
  const after = textAfterHelp(command);
  return [
    `### ${pathOf(command)}`,
    sentence(command.description()),
    ...optionsOf(help, command),
    ...(after === "" ? [] : [`\`\`\`text\n${after}\n\`\`\``]),
  ];
}

/** Every command with its options, a section for each top-level command. */
function listCommands(program: Command): string[] {
  const help = program.createHelp();
  return visibleCommands(help, program).flatMap((command) => {
    const subcommands = visibleCommands(help, command);
    if (subcommands.length === 0) return describeCommand(help, command).with(0, `## ${command.name()}`);
    const described = subcommands.flatMap((each) => describeCommand(help, each));
    return [`## ${command.name()}`, sentence(command.description()), ...described];
  });
}

/** Every setting with its default, in the order of the code. */
function listSettings(): string[] {
  const rows = Object.entries(SETTINGS).map(([name, { fallback, meaning }]) => {
    // A list that is not set is empty, and what is not set at all is null.
    const shown = typeof fallback === "bigint" ? formatPaise(fallback) : typeof fallback === "object" ? "" : fallback;
    return `| \`${name}\` | ${shown === "" ? "" : `\`${shown}\``} | ${prose(meaning)} |`;
  });
  return [["| Variable | Default | Meaning |", "|---|---|---|", ...rows].join("\n")];
}

/** The tokens of the dashboard's look, a table for each kind. Colours have a value in the light and one in the dark. */
function listTokens(): string[] {
  const { COLOUR, ...others } = tokens;
  const colours = Object.entries(COLOUR).map(([name, [light, dark]]) => `| \`${name}\` | \`${light}\` | \`${dark}\` |`);
  return [
    "## Colours",
    ["| Token | Light | Dark |", "|---|---|---|", ...colours].join("\n"),
    ...Object.entries(others).flatMap(([kind, values]) => {
      const named = typeof values === "string" ? { value: values } : values;
      const rows = Object.entries(named).map(([name, value]) => `| \`${name}\` | \`${value}\` |`);
      return [
        `## ${kind.charAt(0)}${kind.slice(1).toLowerCase().replaceAll("_", " ")}`,
        ["| Token | Value |", "|---|---|", ...rows].join("\n"),
      ];
    }),
  ];
}

const lists = {
  "commands.md": listCommands(createProgram()),
  "settings.md": listSettings(),
  "design.md": listTokens(),
};
const isCheck = process.argv.includes("--check");
for (const [name, list] of Object.entries(lists)) {
  const file = new URL(name, DOCS);
  const page = await readFile(file, "utf8");
  const [introduction] = page.split(BEGIN, 1);
  const made = `${introduction}${[BEGIN, ...list].join("\n\n")}\n`;
  if (!isCheck) await writeFile(file, made);
  else if (page !== made) {
    console.log(`docs/${name} does not match the code: run \`npm run generate:docs\`.`);
    process.exitCode = 1;
  }
}
