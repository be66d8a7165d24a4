// The command `nodal`: all subcommands, and the exit of the process. Each subcommand is in the file of its name.
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { ConfigError } from "../platform/config.ts";
import { NodalError } from "../platform/errors.ts";
import { SETTINGS_FILE, WELL_KNOWN_FILE } from "../platform/settings-file.ts";
import { approvalCommands } from "./approval.ts";
import { auditCommands } from "./audit.ts";
import { backup, restore } from "./backup.ts";
import { beneficiaryCommands } from "./beneficiary.ts";
import { clockCommands } from "./clock.ts";
import type { Addable } from "./command.ts";
import { creditNoteCommands } from "./credit-note.ts";
import { debitNoteCommands } from "./debit-note.ts";
import { customerCommands } from "./customer.ts";
import { bookCommands } from "./book.ts";
import { tdsCommands } from "./tds.ts";
import { itemCommands } from "./item.ts";
import { database, migrate } from "./database.ts";
import { doctor } from "./doctor.ts";
import { eventCommands } from "./event.ts";
import { failureObject, printFailure } from "./failure.ts";
import { franchiseCommands } from "./franchise.ts";
import { fund } from "./fund.ts";
import { invoiceCommands } from "./invoice.ts";
import { jobs } from "./jobs.ts";
import { keyCommands } from "./key.ts";
import { mailCommands } from "./mail.ts";
import { merchantCommands } from "./merchant.ts";
import { Interruption, setPrintsDatabase } from "./on-database.ts";
import { ignoreClosedPipes } from "./output.ts";
import { policyCommands } from "./policy.ts";
import { providerCommands } from "./provider.ts";
import { rebalance } from "./rebalance.ts";
import { reconcileCommands } from "./reconcile.ts";
import { receiptCommands } from "./receipt.ts";
import { reminderCommands } from "./reminder.ts";
import { seed } from "./seed.ts";
import { simulatorCommands } from "./simulator.ts";
import { start } from "./start.ts";
import { statement } from "./statement.ts";
import { subscriptionCommands } from "./subscription.ts";
import { templateCommands } from "./template.ts";
import { transferCommands } from "./transfer.ts";
import { operatorCommands, userCommands } from "./user.ts";
import { verify } from "./verify.ts";
import { webhookCommands } from "./webhook.ts";

/** Every subcommand, in the order of the help. */
const COMMANDS: Readonly<Record<string, Addable>> = {
  start,
  migrate,
  doctor,
  database,
  rebalance,
  beneficiary: beneficiaryCommands,
  customer: customerCommands,
  item: itemCommands,
  book: bookCommands,
  tds: tdsCommands,
  franchise: franchiseCommands,
  merchant: merchantCommands,
  key: keyCommands,
  user: userCommands,
  operator: operatorCommands,
  jobs,
  template: templateCommands,
  invoice: invoiceCommands,
  receipt: receiptCommands,
  "credit-note": creditNoteCommands,
  "debit-note": debitNoteCommands,
  subscription: subscriptionCommands,
  clock: clockCommands,
  mail: mailCommands,
  reminder: reminderCommands,
  policy: policyCommands,
  provider: providerCommands,
  approval: approvalCommands,
  fund,
  transfer: transferCommands,
  statement,
  reconcile: reconcileCommands,
  verify,
  event: eventCommands,
  audit: auditCommands,
  webhook: webhookCommands,
  simulator: simulatorCommands,
  backup,
  restore,
  seed,
};

/** Read-only commands of groups, by their last word. They need not print which database they use. */
const READING = new Set(
  "list show preview pdf advice attempts batch batches scheduled accounts report book listen".split(" "),
);
/** The same for commands without a group. */
const READING_ALONE = new Set(["doctor", "database", "jobs", "statement", "verify"]);

/** Does a command write to its database? */
export function isWriting(command: Command): boolean {
  return !(command.parent?.parent ? READING : READING_ALONE).has(command.name());
}

/** The command was refused or failed. */
const FAILED = 1;
/** The command was not understood: unknown commands and options, values of the wrong form. */
const MISUSED = 2;

/** The whole command line. With `asJson`, the caller prints usage errors. */
export function createProgram(asJson = false): Command {
  // Settings made before adding subcommands apply to them too.
  const program = new Command("nodal")
    .description("Nodal: merchant billing and payouts. Works on DATABASE_URL, or on the database in DATA_DIR.")
    .version(readVersion())
    .option("--json", "print JSON only; errors too, on standard error")
    .option("--settings <file>", `the settings file, instead of ${SETTINGS_FILE} or ${WELL_KNOWN_FILE}`)
    .hook("preAction", (_program, command) => {
      const { settings, json } = command.optsWithGlobals<{ settings?: string; json?: true }>();
      setPrintsDatabase(!json && isWriting(command));
      // An empty variable in a script does not mean that no file is wanted.
      if (settings?.trim() === "") throw new ConfigError("--settings", "must name a file.");
      if (settings !== undefined) process.env[SETTINGS_FILE] = settings;
    })
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(
      asJson
        ? { outputError: () => {}, writeErr: () => {} }
        : { outputError: (text, write) => write(text.replace(/^error: /, "nodal: ")) },
    )
    .exitOverride();
  for (const [name, added] of Object.entries(COMMANDS)) added.addTo(program, name);
  return program;
}

function readVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** Runs the command with these arguments and sets the exit code. It prints to standard output and error. */
export async function runCommand(args: readonly string[]): Promise<void> {
  ignoreClosedPipes();
  const asJson = args.includes("--json");
  try {
    await createProgram(asJson).parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : MISUSED;
      // Commander has already printed its message for people.
      if (asJson && error.exitCode !== 0) printFailure({ error: misuseOf(error), code: "misused" }, asJson);
      return;
    }
    if (error instanceof Interruption) {
      printFailure({ error: error.message, code: "interrupted" }, asJson);
      // The interrupted statement would keep the process alive.
      process.exit(error.exitCode);
    }
    printFailure(failureObject(error), asJson);
    process.exitCode = error instanceof NodalError && error.code === "validation_failed" ? MISUSED : FAILED;
  }
}

/** The usage error. A group without a command only shows its help. */
function misuseOf({ code, message }: CommanderError): string {
  return code === "commander.help" ? "No command given: see --help." : message.replace(/^error: /, "");
}
