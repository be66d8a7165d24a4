// The visual language: every size, weight, distance and colour of the dashboard. theme.ts gives them to Mantine and to
// CSS as variables, and `npm run generate:docs` lists them in docs/design.md. Pages and CSS modules name tokens only.

/** Inter comes with the build (typeface.ts); the next name is a local typeface with its metrics. Inter has no Devanagari. */
export const TYPEFACE = {
  text: '"Inter", "Inter Extended", "Inter fallback", "Noto Sans Devanagari", "Nirmala UI", "Kohinoor Devanagari", system-ui, sans-serif',
  code: 'ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", monospace',
} as const;

/** Sizes of text. `md` is the text of a page, `sm` that of tables and fields, `xs` that of labels. */
export const SIZE = {
  xs: "0.8125rem",
  sm: "0.875rem",
  md: "0.9375rem",
  lg: "1.125rem",
  xl: "1.375rem",
  title: "1.5rem",
  figure: "1.75rem",
} as const;

export const LINE_HEIGHT = { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.4", xl: "1.3" } as const;

export const WEIGHT = { regular: 400, medium: 500, strong: 600 } as const;

/** Distances, on a grid of 4 px. */
export const SPACE = { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.5rem", xl: "2rem" } as const;

/** `sm` for marks, `md` for buttons and fields, `lg` for panels and dialogs. */
export const RADIUS = { xs: "0.1875rem", sm: "0.375rem", md: "0.5rem", lg: "0.75rem", xl: "62.4375rem" } as const;

export const SHADOW = {
  xs: "0 1px 2px rgb(16 24 40 / 6%)",
  sm: "0 1px 3px rgb(16 24 40 / 10%)",
  md: "0 4px 12px rgb(16 24 40 / 10%), 0 1px 3px rgb(16 24 40 / 8%)",
  lg: "0 12px 32px rgb(16 24 40 / 14%), 0 2px 6px rgb(16 24 40 / 8%)",
  xl: "0 24px 64px rgb(16 24 40 / 20%)",
} as const;

/** Above and below the text of a cell, and beside it. */
export const TABLE = { rowSpace: "0.5rem", columnSpace: SPACE.md } as const;

type Shades = readonly [string, string, string, string, string, string, string, string, string, string];

/** The only accent: for buttons and links, the current page, and the first series of a chart. Buttons have shade 6. */
export const ACCENT: Shades = [
  "#eef3ff",
  "#e1e9ff",
  "#c4d3ff",
  "#9db5ff",
  "#7090f8",
  "#4c6fec",
  "#3355d8",
  "#2945b6",
  "#243b93",
  "#203272",
];

/** Lines and backgrounds in light mode. Shade 4 is the edge of a field: 3 : 1 on white. */
export const GREY: Shades = [
  "#f6f7f9",
  "#eff1f4",
  "#e5e8ed",
  "#dde1e7",
  "#8b93a1",
  "#77808f",
  "#626b7a",
  "#4a5261",
  "#2f3642",
  "#171b24",
];

/** Text, lines and backgrounds in dark mode, from text to the darkest background. */
export const NIGHT: Shades = [
  "#e6e9ee",
  "#c8cdd6",
  "#a5acb9",
  "#7c8594",
  "#333a45",
  "#2a303a",
  "#20252d",
  "#181c22",
  "#101318",
  "#0b0d11",
];

/** Each colour in light and dark mode. Text keeps a contrast of 4.5 : 1 to its background (WCAG AA). */
export const COLOUR = {
  canvas: ["#f6f7f9", "#101318"],
  surface: ["#ffffff", "#181c22"],
  line: ["#e5e8ed", "#2d333d"],
  edge: ["#8b93a1", "#6b7483"],
  text: ["#171b24", "#e6e9ee"],
  dimmed: ["#5a6372", "#a5acb9"],
  placeholder: ["#68717f", "#939baa"],
  link: ["#2945b6", "#9db5ff"],
  "on-accent": ["#ffffff", "#ffffff"],
  success: ["#12663a", "#7fd6a2"],
  "success-ground": ["#e2f5ea", "#163524"],
  warning: ["#7d4e00", "#f0c36a"],
  "warning-ground": ["#fdf0d2", "#3a2c10"],
  danger: ["#a3231b", "#ffa69e"],
  "danger-ground": ["#fdeae8", "#441d1b"],
  info: ["#2945b6", "#a9beff"],
  "info-ground": ["#e9efff", "#1f2a4a"],
  neutral: ["#4a5261", "#c8cdd6"],
  "neutral-ground": ["#eceef2", "#2d333d"],
  "series-0": ["#3355d8", "#7090f8"],
  "series-1": ["#c0821f", "#e0a94f"],
  "series-2": ["#4f8f68", "#6fb389"],
  paper: ["#171b24", "#171b24"],
  "paper-line": ["#cccccc", "#cccccc"],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

/** The mark's square. icon.svg repeats it. */
export const MARK = ACCENT[6];
