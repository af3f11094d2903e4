/** Values that a schema does not take, for each of its fields: found by asking the schema. */
import { z } from "zod";
import type { Json, JsonObject } from "../../../packages/throughline/src/kernel/json.ts";

const candidates: readonly Json[] = [
  ...[null, true, 0, -1, 1.5, 1e308, "", " ", "x".repeat(300), [], [null], [[]], {}, { a: 1 }],
  ...["auto", "NaN", "-1", "1.5", "99999999999999999999", "\u0000", "💣", { $ne: null }, [1, 2, 3], ["", ""]],
];

/** Wrong values of a parameter, as they stand in an address. */
const texts: readonly string[] = [
  ...["", " ", "-1", "1.5", "1e3", "0x10", "+1", "01", "99999999999999999999", "NaN", "Infinity", "null", "undefined", "[object Object]"],
  ...[
    "true",
    "TRUE",
    "1,2",
    ",",
    ",,",
    "a,b,,",
    "\u0000",
    "💣",
    "１",
    "' OR 1=1 --",
    "../../etc/passwd",
    "${7*7}",
    "{{7*7}}",
    "x".repeat(5_000),
    "%",
  ],
];

/** The paths of the members that a schema names, through what it is wrapped in. */
function pathsOf(schema: z.ZodType): readonly string[] {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === "properties") for (const name of Object.keys(value as object)) names.add(name);
      visit(value);
    }
  };
  visit(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  return [...names];
}

/** Bodies that the schema refuses: each field of a good one with each wrong value, fields that there are not, and what is no object. */
export function wrongBodies(schema: z.ZodType, good: unknown): readonly Json[] {
  const whole = typeof good === "object" && good !== null ? (good as JsonObject) : {};
  const fields = pathsOf(schema);
  const changed = fields.flatMap((name) => candidates.map((value): Json => ({ ...whole, [name]: value })));
  const nested = Object.entries(whole).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? [...fields, "no_such_field"].flatMap((inner) =>
          candidates.map((wrong): Json => ({ ...whole, [name]: { ...(value as JsonObject), [inner]: wrong } })),
        )
      : [],
  );
  const without = Object.keys(whole).map((name): Json => Object.fromEntries(Object.entries(whole).filter(([other]) => other !== name)));
  const added: readonly Json[] = [
    { ...whole, no_such_field: 1 },
    { ...whole, constructor: { prototype: { admin: true } } },
  ];
  return [...changed, ...nested, ...without, ...added, ...candidates].filter((body) => !schema.safeParse(body).success);
}

/** Queries that the schema refuses. */
export function wrongQueries(schema: z.ZodObject, good: Readonly<Record<string, string>>): readonly (readonly (readonly [string, string])[])[] {
  const names = Object.keys(schema.shape);
  const changed = names.flatMap((name) => texts.map((text) => ({ ...good, [name]: text })));
  const wrong = [...changed, {}].filter((query) => !schema.safeParse(query).success).map((query) => Object.entries(query));
  const twice = names.map((name) => [...Object.entries({ ...good, [name]: "a" }), [name, "b"] as const]);
  return [...wrong, ...twice];
}
