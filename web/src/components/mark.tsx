// The mark of the product. The icon of the browser's tab, icon.svg, is the same.

/** An N in a rounded square, in the colour of the text around it. */
export function Mark({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#1f5a92" />
      <path
        d="M9 23V9l14 14V9"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
