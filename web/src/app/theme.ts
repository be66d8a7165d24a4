// The tokens as Mantine's theme and as CSS variables: `--nodal-<colour>`, `--nodal-size-…`, `--nodal-weight-…`.
import { Alert, createTheme, type CSSVariablesResolver } from "@mantine/core";
import { parts } from "../strings/shell.ts";
import {
  ACCENT,
  COLOUR,
  GREY,
  LINE_HEIGHT,
  NIGHT,
  RADIUS,
  SHADOW,
  SIZE,
  SPACE,
  TABLE,
  TYPEFACE,
  WEIGHT,
} from "./tokens.ts";

/** The background of an alert without a border, by its colour. */
const ALERT_GROUND: Readonly<Record<string, string>> = {
  red: "var(--nodal-danger-ground)",
  yellow: "var(--nodal-warning-ground)",
  gray: "var(--nodal-neutral-ground)",
};

export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: 6,
  colors: { accent: [...ACCENT], gray: [...GREY], dark: [...NIGHT] },
  fontFamily: TYPEFACE.text,
  fontFamilyMonospace: TYPEFACE.code,
  fontSizes: SIZE,
  lineHeights: LINE_HEIGHT,
  fontWeights: { regular: String(WEIGHT.regular), medium: String(WEIGHT.medium), bold: String(WEIGHT.strong) },
  spacing: SPACE,
  radius: RADIUS,
  shadows: SHADOW,
  defaultRadius: "md",
  headings: {
    fontWeight: String(WEIGHT.strong),
    sizes: {
      h1: { fontSize: SIZE.title, lineHeight: LINE_HEIGHT.xl },
      h2: { fontSize: SIZE.lg, lineHeight: LINE_HEIGHT.lg },
      h3: { fontSize: SIZE.md, lineHeight: LINE_HEIGHT.md },
    },
  },
  components: {
    // Its title in the colour of the border would be too pale, and Mantine's own red ground in the dark too loud.
    Alert: Alert.extend({
      styles: { title: { color: "var(--nodal-text)" } },
      vars: (_, { variant = "light", color = "" }) => ({
        root: variant === "light" && color in ALERT_GROUND ? { "--alert-bg": ALERT_GROUND[color] } : {},
      }),
    }),
    Anchor: { defaultProps: { underline: "hover", inherit: true } },
    Menu: { defaultProps: { shadow: "md" } },
    Modal: { defaultProps: { centered: true, radius: "lg", overlayProps: { backgroundOpacity: 0.5, blur: 2 } } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": parts.close } } },
    Paper: { defaultProps: { radius: "lg", shadow: "xs" } },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { "aria-label": parts.showPassword } } },
    Table: { defaultProps: { verticalSpacing: TABLE.rowSpace, horizontalSpacing: TABLE.columnSpace } },
  },
});

/** Mantine's own names for colours that would be too pale, with the token that each gets. */
const OF_MANTINE = {
  body: "surface",
  text: "text",
  dimmed: "dimmed",
  placeholder: "placeholder",
  error: "danger",
  anchor: "link",
  "default-border": "line",
} as const satisfies Readonly<Record<string, keyof typeof COLOUR>>;

/** The tokens as CSS variables. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { ...variablesOf("size", SIZE), ...variablesOf("weight", WEIGHT) },
  light: coloursOf(0),
  dark: coloursOf(1),
});

function variablesOf(kind: string, values: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`--nodal-${kind}-${name}`, String(value)]));
}

function coloursOf(mode: 0 | 1): Record<string, string> {
  return Object.fromEntries([
    ...Object.entries(COLOUR).map(([name, both]) => [`--nodal-${name}`, both[mode]]),
    ...Object.entries(OF_MANTINE).map(([name, token]) => [`--mantine-color-${name}`, COLOUR[token][mode]]),
  ]) as Record<string, string>;
}
