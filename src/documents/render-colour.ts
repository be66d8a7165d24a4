// The merchant's accent colour, made readable: text in it and on it keeps a contrast of at least 4.5 (WCAG AA).

type Rgb = readonly [number, number, number];

const DEFAULT_ACCENT = "#1f4e79";
const MIN_CONTRAST = 4.5;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

export type AccentPalette = {
  /** For text and lines on the light background. */
  readonly onLight: string;
  /** For text and lines on the dark background of the page. */
  readonly onDark: string;
  /** Text on a surface of `onLight` or `onDark`. */
  readonly textOnLight: string;
  readonly textOnDark: string;
};

/** Shades of a `#rrggbb` colour for print and screen; anything else gives those of the default colour. */
export function accentPalette(colour: string, backgrounds: { light: string; dark: string }): AccentPalette {
  const accent = parse(/^#[0-9a-f]{6}$/i.test(colour) ? colour : DEFAULT_ACCENT);
  const onLight = approach(accent, BLACK, parse(backgrounds.light));
  const onDark = approach(accent, WHITE, parse(backgrounds.dark));
  return {
    onLight: print(onLight),
    onDark: print(onDark),
    textOnLight: print(readableOn(onLight)),
    textOnDark: print(readableOn(onDark)),
  };
}

/** WCAG 2 contrast ratio of two `#rrggbb` colours, 1 to 21. */
export function contrast(first: string, second: string): number {
  return ratio(parse(first), parse(second));
}

/** Moves a colour towards another until its contrast with the background is sufficient. */
function approach(colour: Rgb, towards: Rgb, background: Rgb): Rgb {
  for (let step = 0; step < 20; step += 1) {
    const mixed = mix(colour, towards, step / 20);
    if (ratio(mixed, background) >= MIN_CONTRAST) return mixed;
  }
  return towards;
}

function readableOn(surface: Rgb): Rgb {
  return ratio(WHITE, surface) >= ratio(BLACK, surface) ? WHITE : BLACK;
}

function ratio(first: Rgb, second: Rgb): number {
  const [dark, light] = [luminance(first), luminance(second)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const channel = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [channel(0), channel(1), channel(2)];
}

function parse(hex: string): Rgb {
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16)) as unknown as Rgb;
}

function print(colour: Rgb): string {
  return `#${colour.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}
