// Shows a page that others see, such as a customer, inside a dashboard page, without scripts and links. The complete HTML comes
// from the server.
import { useEffect, useRef } from "react";
import classes from "./framed-page.module.css";

/** The nonce of the dashboard's policy allows the page's own style. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content ?? "";

/**
 * Shows HTML as a page of its own. `title` says to screen readers what it is. When the HTML changes, the page keeps its scroll position. Only for
 * that it has our origin, which it can't use without scripts.
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
