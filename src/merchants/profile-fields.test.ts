// The formats of a merchant's registration numbers: accepted, normalised and refused.
import { expect, test } from "vitest";
import { decode } from "../platform/http/field.ts";
import { object } from "../platform/http/fields.ts";
import { profileRecord } from "./profile.ts";

const PROFILE = { name: "Asha Traders", email: "asha@example.com" };

function read(entries: Record<string, string>) {
  return decode(object(profileRecord.fields), { ...PROFILE, ...entries });
}

test.each([
  { entry: { gstin: "33BRSPP2039T1ZU" }, because: "its check digit fails, which is no reason to refuse it" },
  { entry: { pan: "AAACI1234K" } },
  { entry: { time_zone: "Asia/Kolkata" } },
  { entry: { time_zone: "UTC" } },
])("takes $entry", ({ entry }) => {
  expect(read(entry)).toMatchObject(entry);
});

test("folds case and trims", () => {
  expect(read({ gstin: " 33brspp2039t1zu ", pan: "aaaci1234k", ifsc: "hdfc0000001" })).toMatchObject({
    gstin: "33BRSPP2039T1ZU",
    pan: "AAACI1234K",
    ifsc: "HDFC0000001",
  });
});

test("what is not given is null", () => {
  expect(read({ gstin: "", time_zone: " " })).toMatchObject({
    gstin: null,
    time_zone: null,
    pan: null,
    bank_account: null,
  });
});

test.each([
  { gstin: "33BRSPP2039T1Z" },
  { gstin: "3XBRSPP2039T1ZU" },
  { gstin: "33BRSPP2039T0ZU" },
  { pan: "AAACI12345" },
  { pan: "AAACI1234KK" },
  { time_zone: "+05:30" },
  { time_zone: "Asia/Nowhere" },
])("refuses %o", (entry) => {
  expect(() => read(entry)).toThrow(`Correct these fields and send the request again: ${Object.keys(entry)[0]}.`);
});
