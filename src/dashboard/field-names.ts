// Refusals of use cases that commands share with the dashboard: they name the command's options, which pages don't have.
// What belongs here: renaming. What is refused, and why, is the use case's.
import { NodalError, validationError } from "../platform/errors.ts";

/** Does the work, and names the fields of its refusals as the page does: `--to` is `to`. */
export async function inPageFields<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NodalError) || !error.errors.some(({ field }) => field.startsWith("--"))) throw error;
    throw validationError(
      error.errors.map(({ field, code, message }) => {
        const name = field.replace(/^--/, "").replaceAll("-", "_");
        return { field: name, code, message: message.replaceAll(field, name) };
      }),
    );
  }
}
