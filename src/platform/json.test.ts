import { expect, test } from "vitest";
import { parseJson } from "./json.ts";

test("numbers become text of the same value, also those that a double would change", () => {
  const text = `{"a":[1.50,100.005,-0,12345678901234567890,1e3],"b":{"c":7,"d":"1e3","e":[null,true]}}`;
  expect(parseJson(text)).toEqual({
    a: ["1.5", "100.005", "-0", "12345678901234567890", "1e3"],
    b: { c: "7", d: "1e3", e: [null, true] },
  });
});

test.each(["", "{", "01", '{"a":1e}', "[1e3", '{"a":1,"b":{"c":1e3,"c":2}}'])("%j is a SyntaxError", (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});
