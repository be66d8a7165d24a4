// What a server and the process that reads a statement for it say to each other.
import type { ErrorCode, FieldError } from "../../platform/errors.ts";
import type { ReadLine, ReadOptions, ReadStatement } from "./statement.ts";

/** What the process is asked first. */
export type ReadRequest = { readonly bytes: Uint8Array; readonly options: ReadOptions };
/** What it is asked then, until it has said all lines. */
export const MORE = "more";

/** A line as it can be handed over: days can't. */
export type PlainLine = Omit<ReadLine, "bookedOn"> & { readonly bookedOn: string };

/** First what the file is, or why it is refused; then, each time that it is asked, some lines. */
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
  /** A fault of ours: its stack. */
  | { readonly failed: string };
