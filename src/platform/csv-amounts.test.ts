// Amounts that were cut at unquoted commas in files that people fill in, and correct files that only look so.
import { describe, expect, test } from "vitest";
import { readCsvTable } from "./csv-table.ts";

const COLUMNS = [
  "name",
  "account_number",
  "ifsc",
  "description",
  "gst",
  "total_amount",
  "amount",
  "narrative",
  "reference_id",
];

async function notesOf(...lines: string[]): Promise<{ refused: string[]; doubts: string[] }> {
  const { misshapen, doubts } = await readCsvTable(new TextEncoder().encode(`${lines.join("\n")}\n`), {
    items: "payouts",
    maxRows: 100,
    columns: COLUMNS.map((name) => [name, name] as const),
    required: [],
    key: "test",
  });
  const [refused, doubted] = [misshapen, doubts].map((notes) =>
    notes.map(({ record, field, problem }) => `${record.line} ${field} ${problem}`.slice(0, 60)),
  );
  return { refused: refused!, doubts: doubted! };
}

const SOUND = { refused: [], doubts: [] };
const refused = (...begins: string[]) => ({
  refused: begins.map((begin) => expect.stringContaining(begin) as string),
  doubts: [],
});
const doubted = (...begins: string[]) => ({
  refused: [],
  doubts: begins.map((begin) => expect.stringContaining(begin) as string),
});

describe("an amount with zeros at its beginning", () => {
  test.each(["000.50", "050.00", "00.50", "007", "₹ 050.00"])("is refused: %s", async (amount) => {
    expect(await notesOf("name,narrative,amount", `Asha Rao,5,${amount}`)).toEqual(
      refused(`2 amount ${amount} begins with zeros, like the rest`),
    );
  });

  test.each(["0.50", "0", "500.00", "1000000.00"])("is not, where it needs them or has none: %s", async (amount) => {
    expect(await notesOf("name,narrative,amount", `Asha Rao,Salary,${amount}`)).toEqual(SOUND);
  });

  test("and a rate like that are refused", async () => {
    expect(await notesOf("name,total_amount,gst", "Asha,1,018")).toEqual(refused("2 gst 018 begins with zeros"));
    expect(await notesOf("name,total_amount,gst", "Asha,1000.00,05")).toEqual(SOUND);
  });
});

describe("an amount without paise that may be cut", () => {
  const HEAD = "name,amount,reference_id,narrative";

  test("is doubted where nothing else tells", async () => {
    expect(await notesOf(HEAD, "Asha,1,590")).toEqual(
      doubted("2 amount 1 followed by 590: was this 1,590? Put amounts"),
    );
    expect(await notesOf(HEAD, "Asha,12,34,567")).toEqual(
      doubted("2 amount 12 followed by 34,567: was this 12,34,567?"),
    );
    expect(await notesOf(HEAD, "Asha,1,590,", "Uma,750,101,")).toEqual(
      doubted("2 amount 1 followed by 590", "3 amount 750 followed by 101"),
    );
  });

  test("is refused where other rows have references of another form, or one cell less", async () => {
    expect(await notesOf(HEAD, "Asha,2,500,Salary", "Ravi,3500,r-2,Salary")).toEqual(
      refused("2 amount 2 followed by 500"),
    );
    expect(await notesOf(HEAD, "Asha,3500", "Ravi,1,590")).toEqual(refused("3 amount 1 followed by 590"));
    expect(await notesOf("name,amount,reference_id", "Asha,1,590,")).toEqual(refused("2 amount 1 followed by 590"));
  });

  test.each([
    ["paise", "Asha,1.00,590"],
    ["quotation marks", 'Asha,"1,590",r-1'],
    ["a longer number", "Asha,500,1001"],
    ["a reference with letters", "Asha,500,r-1"],
    ["no grouping", "Asha,1000,590"],
  ])("is neither with %s", async (_, line) => {
    expect(await notesOf(HEAD, line)).toEqual(SOUND);
  });

  test("is neither in a file with tabs or semicolons", async () => {
    for (const separator of ["\t", ";"])
      expect(await notesOf(...[HEAD, "Asha,1,590,x"].map((line) => line.replaceAll(",", separator)))).toEqual(SOUND);
  });
});

describe("an amount that may be the rest of the cell before it", () => {
  test("is doubted, unless that column has numbers", async () => {
    expect(await notesOf("reference_id,amount", "1,500.00")).toEqual(
      doubted("2 amount 500.00 after 1: was this 1,500.00?"),
    );
    expect(await notesOf("narrative,amount", "5,590.50", "Salary,200.00")).toEqual(doubted("2 amount 590.50 after 5"));
    expect(await notesOf("reference_id,amount", "1,500.00", "2,600.00", "3,7000.00")).toEqual(SOUND);
    expect(await notesOf("reference_id,amount", "1,500.00", "2,7000.00")).toEqual(SOUND);
  });

  const HEAD = "name,description,gst,total_amount";
  test("is refused behind a rate that there is not", async () => {
    expect(await notesOf(HEAD, "I,18,2,500.00")).toEqual(refused("2 total_amount 500.00 after 2: was this 2,500.00?"));
    expect(await notesOf("name,total_amount,gst", "I,1,180")).toEqual(refused("2 total_amount 1 followed by 180"));
  });

  test("is doubted behind a rate that is rare, or behind one that has another before it", async () => {
    expect(await notesOf(HEAD, "I,18,1,500.00")).toEqual(doubted("2 total_amount 500.00 after 1"));
    expect(await notesOf(HEAD, "I,18,18,500.00")).toEqual(doubted("2 total_amount 500.00 after 18"));
    expect(await notesOf(HEAD, "I,Work,1,500.00")).toEqual(doubted("2 total_amount 500.00 after 1"));
  });

  test.each([
    ["a usual rate", "I,Work,18,500.00"],
    ["a longer amount", "I,Ring,3,45000.00"],
    ["no rate", "I,Work,,500.00"],
  ])("is neither behind %s", async (_, line) => {
    expect(await notesOf(HEAD, line)).toEqual(SOUND);
  });
});

test("a row of totals is named as one", async () => {
  const sound = "Asha,500.00,r-1";
  const HEAD = "name,amount,reference_id";
  for (const total of ["Total,500.00,", "Grand Total:,500.00,", ",500.00,TOTAL"])
    expect(await notesOf(HEAD, sound, total)).toEqual(refused("3  is a total: remove it from the file."));
  expect(await notesOf(HEAD, sound, "Total Fitness,500.00,r-2")).toEqual(SOUND);
  expect(await notesOf(HEAD, sound, "Total,500.00,r-2")).toEqual(SOUND);
});

test("an empty cell too many is accepted where each line has one", async () => {
  expect(await notesOf("name,amount,reference_id", "Asha,590.00,r-1,")).toEqual(SOUND);
  expect(await notesOf("name,amount,reference_id", "Asha,590.00,r-1,", "Uma,1,590.00,")).toEqual(
    refused("3  has an amount split into several cells"),
  );
  expect(await notesOf("name,amount,reference_id", "Asha,590.00,r-1,", "Uma,591.00,r-2")).toEqual(
    refused("2  has 4 cells under 3 headings"),
  );
});

test.each([
  ["refrence_id", "reference_id"],
  ["Reference", "reference_id"],
  ["Narration", "narrative"],
  ["Account No", "account_number"],
  ["names", "name"],
])("the heading %s is refused with the known one", async (heading, meant) => {
  await expect(notesOf(`amount,${heading}`, "590.00,x")).rejects.toThrow(
    `The column ${heading} is unknown. Did you mean ${meant}? Rename the column, or remove it.`,
  );
});

test("other unknown headings are ignored, and so are those whose column is there", async () => {
  expect(await notesOf("amount,reference_id,reference,branch,status", "590.00,r-1,x,y,z")).toEqual(SOUND);
});
