// A server that finds a stand-in at a provider's own address: the dashboard connects accounts only there.
import type { Environment } from "./nodal.ts";

/** For a server whose calls to `address` are sent to `standIn`. */
export function reachingInsteadOf(address: string, standIn: string): Environment {
  const [from, to] = [JSON.stringify(address), JSON.stringify(standIn)];
  const code = `const send=globalThis.fetch;globalThis.fetch=(url,init)=>send(String(url).replace(${from},${to}),init)`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
