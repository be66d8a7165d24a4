// A list of members defines fields of requests, columns, records, answers and files.
import { expect, test } from "vitest";
import { NodalError } from "../errors.ts";
import { memberTexts, type Member } from "../member.ts";
import { mask } from "../secrets/index.ts";
import { decode } from "./field.ts";
import { object } from "./fields.ts";
import { RecordList } from "./record.ts";

const MEMBERS = [
  { name: "shop_name", property: "name", kind: "text", maxLength: 10, isRequired: true },
  { name: "pan_number", kind: "pan", isSealed: true },
  { name: "handle", kind: "upi", column: "upi", answer: "upi_handle", isNullable: true },
] as const satisfies readonly Member[];
const shops = new RecordList(MEMBERS);
const masked = (): string => "masked";

test("a request makes a record, in which what is not sent is empty or null", () => {
  const sent = decode(object(shops.fields), { shop_name: " Tea ", pan_number: "aaaci1234k" });
  const shop = shops.read(sent);
  expect(shop).toEqual({ name: "Tea", panNumber: "AAACI1234K", handle: null });
  expect(shops.blank).toEqual({ name: "", panNumber: "", handle: null });
});

test("a request is refused by the name of each member that is wrong", () => {
  const send = () => decode(object(shops.fields), { pan_number: "1", handle: "nobody" });
  const errors = [{ field: "shop_name" }, { field: "pan_number" }, { field: "handle" }];
  expect(send).toThrow(NodalError);
  expect(send).toThrow(expect.objectContaining({ errors: errors.map((each) => expect.objectContaining(each)) }));
});

test("a change has what is sent: an optional member that is sent empty is cleared, a required one can't be", () => {
  const changes = object(shops.changes);
  expect(shops.readChanges(decode(changes, {}))).toEqual({});
  expect(shops.readChanges(decode(changes, { pan_number: "", handle: null }))).toEqual({ panNumber: "", handle: null });
  expect(() => decode(changes, { shop_name: "" })).toThrow(NodalError);
});

test("columns, answers and files follow the list, and sealed values are shown as they may be", () => {
  const shop = { name: "Tea", panNumber: "AAACI1234K", handle: null };
  expect(shops.columns).toEqual({ name: "shop_name text", panNumber: "pan_number text sealed", handle: "upi text" });
  expect(shops.describe(shop, masked)).toEqual({ shop_name: "Tea", pan_number: "masked", handle: "" });
  expect(shops.answer({ ...shop, handle: "a@upi" })).toEqual({
    shop_name: "Tea",
    pan_number: "AAACI1234K",
    upi_handle: "a@upi",
  });
  expect(Object.keys(shops.schema)).toEqual(["shop_name", "pan_number", "upi_handle"]);
  const cells = Object.entries(shops.cells((row: { shop: typeof shop }) => row.shop));
  expect(cells.map(([name, read]) => [name, read({ shop })])).toEqual([
    ["shop_name", "Tea"],
    ["pan_number", mask(shop.panNumber)],
    ["upi_handle", ""],
  ]);
  expect(memberTexts(MEMBERS, (name) => `${name}!`)).toEqual({
    shop_name: "shop_name!",
    pan_number: "pan_number!",
    handle: "handle!",
  });
});

test("the compiler knows the types of a list", () => {
  const shop = shops.blank;
  // @ts-expect-error a member that is not nullable is never null
  const name: null = shop.name;
  // @ts-expect-error there is no such member
  expect([name, shop.shop_name]).toEqual(["", undefined]);
});
