// What is left to chance in a simulation: everything follows from one seed.
import { seededRandom } from "../../stand-ins/random.ts";

export class Dice {
  /** A number from 0 up to 1. */
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** Whether something happens that happens so often of a hundred times. */
  percent(percent: number): boolean {
    return this.random() * 100 < percent;
  }

  /** A number from `least` up to `most`. */
  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  /** One of these, each as likely as its weight says. */
  pickWeighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.random() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return choices.at(-1)![1];
  }
}
