// Colours in HTML: whether a text is readable on its background.

/** Red, green and blue from 0 to 255, and the opacity from 0 to 1. */
export type Rgb = { readonly rgb: readonly number[]; readonly alpha: number };

/** Colours that differ by less look the same. */
const MIN_CONTRAST = 24;

/** The names of CSS, and the system colours as most screens show them. */
const NAMES = `aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000
  blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e
  coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b
  darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00
  darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f
  darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff
  firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520
  gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0
  khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080
  lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a
  lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0
  lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3
  mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc
  mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080
  oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98
  paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6
  purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460
  seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090
  snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee
  wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32 window ffffff windowtext 000000 canvas ffffff
  canvastext 000000 buttonface f0f0f0 buttontext 000000 graytext 6d6d6d infobackground ffffe1 infotext 000000 menu f0f0f0
  menutext 000000 threedface f0f0f0 highlight 0078d7 highlighttext ffffff`;
const NAMED: ReadonlyMap<string, string> = new Map(
  [...NAMES.matchAll(/([a-z]+) ([0-9a-f]{6})/g)].map(([, name, hex]) => [name!, hex!]),
);

/** A colour as style sheets and attributes write it, in lower case; `null` if it is unknown. */
export function readColour(written: string): Rgb | null {
  const text = written.trim();
  if (text === "transparent") return { rgb: [0, 0, 0], alpha: 0 };
  const hex = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}(?:[0-9a-f]{2})?)$/.exec(NAMED.get(text) ?? text)?.[1];
  if (hex !== undefined) {
    const long = hex.length < 6 ? [...hex].map((digit) => digit + digit).join("") : hex;
    const parts = [0, 2, 4, 6].map((at) => Number.parseInt(long.slice(at, at + 2) || "ff", 16));
    return { rgb: parts.slice(0, 3), alpha: parts[3]! / 255 };
  }
  const [, kind, inside] = /^(rgb|hsl)a?\(([\d\s.,%/deg+-]{1,60})\)$/.exec(text) ?? [];
  if (kind === undefined) return null;
  const parts = inside!.split(/[\s,/]+/).filter((part) => part !== "");
  if (parts.length < 3 || parts.length > 4) return null;
  const numbers = parts.map((part) => Number(part.replace(/%|deg$/, "")));
  if (numbers.some(Number.isNaN)) return null;
  const alpha = parts[3] === undefined ? 1 : parts[3].endsWith("%") ? numbers[3]! / 100 : numbers[3]!;
  const rgb =
    kind === "hsl"
      ? rgbOfHsl(numbers)
      : parts.slice(0, 3).map((part, at) => (part.endsWith("%") ? (numbers[at]! * 255) / 100 : numbers[at]!));
  return { rgb, alpha: Math.min(Math.max(alpha, 0), 1) };
}

/** Hue in degrees, saturation and lightness in percent. */
function rgbOfHsl([hue = 0, saturation = 0, lightness = 0]: readonly number[]): number[] {
  const [s, l] = [saturation / 100, lightness / 100];
  return [0, 8, 4].map((shift) => {
    const k = (shift + hue / 30) % 12;
    return 255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  });
}

/** A colour in front of another. */
export function over({ rgb, alpha }: Rgb, behind: Rgb): Rgb {
  return { rgb: rgb.map((part, at) => part * alpha + behind.rgb[at]! * (1 - alpha)), alpha: 1 };
}

/** Whether a text can't be told from its background in these colours. */
export function areAlike(text: Rgb, background: Rgb): boolean {
  return over(text, background).rgb.every((part, at) => Math.abs(part - background.rgb[at]!) < MIN_CONTRAST);
}
