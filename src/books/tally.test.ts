// The file for Tally, read back by Tally's documented rules: balance, signs, references, and escaping.
import { expect, test } from "vitest";
import { tallyMasters, tallyVouchers, type TallyLedger, type TallyVoucher } from "./tally.ts";

const SALE: TallyVoucher = {
  remoteId: "nodal-7-invoice-1000029",
  type: "Sales",
  date: Temporal.PlainDate.from("2026-06-01"),
  number: "INV-2627-00001",
  reference: "",
  narration: 'Work <on site> & "more"',
  partyGstin: "29AABCB5678P1ZV",
  placeOfSupply: "Karnataka",
  party: {
    ledger: "आशा ट्रेडर्स (ASHA)",
    debitPaise: 1_180_00n,
    bill: { name: "INV-2627-00001", type: "New Ref" },
  },
  lines: [
    { ledger: "Sales 18% Intra", debitPaise: -1_000_00n },
    { ledger: "Output CGST", debitPaise: -90_00n },
    { ledger: "Output SGST", debitPaise: -90_00n },
  ],
};
const RECEIPT: TallyVoucher = {
  ...SALE,
  remoteId: "nodal-7-payment-1000031",
  type: "Receipt",
  reference: "UTR77",
  party: { ...SALE.party, debitPaise: -1_180_00n, bill: { name: "INV-2627-00001", type: "Agst Ref" } },
  lines: [
    { ledger: "Bank", debitPaise: 1_080_00n },
    { ledger: "TDS receivable", debitPaise: 100_00n },
  ],
};

async function* each<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows;
}

async function join(pieces: AsyncIterable<string>): Promise<string> {
  return (await Array.fromAsync(pieces)).join("");
}

const vouchersOf = (company: string, rows: readonly TallyVoucher[]) => join(tallyVouchers(company, each(rows)));
const mastersOf = (company: string, rows: readonly TallyLedger[]) => join(tallyMasters(company, each(rows)));

/** The content of each of these tags, with its entities decoded. */
function read(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name.replace(".", "\\.")}(?: [^>]*)?>(.*?)</${name.replace(".", "\\.")}>`, "gs");
  return [...xml.matchAll(pattern)].map(([, inside]) => inside!);
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const plain = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|(\w+));/g, (_, point: string | undefined, name: string) =>
    point === undefined ? NAMED[name]! : String.fromCodePoint(Number(point)),
  );

test("each voucher balances: debits are Yes and below 0, credits No and above, the party's line comes first", async () => {
  const xml = await vouchersOf("Asha Traders", [SALE, RECEIPT]);
  const vouchers = read(xml, "VOUCHER");
  expect(vouchers).toHaveLength(2);
  for (const [place, list] of [
    [0, "LEDGERENTRIES.LIST"],
    [1, "ALLLEDGERENTRIES.LIST"],
  ] as const) {
    const lines = read(vouchers[place]!, list).map((line) => ({
      paise: BigInt(read(line, "AMOUNT")[0]!.replace(".", "")),
      isDebit: read(line, "ISDEEMEDPOSITIVE")[0] === "Yes",
      isParty: read(line, "ISPARTYLEDGER")[0] === "Yes",
    }));
    expect(lines.reduce((sum, { paise }) => sum + paise, 0n)).toBe(0n);
    for (const { paise, isDebit } of lines) expect(isDebit).toBe(paise < 0n);
    expect(lines.map(({ isParty }) => isParty)).toEqual([true, ...lines.slice(1).map(() => false)]);
  }
  const bill = (voucher: string): string => read(voucher, "BILLALLOCATIONS.LIST")[0]!;
  expect([read(bill(vouchers[0]!), "BILLTYPE"), read(bill(vouchers[1]!), "BILLTYPE")]).toEqual([
    ["New Ref"],
    ["Agst Ref"],
  ]);
  expect(read(bill(vouchers[1]!), "NAME")).toEqual(["INV-2627-00001"]);
});

test("a voucher has one name in every export, and the number as reference where there is none", async () => {
  const xml = await vouchersOf("Asha Traders", [SALE]);
  expect(xml).toContain('REMOTEID="nodal-7-invoice-1000029"');
  expect(read(xml, "GUID")).toEqual(["nodal-7-invoice-1000029"]);
  expect(read(xml, "REFERENCE")).toEqual(["INV-2627-00001"]);
  expect(read(xml, "DATE")).toEqual(["20260601"]);
  expect(await vouchersOf("Asha Traders", [SALE])).toBe(xml);
});

test("names and texts come back as they were, in ASCII", async () => {
  const xml = await vouchersOf("Asha & Söhne", [SALE]);
  expect(/^[\n\x20-\x7e]*$/.test(xml)).toBe(true);
  expect(plain(read(xml, "SVCURRENTCOMPANY")[0]!)).toBe("Asha & Söhne");
  expect(plain(read(xml, "PARTYNAME")[0]!)).toBe("आशा ट्रेडर्स (ASHA)");
  expect(plain(read(xml, "NARRATION")[0]!)).toBe('Work <on site> & "more"');
  expect(plain(read(await vouchersOf("A", [{ ...SALE, narration: "one\u0000\ntwo" }]), "NARRATION")[0]!)).toBe(
    "one  two",
  );
});

test("a voucher that does not balance is not written", async () => {
  const broken = { ...SALE, party: { ...SALE.party, debitPaise: 1_180_01n } };
  await expect(vouchersOf("Asha Traders", [broken])).rejects.toThrow(/does not add up/);
});

test("ledgers have their groups, customers their GSTIN, taxes their heads", async () => {
  const xml = await mastersOf("Asha Traders", [
    { name: "Asha (A)", parent: "Sundry Debtors", gstin: "29AABCB5678P1ZV", dutyHead: "" },
    { name: "Output CGST", parent: "Duties & Taxes", gstin: "", dutyHead: "CGST" },
  ]);
  expect(read(xml, "REPORTNAME")).toEqual(["All Masters"]);
  expect(read(xml, "PARENT").map(plain)).toEqual(["Sundry Debtors", "Duties & Taxes"]);
  expect(read(xml, "ISBILLWISEON")).toEqual(["Yes"]);
  expect(read(xml, "PARTYGSTIN")).toEqual(["29AABCB5678P1ZV"]);
  expect(read(xml, "GSTDUTYHEAD")).toEqual(["CGST"]);
});
