// The icons of the dashboard: Tabler's, imported one by one so that a page loads no others. They are decoration: words stand
// beside them.
import type { TablerIcon } from "@tabler/icons-react";
import IconAlertTriangle from "@tabler/icons-react/icons/IconAlertTriangle";
import IconArrowDown from "@tabler/icons-react/icons/IconArrowDown";
import IconArrowUp from "@tabler/icons-react/icons/IconArrowUp";
import IconBriefcase from "@tabler/icons-react/icons/IconBriefcase";
import IconBuildingStore from "@tabler/icons-react/icons/IconBuildingStore";
import IconCalendar from "@tabler/icons-react/icons/IconCalendar";
import IconChartBar from "@tabler/icons-react/icons/IconChartBar";
import IconChevronDown from "@tabler/icons-react/icons/IconChevronDown";
import IconChevronUp from "@tabler/icons-react/icons/IconChevronUp";
import IconDots from "@tabler/icons-react/icons/IconDots";
import IconDownload from "@tabler/icons-react/icons/IconDownload";
import IconFileInvoice from "@tabler/icons-react/icons/IconFileInvoice";
import IconHome from "@tabler/icons-react/icons/IconHome";
import IconInfoCircle from "@tabler/icons-react/icons/IconInfoCircle";
import IconMenu2 from "@tabler/icons-react/icons/IconMenu2";
import IconSearch from "@tabler/icons-react/icons/IconSearch";
import IconSelector from "@tabler/icons-react/icons/IconSelector";
import IconSend from "@tabler/icons-react/icons/IconSend";
import IconSettings from "@tabler/icons-react/icons/IconSettings";
import IconUpload from "@tabler/icons-react/icons/IconUpload";
import IconUserCircle from "@tabler/icons-react/icons/IconUserCircle";
import IconUsers from "@tabler/icons-react/icons/IconUsers";
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

// Icons of the navigation.
export const HomeIcon = icon(IconHome);
export const PayoutIcon = icon(IconSend);
export const InvoiceIcon = icon(IconFileInvoice);
export const CustomersIcon = icon(IconUsers);
export const ShopIcon = icon(IconBuildingStore);
export const ChartIcon = icon(IconChartBar);
export const SettingsIcon = icon(IconSettings);
export const JobIcon = icon(IconBriefcase);
export const MenuIcon = icon(IconMenu2);
export const FoldIcon = icon(IconChevronDown);
