// The types of the dashboard's answers as data, and values against them. Reading them is read-answer-types.ts, which
// answer is of which route dashboard-contract.ts.

/** A type of JSON values. Objects and lists name the types of their parts by their numbers, since types may contain themselves. */
export type Shape =
  | { readonly kind: "string" | "number" | "boolean" | "null" | "json" }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "list"; readonly of: number }
  | { readonly kind: "union"; readonly of: readonly number[] }
  | {
      readonly kind: "object";
      readonly members: Readonly<Record<string, { readonly type: number; readonly optional: boolean }>>;
      /** Of members with any other name; `null` where there may be none. */
      readonly others: number | null;
    };

export type Contract = {
  readonly routes: readonly { readonly method: string; readonly urls: readonly string[]; readonly answer: number }[];
  readonly shapes: readonly Shape[];
};

/** What is wrong with a value of the type, with the place in it: too much, too little, or something else. */
export function findMismatches({ shapes }: Contract, type: number, value: unknown, place = "answer"): string[] {
  const shape = shapes[type]!;
  const within = (of: number, part: unknown, where: string) => findMismatches({ routes: [], shapes }, of, part, where);
  switch (shape.kind) {
    case "json":
      return [];
    case "null":
      return value === null ? [] : [`${place} is not null`];
    case "literal":
      return value === shape.value ? [] : [`${place} is ${JSON.stringify(value)}, not ${JSON.stringify(shape.value)}`];
    case "list":
      if (!Array.isArray(value)) return [`${place} is no list`];
      return value.flatMap((item, index) => within(shape.of, item, `${place}[${index}]`));
    case "union": {
      const found = shape.of.map((of) => within(of, value, place));
      if (found.length === 0) return [`${place} is there`];
      return found.toSorted((a, b) => a.length - b.length)[0]!;
    }
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${place} is no object`];
      const missing = Object.entries(shape.members)
        .filter(([name, { optional }]) => !optional && !Object.hasOwn(value, name))
        .map(([name]) => `${place}.${name} is missing`);
      const present = Object.entries(value).flatMap(([name, member]) => {
        const of = Object.hasOwn(shape.members, name) ? shape.members[name]!.type : shape.others;
        return of === null ? [`${place}.${name} is not declared`] : within(of, member, `${place}.${name}`);
      });
      return [...missing, ...present];
    }
    case "string":
    case "number":
    case "boolean":
      return typeof value === shape.kind ? [] : [`${place} is ${JSON.stringify(value)}, not a ${shape.kind}`];
  }
}
