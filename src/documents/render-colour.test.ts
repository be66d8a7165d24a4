// Accent colours: text is readable in any colour that a merchant chooses.
import fc from "fast-check";
import { expect, test } from "vitest";
import { accentPalette, contrast } from "./render-colour.ts";

const BACKGROUNDS = { light: "#f3f5f7", dark: "#1a2026" };

test("every colour keeps a contrast of 4.5, as text and under text", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const palette = accentPalette(`#${number.toString(16).padStart(6, "0")}`, BACKGROUNDS);
      expect(contrast(palette.onLight, BACKGROUNDS.light)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(palette.onDark, BACKGROUNDS.dark)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(palette.onLight, palette.textOnLight)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(palette.onDark, palette.textOnDark)).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test("a colour that is readable already stays as it is; what is no colour becomes the default", () => {
  expect(accentPalette("#0b6e4f", BACKGROUNDS).onLight).toBe("#0b6e4f");
  expect(accentPalette("red;}body{display:none", BACKGROUNDS)).toEqual(accentPalette("", BACKGROUNDS));
});
