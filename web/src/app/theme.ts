// How the dashboard looks: colours, type and sizes, on top of Mantine's. Every pair of text and ground keeps WCAG AA.
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core";
import { parts } from "../strings/shell.ts";

const INK: MantineColorsTuple = [
  "#eef5fb",
  "#dceaf5",
  "#b9d4eb",
  "#90bbe0",
  "#659fd2",
  "#4386c2",
  "#2f72b0",
  "#225f98",
  "#1c4f80",
  "#143a5f",
];

/** A calm grey with a little of the ink in it; dark mode is built on it. */
const DARK: MantineColorsTuple = [
  "#dfe5ec",
  "#c3ccd6",
  "#a6b1be",
  "#7d8997",
  "#4a5563",
  "#37414e",
  "#262e39",
  "#1b222b",
  "#141a22",
  "#0d1218",
];

export const theme = createTheme({
  primaryColor: "ink",
  primaryShade: { light: 7, dark: 7 },
  colors: { ink: INK, dark: DARK },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", monospace',
  defaultRadius: "md",
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.3" },
      h2: { fontSize: "1.125rem", lineHeight: "1.4" },
      h3: { fontSize: "1rem", lineHeight: "1.4" },
    },
  },
  components: {
    // Its title in the colour of the border would be too pale.
    Alert: { styles: { title: { color: "var(--mantine-color-text)" } } },
    Anchor: { defaultProps: { underline: "hover", inherit: true } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.5, blur: 2 } } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": parts.close } } },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { "aria-label": parts.showPassword } } },
    Table: { defaultProps: { verticalSpacing: 7, horizontalSpacing: "md" } },
  },
});

/** Mantine's own grey for hints and red for errors are too pale on white. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-text": "#1a2430",
    "--mantine-color-dimmed": "#566373",
    "--mantine-color-placeholder": "#68758a",
    "--mantine-color-error": "#b3261e",
    "--mantine-color-anchor": "#1c5d99",
    "--nodal-canvas": "#f5f7fa",
    "--nodal-line": "#e1e6ec",
    "--nodal-success": "#14693a",
    "--nodal-success-ground": "#e2f4e9",
    "--nodal-warning": "#7d4e00",
    "--nodal-warning-ground": "#fdf0d2",
    "--nodal-danger": "#a3231b",
    "--nodal-danger-ground": "#fde8e6",
    "--nodal-info": "#1c5d99",
    "--nodal-info-ground": "#e3eff9",
    "--nodal-neutral": "#455160",
    "--nodal-neutral-ground": "#e9edf2",
  },
  dark: {
    "--mantine-color-body": "#1b222b",
    "--mantine-color-text": "#dfe5ec",
    "--mantine-color-dimmed": "#a6b1be",
    "--mantine-color-placeholder": "#909cab",
    "--mantine-color-error": "#ff9c93",
    "--mantine-color-anchor": "#90bbe0",
    "--nodal-canvas": "#141a22",
    "--nodal-line": "#333d4a",
    "--nodal-success": "#7fd6a2",
    "--nodal-success-ground": "#173626",
    "--nodal-warning": "#f0c36a",
    "--nodal-warning-ground": "#3b2d10",
    "--nodal-danger": "#ffa69e",
    "--nodal-danger-ground": "#451e1b",
    "--nodal-info": "#9cc6ea",
    "--nodal-info-ground": "#1b3450",
    "--nodal-neutral": "#c3ccd6",
    "--nodal-neutral-ground": "#333d4a",
  },
});
