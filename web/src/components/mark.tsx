// The mark of the product. The icon of the browser's tab, icon.svg, is the same.
import { MARK } from "../app/tokens.ts";

/** An N in a rounded square, in the colour of the text around it. */
export function Mark({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill={MARK} />
      <path
        d="M9 23V9l14 14V9"
        fill="none"
        stroke="var(--nodal-on-accent)"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
