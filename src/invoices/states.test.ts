// The states of India by GSTIN and by address: each code of the GST, other names of states, and who is of no state.
import { expect, test } from "vitest";
import { stateOf } from "./states.ts";

/** As the GST's own list of codes has them. */
const STATES = `
  01 Jammu and Kashmir; 02 Himachal Pradesh; 03 Punjab; 04 Chandigarh; 05 Uttarakhand; 06 Haryana; 07 Delhi;
  08 Rajasthan; 09 Uttar Pradesh; 10 Bihar; 11 Sikkim; 12 Arunachal Pradesh; 13 Nagaland; 14 Manipur; 15 Mizoram;
  16 Tripura; 17 Meghalaya; 18 Assam; 19 West Bengal; 20 Jharkhand; 21 Odisha; 22 Chhattisgarh; 23 Madhya Pradesh;
  24 Gujarat; 26 Dadra and Nagar Haveli and Daman and Diu; 27 Maharashtra; 29 Karnataka; 30 Goa; 31 Lakshadweep;
  32 Kerala; 33 Tamil Nadu; 34 Puducherry; 35 Andaman and Nicobar Islands; 36 Telangana; 37 Andhra Pradesh;
  38 Ladakh; 97 Other Territory; 99 Centre Jurisdiction`
  .split(";")
  .map((entry) => ({ code: entry.trim().slice(0, 2), name: entry.trim().slice(3) }));

test.each(STATES)("$code is $name, in a GSTIN and in an address, by name and by code", ({ code, name }) => {
  const state = { code, name };
  expect(stateOf(`${code}AAACI1234K1Z5`, "")).toEqual(state);
  expect(stateOf("", name)).toEqual(state);
  expect(stateOf("", ` ${name.toUpperCase().replaceAll(" ", "")}. `)).toEqual(state);
  expect(stateOf("", ` ${code} `)).toEqual(state);
});

test.each([
  ["J&K", "01"],
  ["Jammu & Kashmir", "01"],
  ["Uttaranchal", "05"],
  ["New Delhi", "07"],
  ["NCT of Delhi", "07"],
  ["UP", "09"],
  ["Orissa", "21"],
  ["MP", "23"],
  ["Dadra and Nagar Haveli", "26"],
  ["Daman and Diu", "26"],
  ["TN", "33"],
  ["Pondicherry", "34"],
  ["Andaman and Nicobar", "35"],
  ["AP", "37"],
])("%s is a name of %s", (name, code) => expect(stateOf("", name)?.code).toBe(code));

test.each([
  ["25", { code: "26", name: "Dadra and Nagar Haveli and Daman and Diu" }],
  ["28", { code: "37", name: "Andhra Pradesh" }],
])("the former code %s stands for a state of today", (code, state) => {
  expect(stateOf(`${code}AAACI1234K1Z5`, "Goa")).toEqual(state);
  expect(stateOf("", code)).toEqual(state);
});

test("a GSTIN goes before the address, where it names a state", () => {
  expect(stateOf("29AAACI1234K1Z5", "Goa")!.code).toBe("29");
  expect(stateOf("50AAACI1234K1Z5", "Goa")!.code).toBe("30");
  expect(stateOf("X29AACI1234K1Z5", "Goa")!.code).toBe("30");
});

test.each([
  ["", ""],
  ["", "Atlantis"],
  ["", "constructor"],
  ["", "290"],
  ["", "129"],
  ["", "50"],
  ["2", "2"],
  ["2A", ""],
  ["50AAACI1234K1Z5", ""],
])("GSTIN %j and state %j say nothing", (gstin, state) => expect(stateOf(gstin, state)).toBeNull());
