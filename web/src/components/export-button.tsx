// The same list as a file: asked for with the filters of the page, counted as it comes, stopped if it takes too long.
import { notifications } from "@mantine/notifications";
import { useRef, useState } from "react";
import { download, type Query } from "../api/client.ts";
import { saveFile } from "../format/save-file.ts";
import { parts } from "../strings/shell.ts";
import { Action } from "./actions.tsx";
import { DownloadIcon } from "./icons.tsx";

type Props = {
  readonly path: string;
  readonly query?: Query;
  readonly fileName: string;
  readonly label?: string;
  readonly disabled?: boolean;
  /** Looks at the file that came. */
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
