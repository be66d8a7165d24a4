// Requests that wait for the bank's first answer on their transfer.
import type { Standing } from "./transfer-store.ts";

type Listener = (standing: Standing | null) => void;

/** The bank's first answer on a transfer; `within` gives `null` when none came in that time. */
export type ExpectedAnswer = {
  within(timeoutMs: number): Promise<Standing | null>;
  forget(): void;
};

export class FirstAnswers {
  readonly #listeners = new Map<bigint, Set<Listener>>();

  /** Begins to listen for the bank's first answer on a transfer. The caller must `forget` in the end. */
  expect(transferId: bigint): ExpectedAnswer {
    const { promise, resolve: hear } = Promise.withResolvers<Standing | null>();
    const listeners = this.#listeners.get(transferId) ?? new Set();
    this.#listeners.set(transferId, listeners.add(hear));
    let timer: NodeJS.Timeout | undefined;
    return {
      within: (timeoutMs) => {
        timer = setTimeout(() => hear(null), timeoutMs);
        return promise;
      },
      forget: () => {
        clearTimeout(timer);
        listeners.delete(hear);
        if (listeners.size === 0 && this.#listeners.get(transferId) === listeners) this.#listeners.delete(transferId);
      },
    };
  }

  tell(transferId: bigint, standing: Standing | null): void {
    for (const hear of this.#listeners.get(transferId) ?? []) hear(standing);
  }

  /** No more answers come: whoever waits is told so. */
  end(): void {
    for (const transferId of this.#listeners.keys()) this.tell(transferId, null);
  }
}
