// The icons of the dashboard: Tabler's, imported one by one so that a page loads no others. They are decoration: words stand
// beside them.
import type { TablerIcon } from "@tabler/icons-react";
import IconAlertTriangle from "@tabler/icons-react/icons/IconAlertTriangle";
import IconArrowDown from "@tabler/icons-react/icons/IconArrowDown";
import IconArrowUp from "@tabler/icons-react/icons/IconArrowUp";
import IconCalendar from "@tabler/icons-react/icons/IconCalendar";
import IconChevronDown from "@tabler/icons-react/icons/IconChevronDown";
import IconChevronUp from "@tabler/icons-react/icons/IconChevronUp";
import IconDots from "@tabler/icons-react/icons/IconDots";
import IconDownload from "@tabler/icons-react/icons/IconDownload";
import IconInfoCircle from "@tabler/icons-react/icons/IconInfoCircle";
import IconSearch from "@tabler/icons-react/icons/IconSearch";
import IconSelector from "@tabler/icons-react/icons/IconSelector";
import IconUpload from "@tabler/icons-react/icons/IconUpload";
import IconUserCircle from "@tabler/icons-react/icons/IconUserCircle";
import IconX from "@tabler/icons-react/icons/IconX";

const STROKE = 1.75;

function icon(Shape: TablerIcon) {
  return function Icon({ size = 18 }: { readonly size?: number }) {
    return <Shape size={size} stroke={STROKE} aria-hidden="true" focusable="false" />;
  };
}

export const SearchIcon = icon(IconSearch);
export const UserIcon = icon(IconUserCircle);
export const SortUpIcon = icon(IconChevronUp);
export const SortDownIcon = icon(IconChevronDown);
export const SortableIcon = icon(IconSelector);
export const DownloadIcon = icon(IconDownload);
export const UploadIcon = icon(IconUpload);
export const AlertIcon = icon(IconAlertTriangle);
export const ArrowUpIcon = icon(IconArrowUp);
export const ArrowDownIcon = icon(IconArrowDown);
export const CalendarIcon = icon(IconCalendar);
export const InfoIcon = icon(IconInfoCircle);
export const CrossIcon = icon(IconX);
export const MoreIcon = icon(IconDots);
