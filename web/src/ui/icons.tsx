// The icons: thick lines, one idea each. They are always beside a word, so they are hidden from screen readers.
import type { ReactNode, SVGProps } from "react";

export type IconProps = SVGProps<SVGSVGElement> & { size?: number };

function icon(drawing: ReactNode) {
  return function Icon({ size = 28, ...rest }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 32 32"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
        {...rest}
      >
        {drawing}
      </svg>
    );
  };
}

/** Two flanges on one pipe: a spool. */
export const SpoolIcon = icon(
  <>
    <path d="M5 6v20M11 6v20M21 6v20M27 6v20" />
    <path d="M11 11h10M11 21h10" />
  </>,
);
/** Two pipe ends brought together. */
export const ArmIcon = icon(
  <>
    <path d="M2 11h10v10H2M30 11H20v10h10" />
    <path d="M16 4v4M16 24v4M13 7l3 3 3-3M13 25l3-3 3 3" />
  </>,
);
/** A torch and its spark. */
export const SoldIcon = icon(
  <>
    <path d="M28 4 17 15l-4-4" />
    <path d="m13 11 6 6" />
    <path d="M11 21v8M4 23l3 2M18 23l-3 2M5 15l4 2" />
  </>,
);
/** A caliper. */
export const MetrologiaIcon = icon(
  <>
    <path d="M3 6h26M6 6v16l4-6V6M18 6v10l4 6V6" />
    <path d="M26 6v4M14 6v4" />
  </>,
);
/** A spanner. */
export const ReparacionIcon = icon(
  <path d="M27 9.5a7 7 0 0 1-9.4 8L9.8 25.3a2.8 2.8 0 0 1-4-4l7.8-7.8a7 7 0 0 1 8-9.4l-4 4 .6 4.2 4.2.6 4.6-3.4Z" />,
);
export const SearchIcon = icon(
  <>
    <circle cx="14" cy="14" r="9" />
    <path d="m21 21 7 7" />
  </>,
);
export const BackIcon = icon(<path d="M20 5 9 16l11 11" />);
export const BackspaceIcon = icon(<path d="M11 6h17v20H11L3 16 11 6ZM15 12l8 8M23 12l-8 8" />);
export const LockIcon = icon(<path d="M7 14h18v14H7zM11 14V9a5 5 0 0 1 10 0v5M16 20v3" />);
export const NextIcon = icon(<path d="m12 5 11 11-11 11" />);
export const CheckIcon = icon(<path d="m5 17 8 8L27 8" />);
export const CrossIcon = icon(<path d="m7 7 18 18M25 7 7 25" />);
export const ExitIcon = icon(<path d="M13 5H5v22h8M12 16h16M22 10l6 6-6 6" />);
export const HandIcon = icon(
  <path d="M10 17V8a2.4 2.4 0 0 1 4.8 0v6V5.6a2.4 2.4 0 0 1 4.8 0V14V8a2.4 2.4 0 0 1 4.8 0v11c0 5-3.4 9-8.6 9-4 0-6.2-2-8-5l-3-5.2a2.2 2.2 0 0 1 3.6-2.4L10 17Z" />,
);
export const BellIcon = icon(<path d="M6 24h20l-3-5v-6a7 7 0 0 0-14 0v6l-3 5ZM13 28h6M16 3v3" />);
export const PauseIcon = icon(<path d="M11 6v20M21 6v20" />);
export const UndoIcon = icon(<path d="M10 6 4 12l6 6M4 12h15a8 8 0 0 1 0 16h-5" />);
export const RetryIcon = icon(<path d="M27 5v7h-7M26.4 12A11 11 0 1 0 27 18" />);
export const WarnIcon = icon(<path d="M16 4 2.5 27h27L16 4ZM16 13v6M16 23v.2" />);
export const GearIcon = icon(
  <>
    <path d="M4 9h9M21 9h7M4 23h5M17 23h11" />
    <circle cx="17" cy="9" r="3.6" />
    <circle cx="13" cy="23" r="3.6" />
  </>,
);
export const BoardIcon = icon(<path d="M4 5h24v18H4zM16 23v5M10 28h12M9 18v-4M16 18V9M23 18v-6" />);
export const PersonIcon = icon(
  <>
    <circle cx="16" cy="10" r="5.5" />
    <path d="M5 28c1-6 5.5-9 11-9s10 3 11 9" />
  </>,
);
export const ListIcon = icon(<path d="M4 8h4M13 8h15M4 16h4M13 16h15M4 24h4M13 24h15" />);
export const DownloadIcon = icon(<path d="M16 4v16M9 14l7 7 7-7M4 28h24" />);
export const UploadIcon = icon(<path d="M16 22V6M9 12l7-7 7 7M4 28h24" />);
export const PlusIcon = icon(<path d="M16 5v22M5 16h22" />);
/** A tablet. */
export const DeviceIcon = icon(<path d="M8 3h16v26H8zM14 24.5h4" />);
/** Rows and columns. */
export const WorkbookIcon = icon(<path d="M4 5h24v22H4zM4 12h24M4 19.5h24M13 12v15" />);
/** Discs on top of each other. */
export const BackupIcon = icon(
  <>
    <ellipse cx="16" cy="8" rx="11" ry="4" />
    <path d="M5 8v16c0 2.2 4.9 4 11 4s11-1.8 11-4V8M5 16c0 2.2 4.9 4 11 4s11-1.8 11-4" />
  </>,
);
/** A plug. */
export const PlugIcon = icon(<path d="M11 3v8M21 3v8M7 11h18v4a9 9 0 0 1-18 0v-4ZM16 24v5" />);
/** A door and who goes through it. */
export const DoorIcon = icon(<path d="M8 28V4h16v24M4 28h24M19.5 16v.6" />);
/** The pulse of the machine. */
export const PulseIcon = icon(<path d="M3 17h6l4-11 6 20 4-9h6" />);
export const PrintIcon = icon(<path d="M9 12V4h14v8M9 23H4V12h24v11h-5M9 19h14v9H9z" />);
/** A screen on a desk. */
export const OfficeIcon = icon(<path d="M3 5h26v17H3zM12 28h8M16 22v6" />);
/** The corners of a picture with a code between them. */
export const ScanIcon = icon(
  <>
    <path d="M4 11V5h6M22 5h6v6M28 21v6h-6M10 27H4v-6" />
    <path d="M10 11v10M14 11v10M18 11v10M22 11v10" />
  </>,
);
/** A sheet with lines. */
export const NoteIcon = icon(<path d="M6 3h14l6 6v20H6zM11 14h10M11 19h10M11 24h6" />);
export const CameraIcon = icon(
  <>
    <path d="M3 10h6l2.5-4h9L23 10h6v16H3z" />
    <circle cx="16" cy="17.5" r="5" />
  </>,
);
