// Encrypted values: they can only be decrypted in their own place, and equal values only have equal index hashes for
// the same owner.
import { createHmac, createSecretKey } from "node:crypto";
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { decrypt } from "./cipher.ts";
import { mask } from "./mask.ts";
import { newMasterKeyText, parseMasterKey, type MasterKey, MasterKeys, SecretsError } from "./master-keys.ts";
import { newDataKey, Secrets, UnknownDataKeyError, type RowPath } from "./secrets.ts";

const PLACE = "thing.number";
const ROW: RowPath = [5, 1000n, 7n];

function newMaster(): MasterKey {
  return parseMasterKey(newMasterKeyText())!;
}

function secretsUnder(...masters: MasterKey[]): Secrets {
  const [given = null, next = null] = masters;
  return new Secrets(new MasterKeys({ given, next, folder: "/nowhere", mayMake: false }));
}

const master = newMaster();
const index = newDataKey(1, "index", [master]);
const first = newDataKey(2, "field", [master]);
const secrets = secretsUnder(master);
secrets.open([...index, ...first]);

describe("a value", () => {
  test("opens as it was, whatever it is; an empty one and null stay", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
        const sealed = secrets.seal(PLACE, ROW, text);
        expect(sealed).toMatch(/^enc1:2:[A-Za-z0-9_-]+$/);
        // UTF-8 has no lone surrogates.
        expect(secrets.unseal(PLACE, ROW, sealed)).toBe(text.toWellFormed());
      }),
      { numRuns: 200 },
    );
    expect([secrets.seal(PLACE, ROW, ""), secrets.seal(PLACE, ROW, null)]).toEqual(["", null]);
    expect([secrets.unseal(PLACE, ROW, ""), secrets.unseal(PLACE, ROW, null)]).toEqual(["", null]);
  });

  test("looks different each time", () => {
    const sealed = Array.from({ length: 3000 }, () => secrets.seal(PLACE, ROW, "00011020001772"));
    expect(new Set(sealed).size).toBe(sealed.length);
    expect(sealed.join()).not.toContain("00011020001772");
  });

  test("is refused with any bit flipped, and cut short", () => {
    const [prefix, id, text] = secrets.seal(PLACE, ROW, "00011020001772").split(":") as [string, string, string];
    const bytes = Buffer.from(text, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const sealed = `${prefix}:${id}:${flipped.toString("base64url")}`;
      expect(() => secrets.unseal(PLACE, ROW, sealed), `bit ${bit}`).toThrow("can't be decrypted");
    }
    for (let length = 1; length < bytes.length; length += 1) {
      const sealed = `${prefix}:${id}:${bytes.subarray(0, length).toString("base64url")}`;
      expect(() => secrets.unseal(PLACE, ROW, sealed), `${length} bytes`).toThrow(SecretsError);
    }
  });

  test("is refused in another row, column or owner's hands", () => {
    const sealed = secrets.seal(PLACE, ROW, "00011020001772");
    const others: [string, RowPath][] = [
      [PLACE, [5, 1000n, 8n]],
      [PLACE, [5, 1001n, 7n]],
      [PLACE, [6, 1000n, 7n]],
      [PLACE, [5, 1000n]],
      ["thing.other", ROW],
      ["other.number", ROW],
    ];
    for (const [place, row] of others) expect(() => secrets.unseal(place, row, sealed)).toThrow("can't be decrypted");
  });

  test("is encrypted under a key of its owner's, which is neither the data key nor another owner's", () => {
    const sealed = Buffer.from(secrets.seal(PLACE, ROW, "00011020001772").split(":")[2]!, "base64url");
    const bytes = decrypt(master.key, first[0]!.wrapped, "data_key/2/field")!;
    const bound = `enc1:2/${PLACE}/${ROW.join("/")}`;
    const under = (key: Buffer) => decrypt(createSecretKey(key), sealed, bound)?.toString();
    const ofOwner = (owner: string) => createHmac("sha256", bytes).update(`owner\0${owner}`).digest();
    expect([under(ofOwner("5/1000")), under(ofOwner("5/1001")), under(bytes)]).toEqual([
      "00011020001772",
      undefined,
      undefined,
    ]);
  });

  test("is refused where it is not encrypted at all", () => {
    expect(() => secrets.unseal(PLACE, ROW, "00011020001772")).toThrow("is not encrypted");
    expect(() => secrets.unseal(PLACE, ROW, "enc1:2:")).toThrow("is not encrypted");
  });

  test("under a data key that is not open yet says so, and opens once it is", () => {
    const other = secretsUnder(master);
    const fresh = newDataKey(3, "field", [master]);
    other.open([...index, ...first, ...fresh]);
    const sealed = other.seal(PLACE, ROW, "1");
    expect(sealed).toMatch(/^enc1:3:/);
    const behind = secretsUnder(master);
    behind.open([...index, ...first]);
    expect(() => behind.unseal(PLACE, ROW, sealed)).toThrow(UnknownDataKeyError);
    behind.open([...index, ...first, ...fresh]);
    expect(behind.unseal(PLACE, ROW, sealed)).toBe("1");
  });
});

describe("a blind index", () => {
  const of = (...values: (string | null)[]): string | undefined =>
    secrets.blindIndex("thing.index", ROW, values)?.toString("hex");

  test("is the same for the same values of the same owner, in whichever row", () => {
    expect(of("12345", "HDFC0000001")).toBe(of("12345", "HDFC0000001"));
    expect(secrets.blindIndex("thing.index", [5, 1000n, 8n], ["12345", "HDFC0000001"])?.toString("hex")).toBe(
      of("12345", "HDFC0000001"),
    );
  });

  test("differs by value, place, owner and key, and by where one value ends", () => {
    const other = secretsUnder(master);
    other.open([...newDataKey(1, "index", [master]), ...first]);
    const values = ["12345", "HDFC0000001"];
    const found = [
      of(...values),
      of("12346", "HDFC0000001"),
      of("12345H", "DFC0000001"),
      of("12345HDFC0000001"),
      secrets.blindIndex("thing.other", ROW, values)?.toString("hex"),
      secrets.blindIndex("thing.index", [5, 1001n], values)?.toString("hex"),
      secrets.blindIndex("thing.index", [6, 1000n], values)?.toString("hex"),
      other.blindIndex("thing.index", ROW, values)?.toString("hex"),
    ];
    expect(new Set(found).size).toBe(found.length);
  });

  test("is null where a value is missing", () => {
    expect([of("12345", null), of("", "HDFC0000001")]).toEqual([undefined, undefined]);
  });
});

describe("data keys", () => {
  test("open under any of the master keys that wrap them", () => {
    const next = newMaster();
    const wraps = newDataKey(2, "field", [master, next]);
    const both = [...newDataKey(1, "index", [master, next]), ...wraps];
    for (const one of [master, next]) expect(() => secretsUnder(one).open(both)).not.toThrow();
  });

  test("do not open under another master key, one that was changed, or one with another number or purpose", () => {
    const wrapped = first[0]!;
    expect(() => secretsUnder(newMaster()).open([...index, ...first])).toThrow(/is not the one of this database/);
    expect(() => secretsUnder().open([...index, ...first])).toThrow("There is no master key");
    const bent = Buffer.from(wrapped.wrapped);
    bent[20]! ^= 1;
    for (const changed of [
      { ...wrapped, wrapped: bent },
      { ...wrapped, dataKeyId: 4 },
      { ...wrapped, purpose: "index" as const },
    ]) {
      expect(() => secretsUnder(master).open([...index, changed])).toThrow(SecretsError);
    }
  });

  test("no sentence about keys has a key in it", () => {
    const given = newMaster();
    const written = given.key.export();
    try {
      secretsUnder(given).open([...index, ...first]);
    } catch (error) {
      const { message } = error as Error;
      expect(message).not.toContain(written.toString("hex"));
      expect(message).not.toContain(written.toString("base64"));
    }
    expect.assertions(2);
  });
});

test("a master key is 32 bytes in hexadecimal or base64, and nothing else", () => {
  const text = newMasterKeyText();
  const bytes = Buffer.from(text, "base64");
  const forms = [
    text,
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    bytes.toString("base64url"),
    ` ${text}\n`,
  ];
  expect(new Set(forms.map((form) => parseMasterKey(form)?.id)).size).toBe(1);
  const wrong = ["", "secret", text.slice(1), `${text}A`, bytes.toString("hex").slice(1), `${bytes.toString("hex")}0`];
  expect(wrong.map((form) => parseMasterKey(form))).toEqual(wrong.map(() => null));
});

test.each([
  ["", ""],
  ["1234", "XXXX"],
  ["1234567", "XXXX"],
  ["12345678", "XXXX5678"],
  ["00011020001772", "XXXX1772"],
  ["ABCDE1234F", "XXXX234F"],
  ["asha@upi", "XXXX@upi"],
])("%j is shown as %j", (text, shown) => {
  expect(mask(text)).toBe(shown);
});
