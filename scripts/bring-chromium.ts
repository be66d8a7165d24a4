// Chromium for the browser tests: `npm run test:all` runs this before them. On Debian as root it installs the distribution's package.
import { CHROMIUM_REMEDY, findChromium } from "../test/support/chromium.ts";
import { bring } from "./debian-package.ts";

bring({
  name: "Chromium",
  // Hindi has a font of its own: a machine without one draws boxes, of other widths than its words.
  packages: ["chromium-headless-shell", "fonts-liberation", "fonts-lohit-deva"],
  remedy: CHROMIUM_REMEDY,
  find: findChromium,
});
