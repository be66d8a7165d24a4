// Reading states: each GST code with its names, differences in spelling that are ignored, and texts that are never guessed.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearestStates, readState, stateOfGstin } from "./indian-states.ts";

/** The names in GST's official list of codes, in English and Hindi. */
const STATES = `
  01 Jammu and Kashmir = जम्मू और कश्मीर; 02 Himachal Pradesh = हिमाचल प्रदेश; 03 Punjab = पंजाब; 04 Chandigarh = चंडीगढ़;
  05 Uttarakhand = उत्तराखंड; 06 Haryana = हरियाणा; 07 Delhi = दिल्ली; 08 Rajasthan = राजस्थान; 09 Uttar Pradesh = उत्तर प्रदेश;
  10 Bihar = बिहार; 11 Sikkim = सिक्किम; 12 Arunachal Pradesh = अरुणाचल प्रदेश; 13 Nagaland = नागालैंड; 14 Manipur = मणिपुर;
  15 Mizoram = मिज़ोरम; 16 Tripura = त्रिपुरा; 17 Meghalaya = मेघालय; 18 Assam = असम; 19 West Bengal = पश्चिम बंगाल;
  20 Jharkhand = झारखंड; 21 Odisha = ओडिशा; 22 Chhattisgarh = छत्तीसगढ़; 23 Madhya Pradesh = मध्य प्रदेश; 24 Gujarat = गुजरात;
  26 Dadra and Nagar Haveli and Daman and Diu = दादरा और नगर हवेली और दमन और दीव; 27 Maharashtra = महाराष्ट्र;
  29 Karnataka = कर्नाटक; 30 Goa = गोवा; 31 Lakshadweep = लक्षद्वीप; 32 Kerala = केरल; 33 Tamil Nadu = तमिलनाडु;
  34 Puducherry = पुदुचेरी; 35 Andaman and Nicobar Islands = अंडमान और निकोबार द्वीप समूह; 36 Telangana = तेलंगाना;
  37 Andhra Pradesh = आंध्र प्रदेश; 38 Ladakh = लद्दाख; 96 Other country = अन्य देश; 97 Other Territory = अन्य क्षेत्र`
  .split(";")
  .map((entry) => {
    const [english = "", hindi = ""] = entry.split("=");
    return { code: english.trim().slice(0, 2), name: english.trim().slice(3), hindi: hindi.trim() };
  });

test.each(STATES)("$code is $name, $hindi", ({ code, name, hindi }) => {
  const state = { code, name };
  expect(stateOfGstin(`${code}AAACI1234K1Z5`)).toEqual(state);
  const compact = ` ${name.toUpperCase().replaceAll(" ", "")}. `;
  const ofIndia = code < "96" ? [`${name}, India`, `State of ${name}`] : [];
  const spellings = [name, hindi, compact, name.replaceAll(" and ", " & "), ...ofIndia];
  const numbered = [` ${code} `, `${code}-${name}`, `${name} (${code})`, `${code}: ${hindi}`, `State code ${code}`];
  for (const text of [...spellings, ...numbered]) expect(readState(text), text).toEqual(state);
});

test("99 is the Centre's", () => expect(readState("99")).toEqual({ code: "99", name: "Centre Jurisdiction" }));

test.each(
  `JK 01; J&K 01; Jammu & Kashmir 01; HP 02; H.P. 02; PB 03; Panjab 03; CH 04; UK 05; UA 05; UT 05; Uttaranchal 05; HR 06;
  Hariyana 06; DL 07; New Delhi 07; NCT of Delhi 07; नई दिल्ली 07; RJ 08; Rajsthan 08; Rajasthān 08; UP 09; U. P. 09; Utter Pradesh 09;
  BR 10; SK 11; AR 12; Arunachal 12; NL 13; MN 14; MZ 15; TR 16; ML 17; Meghalya 17; AS 18; आसाम 18; WB 19; JH 20; Jharkand 20;
  OD 21; OR 21; Orissa 21; उड़ीसा 21; CG 22; CT 22; Chattisgarh 22; Chhatisgarh 22; छत्तीसगढ 22; MP 23; M.P. 23; Madya Pradesh 23;
  GJ 24; Gujrat 24; DNH 26; Daman & Diu 26; Dadra and Nagar Haveli 26; दमन एवं दीव 26; MH 27; Maharastra 27; IN-MH 27; २७ 27;
  KA 29; Karnatka 29; GA 30; LD 31; Lakshdweep 31; KL 32; Kerela 32; TN 33; Tamilnadu 33; Tamil Naidu 33; तमिल नाडु 33; PY 34;
  Pondicherry 34; Pondichery 34; AN 35; A & N Islands 35; Andaman and Nicobar 35; TG 36; TS 36; Telengana 36; AP 37;
  Andra Pradesh 37; आन्ध्र प्रदेश 37; Andhra Pradesh (New) 37; LA 38; Ladakh (UT) 38; चण्डीगढ़ 04; झारखण्ड 20;
  Abroad 96; FOREIGN 96; Overseas 96; Outside India 96; 7 07; 1 01`
    .split(";")
    .map((entry) => [entry.trim().slice(0, -3), entry.trim().slice(-2)] as const),
)("%s is read as %s", (text, code) => expect(readState(text)?.code).toBe(code));

test.each([
  ["25", "26"],
  ["28", "37"],
])("the former code %s stands for %s", (former, code) => {
  expect(stateOfGstin(`${former}AAACI1234K1Z5`)?.code).toBe(code);
  expect(readState(former)?.code).toBe(code);
  expect(readState("25-Daman and Diu")?.code).toBe("26");
});

const UNREADABLE = `Atlantis; constructor; __proto__; New York; California; Mumbai; Bengal; India; State; Punjab Pakistan; Delhi NCR;
  Manipal; Mainpuri; Tirupur; East Bengal; Saurashtra; Havana; Madhra Pradesh; 290; 129; 0; 00; 39; 50; 95; 98; 27 29;
  27-Goa; 27-Nowhere; MH27X; -; &; !!; ۲۷; XX; U`;

test.each(UNREADABLE.split(";").map((text) => text.trim()))("%j is no state", (text) => {
  expect(readState(text)).toBeNull();
});

test("no text is no state, and a GSTIN of another form names none", () => {
  for (const text of ["", "  "]) expect(readState(text)).toBeNull();
  for (const gstin of ["", "2", "2A", "50AAACI1234K1Z5", "X29AACI1234K1Z5"]) expect(stateOfGstin(gstin)).toBeNull();
});

test.each([
  ["Karnadu", "Karnataka"],
  ["Kashmir", "Jammu and Kashmir"],
  ["Manipal", "Manipur"],
  ["Madhra Pradesh", "Andhra Pradesh"],
  ["Havana", "Haryana"],
  ["Goaa", "Goa"],
])("%s is near to %s", (text, name) => expect(nearestStates(text)).toContain(name));

test("what is like no state is near to none, and nobody waits for long texts", () => {
  for (const text of ["", "XX", "California", "Atlantis ".repeat(1000)]) expect(nearestStates(text)).toEqual([]);
});

describe("whatever is written", () => {
  const ofCode = (min: number) =>
    STATES.filter(({ code, name }) => code < "96" && name.replaceAll(/\W/g, "").length >= min);
  const letter = fc.constantFrom(...Array.from("abcdefghijklmnopqrstuvwxyz"));

  /** One letter after the first is added, left out, replaced, or swapped with the next. */
  const edited = (word: string) =>
    fc
      .tuple(fc.integer({ min: 1, max: word.length - 2 }), letter, fc.integer({ min: 0, max: 3 }))
      .map(([at, x, kind]) => {
        const [head, here, next, tail] = [word.slice(0, at), word[at]!, word[at + 1]!, word.slice(at + 2)];
        return head + [x + here + next, next, x + next, next + here][kind]! + tail;
      });

  test("one wrong letter in a long name is forgiven, or refused with the right name, and never another state", () => {
    const misspelt = fc
      .constantFrom(...ofCode(7))
      .chain((state) => edited(state.name).map((text) => ({ code: state.code, name: state.name, text })));
    fc.assert(
      fc.property(misspelt, ({ code, name, text }) => {
        const read = readState(text);
        if (read === null) expect(nearestStates(text)).toContain(name);
        else expect(read.code).toBe(code);
      }),
      { numRuns: 2000 },
    );
  });

  test("case, spaces and punctuation make no difference", () => {
    const odd = fc.constantFrom(" ", "  ", "-", ".", ",", "\u00a0", "\u200d", "/", "'");
    fc.assert(
      fc.property(
        fc.constantFrom(...STATES),
        fc.array(odd, { minLength: 8, maxLength: 8 }),
        fc.boolean(),
        (state, odds, isUpper) => {
          const text = state.name.split(" ").reduce((sum, word, index) => `${sum}${odds[index] ?? " "}${word}`, "");
          expect(readState(isUpper ? text.toUpperCase() : text.toLowerCase())?.code).toBe(state.code);
        },
      ),
    );
  });

  test("any text is read as one of the table's states, or as none", () => {
    const known = new Set([...STATES.map(({ code }) => code), "99"]);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: letter, maxLength: 14 })), (text) => {
        const read = readState(text);
        if (read !== null) expect(known).toContain(read.code);
        expect(nearestStates(text).length).toBeLessThanOrEqual(3);
      }),
      { numRuns: 2000 },
    );
  });
});
