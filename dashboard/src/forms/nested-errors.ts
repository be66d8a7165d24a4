// The server's errors about fields inside others, as a form knows them: `invoice[0].particular_rows[1].gst` is
// `particular_rows.1.gst`. What belongs here: names and sentences of such errors.
import { ApiError } from "../api/client.ts";
import { parts } from "../strings/shell.ts";

/** A field's path as a form has it, without what the whole request puts before it. */
export function formPath(path: string): string {
  return path.replace(/^invoice(\[\d+\])?\./, "").replaceAll(/\[(\d+)\]/g, ".$1");
}

/** The sentence without the path at its beginning, which stands at the field anyway. */
export function plainSentence(path: string, message: string): string {
  const rest = message.startsWith(path) ? message.slice(path.length).replace(/^[:\s]+/, "") : message;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Sends something, and tells of what is wrong with its fields by their names in the form. */
export async function namingFields<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const errors = Object.entries(error.fields).map(([path, message]) => ({
      field: formPath(path),
      message: plainSentence(path, message),
    }));
    const request = error.requestId === null ? {} : { request_id: error.requestId };
    // The server's own sentence names the fields by their paths.
    const sentence = error.code === "validation_failed" ? parts.correctFields : error.message;
    throw new ApiError(error.status, { error: sentence, code: error.code, errors, ...request });
  }
}

/** For the refusal of a form that was saved before: the answer was lost, and something was typed since. */
export function explainKey(sentence: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof ApiError && error.code === "idempotency_conflict") {
      throw new ApiError(error.status, { error: sentence, code: error.code });
    }
    throw error;
  };
}
