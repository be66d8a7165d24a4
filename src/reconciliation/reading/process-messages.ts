// The messages between a server and its process that reads a statement.
import type { ErrorCode, FieldError } from "../../platform/errors.ts";
import type { ReadLine, ReadOptions, ReadStatement } from "./statement.ts";

/** The first request. */
export type ReadRequest = { readonly bytes: Uint8Array; readonly options: ReadOptions };
/** The following requests, until all lines were sent. */
export const MORE = "more";

/** A line as a message can carry it: its day is text, since dates can't be cloned. */
export type PlainLine = Omit<ReadLine, "bookedOn"> & { readonly bookedOn: string };

/** First the file's properties, or why it is refused; then some lines for each request. */
export type ReadReply =
  | { readonly head: Omit<ReadStatement, "lines">; readonly lineCount: number }
  | { readonly lines: readonly PlainLine[] }
  | {
      readonly refused: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly errors: readonly FieldError[];
      };
    }
  /** The stack of an unexpected error. */
  | { readonly failed: string };
