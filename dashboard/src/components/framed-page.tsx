// A page that somebody else gets to see, inside one of the dashboard's: it runs nothing and leads nowhere.
// What belongs here: the frame. The HTML comes from the server, complete.
import classes from "./framed-page.module.css";

/** The page's own style is let in by the nonce that the dashboard's policy names. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content ?? "";

/** Shows HTML as a page of its own. `title` says to screen readers what it is. */
export function FramedPage({ html, title }: { readonly html: string; readonly title: string }) {
  const styled = html.replace("<style>", `<style nonce="${nonce}">`);
  return <iframe className={classes["frame"]} title={title} sandbox="" srcDoc={styled} />;
}
