// The few icons of the dashboard, drawn in strokes on a grid of 24. They are decoration: words stand beside them. Add
// one where a page needs it, in the same hand: round ends, width 1.75.
import type { ReactNode } from "react";

function icon(shape: ReactNode) {
  return function Icon({ size = 18 }: { readonly size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {shape}
      </svg>
    );
  };
}

export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="6" />
    <path d="M20 20l-4.5-4.5" />
  </>,
);
export const UserIcon = icon(
  <>
    <circle cx="12" cy="8" r="4" />
    <path d="M4.5 20c1.5-4 4-5.5 7.5-5.5s6 1.5 7.5 5.5" />
  </>,
);
export const SortUpIcon = icon(<path d="M7 14l5-5 5 5" />);
export const SortDownIcon = icon(<path d="M7 10l5 5 5-5" />);
export const SortableIcon = icon(<path d="M8 10l4-4 4 4M8 14l4 4 4-4" />);
export const DownloadIcon = icon(<path d="M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14" />);
export const UploadIcon = icon(<path d="M12 16V5M7.5 9L12 4.5 16.5 9M5 20h14" />);
export const AlertIcon = icon(<path d="M12 4l9 16H3zM12 10v4.5M12 17.2v.1" />);
export const ArrowUpIcon = icon(<path d="M12 20V5M6 11l6-6 6 6" />);
export const ArrowDownIcon = icon(<path d="M12 4v15M6 13l6 6 6-6" />);
export const CalendarIcon = icon(<path d="M5 6.5h14V20H5zM5 10.5h14M8.5 4v4M15.5 4v4" />);
export const InfoIcon = icon(<path d="M12 3.5a8.5 8.5 0 100 17 8.5 8.5 0 000-17zM12 11v5M12 8v.1" />);
export const CrossIcon = icon(<path d="M6 6l12 12M18 6L6 18" />);
export const MoreIcon = icon(<path d="M5.5 12h.1M12 12h.1M18.5 12h.1" />);
