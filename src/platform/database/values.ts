// Parsers of PostgreSQL's values: bigint, timestamptz and date.
import pg from "pg";

const { types } = pg;
const BIGINT = 20;
const BIGINT_ARRAY = 1016;
const DATE = 1082;
const TIMESTAMPTZ = 1184;

/** PostgreSQL prints `2026-11-21 09:12:33.123+00`; Temporal reads that with the hour offset written out. */
function parseInstant(text: string): Temporal.Instant {
  return Temporal.Instant.from(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
}

const parsers = new Map<number, (text: string) => unknown>([
  [BIGINT, BigInt],
  [
    BIGINT_ARRAY,
    (text) =>
      text === "{}"
        ? []
        : text
            .slice(1, -1)
            .split(",")
            .map((item) => (item === "NULL" ? null : BigInt(item))),
  ],
  [DATE, (text) => Temporal.PlainDate.from(text)],
  [TIMESTAMPTZ, parseInstant],
]);

/** The value parsers of every connection. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers.get(id)) || types.getTypeParser(id, format),
};
