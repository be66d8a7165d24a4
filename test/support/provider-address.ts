// A server that finds a stand-in where a provider's own address is: the dashboard connects accounts there alone.
import type { Environment } from "./nodal.ts";

/** For a server whose calls to `address` arrive at `standIn`. */
export function reachingInsteadOf(address: string, standIn: string): Environment {
  const [from, to] = [JSON.stringify(address), JSON.stringify(standIn)];
  const code = `const send=globalThis.fetch;globalThis.fetch=(url,init)=>send(String(url).replace(${from},${to}),init)`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
