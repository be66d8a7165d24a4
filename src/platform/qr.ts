// QR codes as images.
// What belongs here: drawing. What a code says is the business of who asks for it.
import { encodeQR } from "qr";

/** A QR code as an SVG image of its own size, black on white with the quiet zone that scanners need. */
export function qrSvg(text: string): string {
  const modules = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const path = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  const size = modules.length;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path fill="#000" d="${path}"/></svg>`
  );
}
