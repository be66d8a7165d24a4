// The command `nodal`: every subcommand in one place, and how the process ends.
// What belongs here: the list. A subcommand's options and work are in the file of its name.
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { NodalError } from "../platform/errors.ts";
import { registerApproval } from "./approval.ts";
import { registerAudit } from "./audit.ts";
import { registerBackup } from "./backup.ts";
import { Interruption } from "./command.ts";
import { ignoreClosedPipes } from "./closed-pipes.ts";
import { registerClock } from "./clock.ts";
import { registerCreditNote } from "./credit-note.ts";
import { registerCustomer } from "./customer.ts";
import { registerDatabase } from "./database.ts";
import { registerEvent } from "./event.ts";
import { describeFailure } from "./failure.ts";
import { registerFranchise } from "./franchise.ts";
import { registerFund } from "./fund.ts";
import { registerInvoice } from "./invoice.ts";
import { registerJobs } from "./jobs.ts";
import { registerKey } from "./key.ts";
import { registerMail } from "./mail.ts";
import { registerMerchant } from "./merchant.ts";
import { registerMigrate } from "./migrate.ts";
import { registerPolicy } from "./policy.ts";
import { registerReminder } from "./reminder.ts";
import { registerRestore } from "./restore.ts";
import { registerSeed } from "./seed.ts";
import { registerSimulator } from "./simulator.ts";
import { registerStart } from "./start.ts";
import { registerStatement } from "./statement.ts";
import { registerSubscription } from "./subscription.ts";
import { registerTemplate } from "./template.ts";
import { registerOperator, registerUser } from "./user.ts";
import { registerVerify } from "./verify.ts";
import { registerWebhook } from "./webhook.ts";

/** The command was refused or failed. */
const FAILED = 1;
/** The command was not understood: unknown commands and options, values of the wrong form. */
const MISUSED = 2;

/** The whole command line. */
export function createProgram(): Command {
  // What is set before the subcommands are added holds for them too.
  const program = new Command("nodal")
    .description("Nodal: merchant billing and payouts. Works on DATABASE_URL, or on the database in DATA_DIR.")
    .version(readVersion())
    .option("--json", "print one JSON value and nothing else")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "nodal: ")) })
    .exitOverride();
  registerStart(program);
  registerMigrate(program);
  registerDatabase(program);
  registerCustomer(program);
  registerFranchise(program);
  registerMerchant(program);
  registerKey(program);
  registerUser(program);
  registerOperator(program);
  registerJobs(program);
  registerTemplate(program);
  registerInvoice(program);
  registerCreditNote(program);
  registerSubscription(program);
  registerClock(program);
  registerMail(program);
  registerReminder(program);
  registerPolicy(program);
  registerApproval(program);
  registerFund(program);
  registerStatement(program);
  registerVerify(program);
  registerEvent(program);
  registerAudit(program);
  registerWebhook(program);
  registerSimulator(program);
  registerBackup(program);
  registerRestore(program);
  registerSeed(program);
  return program;
}

function readVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** Runs the command of these arguments and sets the exit code. What it says goes to standard output and error. */
export async function runCommand(args: readonly string[]): Promise<void> {
  ignoreClosedPipes();
  try {
    await createProgram().parseAsync(args, { from: "user" });
  } catch (error) {
    // Commander has printed its own message already.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : MISUSED;
      return;
    }
    if (error instanceof Interruption) {
      console.error(`nodal: ${error.message}`);
      // The statement that was interrupted would keep the process alive.
      process.exit(error.exitCode);
    }
    console.error(`nodal: ${describeFailure(error)}`);
    process.exitCode = error instanceof NodalError && error.code === "validation_failed" ? MISUSED : FAILED;
  }
}
