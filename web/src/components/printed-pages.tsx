// The pages of a PDF as one picture: phones, and the dashboard's own policy, show no PDF inside a page.
import { AspectRatio, Box, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, download } from "../api/client.ts";
import { printed as words } from "../strings/records.ts";
import { Action } from "./actions.tsx";
import { ErrorNotice, Notice } from "./notices.tsx";
import classes from "./printed-pages.module.css";

const A4 = { width: 210, height: 297 };

type PictureProps = {
  readonly url: string;
  /** The text for screen readers, since a picture has none. */
  readonly title: string;
  /** Whether it shows an earlier state of a form. */
  readonly isStale?: boolean;
};

/** The pages, with a line where one ends and the next begins. */
export function PagesPicture({ url, title, isStale = false }: PictureProps) {
  const [count, setCount] = useState(1);
  return (
    <Box className={classes["pages"]} mod={{ stale: isStale }} style={{ "--pages": count }}>
      <img
        src={url}
        alt={title}
        onLoad={({ currentTarget: { naturalHeight, naturalWidth } }) =>
          setCount(Math.max(1, Math.round((naturalHeight / naturalWidth) * (A4.width / A4.height))))
        }
      />
    </Box>
  );
}

type PagesProps = {
  /** The route of the pages. */
  readonly path: `/session/invoices/${string}/pages`;
  readonly title: string;
  readonly pdfUrl: string;
};

/** The pages of a saved document. A placeholder has the same size. */
export function PrintedPages({ path, title, pdfUrl }: PagesProps) {
  const { data, error, refetch } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => download(path, { signal }).then(dataUrl),
    refetchOnWindowFocus: false,
  });
  if (data !== undefined) return <PagesPicture url={data} title={title} />;
  if (error instanceof ApiError && error.code === "limit_exceeded") {
    return (
      <Notice title={words.tooLong}>
        <Action label={words.openPdf} href={pdfUrl} newTab size="xs" />
      </Notice>
    );
  }
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <AspectRatio ratio={A4.width / A4.height}>
      <Skeleton role="img" aria-label={words.drawing} />
    </AspectRatio>
  );
}

/** A data URL: the dashboard's policy allows it, and it needs no clean-up. */
export function dataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(reader.error!));
    reader.readAsDataURL(file);
  });
}
