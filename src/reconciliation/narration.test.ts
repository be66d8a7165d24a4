// Finds the payer and invoice numbers in narrations as Indian banks write them and payers fill them in.
import { expect, test } from "vitest";
import { listedBehind, numbersIn } from "./invoice-numbers.ts";
import { modeOf, namesAlike, payerOf } from "./narration.ts";

const PAYERS: readonly (readonly [string, string | null, string])[] = [
  ["NEFT CR-HDFC0000002-ACME LTD-INV 17-HDFCN52026112000000002", "name:ACME LTD", "NEFT"],
  [
    "NEFT CR-ICIC0000001-WIRE TRADERS PRIVATE LIMITED-FUNDS-ICICN52026112000000001",
    "name:WIRE TRADERS PRIVATE LIMITED",
    "NEFT",
  ],
  ["RTGS CR-SBIN0001234-MALNAD MILLS-SBINR52026112000000009", "name:MALNAD MILLS", "RTGS"],
  ["IMPS-632500000042-RAVI KUMAR-SBIN-XXXX1234-PAYOUT", "account:1234:RAVI KUMAR", "IMPS"],
  ["IMPS-632500000043-RAVI KUMAR-SBIN-XXXX9999-INV 5", "account:9999:RAVI KUMAR", "IMPS"],
  ["UPI-ASHA RAO-asha.rao@okhdfcbank-HDFC0000002-632500000044-invoice 7", "upi:ASHA.RAO@OKHDFCBANK", "UPI"],
  ["UPI/632500000045/Payment/9845012345@ybl/Yes Bank", "upi:9845012345@YBL", "UPI"],
  ["MMT/IMPS/632500000046/Invoice payment/MALNAD MILLS", "name:MALNAD MILLS", "IMPS"],
  ["MMT/IMPS/632500000047/PAYMENT/ASHA RAO", "name:ASHA RAO", "IMPS"],
  ["NEFT-SBIN326112000001-MALNAD MILLS-BILL", "name:MALNAD MILLS", "NEFT"],
  ["BY TRANSFER-UPI/CR/632500000048/ASHA RAO/HDFC/asha@okaxis/UPI", "upi:ASHA@OKAXIS", "UPI"],
  ["BY TRANSFER-NEFT*HDFC0000002*HDFCN52026112000000003*ACME LTD--", "name:ACME LTD", "NEFT"],
  ["UPI/P2A/632500000049/ASHA RAO/NOTE/HDFC BANK", "name:ASHA RAO", "UPI"],
  ["IMPS/P2A/632500000050/MALNAD MILLS", "name:MALNAD MILLS", "IMPS"],
  ["UPI/ASHA RAO/632500000051/Invoice", "name:ASHA RAO", "UPI"],
  ["NEFT SBIN326112000002 MALNAD MILLS", "name:MALNAD MILLS", "NEFT"],
  ["CHQ DEP", null, "Cheque"],
  ["CASH DEPOSIT SELF", null, "Cash"],
  ["BY CLG 000123 HDFC BANK", null, "Cheque"],
  ["INTEREST", "name:INTEREST", "Online"],
  ["", null, "Online"],
];

test.each(PAYERS)("%s", (narration, payer, mode) => {
  expect(payerOf(narration)).toBe(payer);
  expect(payerOf(`  ${narration.toLowerCase()} `)).toBe(payer);
  expect(modeOf(narration)).toBe(mode);
});

/** Whether a narration contains this whole invoice number, not as part of another number. */
function names(narration: string, number: string): boolean {
  return numbersIn(narration).some(({ spellings, isPart }) => !isPart && spellings.includes(number));
}

const SEPARATORS = ["", "-", "/", " ", "_", ".", " - ", "#"];
const AROUND = (text: string) => [
  text,
  text.toLowerCase(),
  `NEFT CR-HDFC0000002-ACME LTD-${text}-HDFCN52026112000000002`,
  `UPI/632500000045/${text}/9845012345@ybl/Yes Bank`,
  `being payment of invoice no. ${text}, thanks`,
];
const NAMED = SEPARATORS.flatMap((one) => AROUND(`INV${one}2026${one}17`));

test.each(NAMED)("%s names an invoice", (narration) => {
  const spelled = ["INV-2026-17", "INV/2026/17", "INV202617"];
  // A number without separators has only one spelling.
  const isPlain = /INV202617/i.test(narration);
  for (const number of isPlain ? ["INV202617"] : spelled) expect(names(narration, number)).toBe(true);
  for (const other of ["INV-2026-1", "INV-2026-171", "INV-2026-7", "INV-202", "17"]) {
    expect(names(narration, other) && !/invoice no/.test(narration)).toBe(false);
  }
});

const NOT_NAMED: readonly (readonly [string, string])[] = [
  ["NEFT-ACME-INV-2026-17", "INV-2026"],
  ["CN-2627-00017", "2627-00017"],
  ["CHQ NO 17 ACME", "17"],
  ["UTR NO 632500000045", "632500000045"],
  ["IMPS-632500000042-RAVI KUMAR", "632500000042"],
  ["PAID 1500 ON 20", "1500"],
  ["UPI inv17@okaxis RENT", "INV17"],
  ["INV-2026-170", "INV-2026-17"],
  ["XINV-2026-17", "INV-2026-17"],
  ["", "17"],
];
test.each(NOT_NAMED)("%s does not name %s", (narration, number) => {
  expect(names(narration, number)).toBe(false);
});

test.each([
  ["INVOICE NO 7", "7"],
  ["Bill 00017 paid", "00017"],
  ["inv#17", "17"],
  ["25-26/0001", "25-26/0001"],
  ["INV 17", "INV-17"],
])("%s names %s", (narration, number) => {
  expect(names(narration, number)).toBe(true);
});

test.each([
  ["INV-2627-017, 18 & 19", ["INV-2627-018", "INV-2627-019"]],
  ["INV-2627-017 AND 018 THANKS", ["INV-2627-018"]],
  ["INV-2627-017/18", []],
  ["INV-2627-017, 1234567", []],
])("%s lists further numbers", (narration, listed) => {
  const first = numbersIn(narration).find(({ spellings }) => spellings.includes("INV-2627-017"))!;
  expect(listedBehind(narration, first, "INV-2627-017").flatMap(({ spellings }) => spellings)).toEqual(listed);
});

test("a very long narration is read to a bound", () => {
  const narration = Array.from({ length: 5000 }, (_, place) => `A${place}`).join("-");
  const spelled = numbersIn(narration).reduce((sum, { spellings }) => sum + spellings.length, 0);
  expect(spelled).toBeGreaterThan(100);
  expect(spelled).toBeLessThanOrEqual(4000);
});

test("names are alike by half of their words, cut as banks cut them", () => {
  expect(namesAlike("Malnad Mills Pvt Ltd", "NEFT-X-MALNAD MIL")).toBe(true);
  expect(namesAlike("Malnad Mills Pvt Ltd", "NEFT-X-MALN")).toBe(true);
  expect(namesAlike("Malnad Mills Pvt Ltd", "NEFT-X-WIRE TRADERS PVT LTD")).toBe(false);
  expect(namesAlike("Asha Rao", "UPI-ASHA-x")).toBe(true);
  expect(namesAlike("Pvt Ltd", "PVT LTD")).toBe(false);
  expect(namesAlike("Asha Rao", null)).toBe(false);
});
