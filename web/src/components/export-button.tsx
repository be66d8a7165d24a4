// Downloads a file, such as a list with the filters of the page; shows its progress, and can be stopped.
import { notifications } from "@mantine/notifications";
import { useRef, useState } from "react";
import { download, type Query } from "../api/client.ts";
import { parts } from "../strings/shell.ts";
import { Action } from "./actions.tsx";
import { DownloadIcon } from "./icons.tsx";

type Props = {
  readonly path: string;
  readonly query?: Query;
  readonly fileName: string;
  readonly label?: string;
  readonly disabled?: boolean;
  /** Called with the downloaded file. */
  readonly onFile?: (file: Blob) => void;
};

/** Downloads a file; while it comes, the same button stops it. */
export function ExportButton({ path, query = {}, fileName, label = parts.export, disabled, onFile }: Props) {
  const running = useRef<AbortController | null>(null);
  const [kilobytes, setKilobytes] = useState<number | null>(null);
  const start = async (): Promise<void> => {
    running.current = new AbortController();
    setKilobytes(0);
    try {
      const { signal } = running.current;
      const onProgress = (bytes: number): void => setKilobytes(Math.round(bytes / 1024));
      const file = await download(path, { query, signal, onProgress });
      saveFile(file, fileName);
      onFile?.(file);
    } catch (error) {
      if (!running.current?.signal.aborted) notifications.show({ color: "red", message: (error as Error).message });
    } finally {
      setKilobytes(null);
    }
  };
  if (kilobytes !== null) {
    return (
      <Action
        label={`${parts.exporting(kilobytes)} ${parts.stop}`}
        onClick={() => running.current?.abort()}
        aria-live="polite"
      />
    );
  }
  const icon = <DownloadIcon size={16} />;
  return <Action label={label} leftSection={icon} disabled={disabled} onClick={() => void start()} />;
}

export function saveFile(file: Blob, fileName: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

/** Of a ZIP file's last 22 bytes, its end record: where it counts the files. */
const COUNT_FROM_END = 12;

/** How many files a ZIP file of less than 65,535 holds. */
export async function countFilesIn(zip: Blob): Promise<number> {
  const count = await zip.slice(-COUNT_FROM_END, -COUNT_FROM_END + 2).arrayBuffer();
  return count.byteLength === 2 ? new DataView(count).getUint16(0, true) : 0;
}
