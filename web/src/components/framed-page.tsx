// Shows a page that others see, such as a customer, inside a dashboard page, without scripts and links. The complete HTML comes
// from the server.
import { useEffect, useRef } from "react";
import classes from "./framed-page.module.css";

/** The page's own style is let in by the nonce that the dashboard's policy names. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content ?? "";

/**
 * Shows HTML as a page of its own. `title` says to screen readers what it is. Where the HTML changes, the page stays
 * scrolled to where it was: for that alone it is of our origin, and without scripts it can't use that.
 */
export function FramedPage({ html, title }: { readonly html: string; readonly title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const element = frame.current!;
    const top = element.contentWindow?.scrollY ?? 0;
    element.onload = () => element.contentWindow?.scrollTo(0, top);
    element.srcdoc = html.replace("<style>", `<style nonce="${nonce}">`);
  }, [html]);
  return <iframe ref={frame} className={classes["frame"]} title={title} sandbox="allow-same-origin" />;
}
