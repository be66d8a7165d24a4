// The dashboard's tokens as CSS variables, without Mantine: `--nodal-<colour>`, `--nodal-size-…` and the like.
import { ACCENT, COLOUR, RADIUS, SIZE, TYPEFACE, WEIGHT } from "../app/tokens.ts";

/** Sets typefaces, sizes, weights and corners. */
export function setMeasures(): void {
  for (const [kind, values] of Object.entries({ typeface: TYPEFACE, size: SIZE, weight: WEIGHT, radius: RADIUS })) {
    for (const [name, value] of Object.entries(values)) set(`${kind}-${name}`, String(value));
  }
  set("accent", ACCENT[6]);
}

/** Sets the colours for the reader's system, light or dark, and again when it changes. */
export function followColours(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = (): void => {
    // Swagger UI has a dark mode; the page decides when to use it.
    document.documentElement.classList.toggle("dark-mode", dark.matches);
    for (const [name, both] of Object.entries(COLOUR)) set(name, both[dark.matches ? 1 : 0]);
  };
  dark.addEventListener("change", follow);
  follow();
}

function set(name: string, value: string): void {
  document.documentElement.style.setProperty(`--nodal-${name}`, value);
}
