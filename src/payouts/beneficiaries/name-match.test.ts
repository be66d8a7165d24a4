// Which names count as the same.
import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameName } from "./verify-beneficiary.ts";

test.each([
  ["Rajeev Kumar", "RAJEEV KUMAR"],
  ["Rajeev Kumar", "Mr. RAJEEV  KUMAR"],
  ["Shri Rajeev Kumar", "KUMAR RAJEEV"],
  ["Smt. Meera Iyer", "MRS MEERA IYER"],
  ["R Kumar", "RAJEEV KUMAR"],
  ["Rajeev Kumar Sharma", "R K SHARMA"],
  ["S.K. Das", "SK DAS"],
  ["A. P. J. Rao", "RAO A P J"],
  ["José D'Souza", "JOSE DSOUZA"],
  ["Āśā Rao", "Asha Rao".replace("sh", "s")],
  ["M/s Acme Traders", "ACME TRADERS"],
  ["Acme Traders Pvt. Ltd.", "ACME TRADERS PRIVATE LIMITED"],
  ["Acme Traders (P) Ltd", "ACME TRADERS PVT LTD"],
  ["Rao & Sons", "RAO AND SONS"],
  ["Gupta Bros & Co", "GUPTA BROTHERS AND COMPANY"],
  // Cut off by the bank.
  ["Bharat Engineering Works Private Limited", "BHARAT ENGINEERING WORKS PRI"],
  ["अनुष्का शर्मा", "शर्मा अनुष्का"],
])("%s is %s", (given, atBank) => {
  expect(isSameName(given, atBank)).toBe(true);
  expect(isSameName(given, atBank.toLowerCase())).toBe(true);
});

test.each([
  ["Rajeev Kumar", "RAVI KUMAR"],
  ["Rajeev Kumar", "RAJEEV"],
  ["Rajeev Kumar", "RAJEEV KUMAR SHARMA"],
  // Initials alone are no match.
  ["R K", "RAJEEV KUMAR"],
  ["R Kumar", "R SHARMA"],
  ["Kumar Kumar", "KUMAR SHARMA"],
  ["Acme Traders", "ACME TRADERS PRIVATE LIMITED"],
  ["Acme Traders LLP", "ACME TRADERS PRIVATE LIMITED"],
  // Too short to have been cut off, or cut off by us.
  ["Acme Traders Private Limited", "ACME TRADERS"],
  ["Bharat Engineering Works", "BHARAT ENGINEERING WORKS PRIVATE LIMITED"],
  // Vowel signs are part of a word.
  ["राम", "रमा"],
  ["Rajeev Kumar", ""],
  ["Mr", "MR"],
  ["", ""],
])("%s is not %s", (given, atBank) => {
  expect(isSameName(given, atBank)).toBe(false);
});

test("every name of two words is itself, in any order, case and punctuation, and what it says does not depend on who asks", () => {
  const word = fc.stringMatching(/^[A-Z]{2}[a-z]{2,8}q$/);
  fc.assert(
    fc.property(word, word, fc.string({ maxLength: 30 }), (first, second, other) => {
      expect(isSameName(`${first} ${second}`, `${second.toUpperCase()}, ${first}.`)).toBe(true);
      const words = [`${first} ${second}`, `${first[0]} ${second}`];
      expect(isSameName(words[0]!, words[1]!)).toBe(isSameName(words[1]!, words[0]!));
      expect(typeof isSameName(other, first)).toBe("boolean");
    }),
  );
});
