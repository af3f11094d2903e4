import fc from "fast-check";
import type { Shape } from "../../packages/throughline/src/kernel/descriptor.ts";
import type { Json } from "../../packages/throughline/src/kernel/json.ts";

const jsonValue = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);
const names = fc.stringMatching(/^[a-z]{1,5}$/);

/** Any value that is declared, all its members among them. */
export function declaredArbitrary(node: Shape): fc.Arbitrary<Json> {
  switch (node.type) {
    case "text":
      return fc.string({ minLength: node.min ?? 0, maxLength: Math.min(node.max ?? 20, 20) });
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    case "whole":
      return fc.integer({ min: node.min ?? 0, max: node.max ?? 1_000 });
    case "time":
      return fc.nat();
    case "boolean":
      return fc.boolean();
    case "json":
      return jsonValue;
    case "literals":
      return fc.constantFrom(...node.values);
    case "nullable":
      return fc.option(declaredArbitrary(node.of));
    case "list":
      return fc.array(declaredArbitrary(node.of), { minLength: node.filled === true ? 1 : 0, maxLength: 3 });
    case "record":
      return fc.dictionary(names, declaredArbitrary(node.of), { maxKeys: 3, noNullPrototype: true });
    case "union":
      return fc.oneof(...node.options.map(declaredArbitrary));
    case "object": {
      const members = Object.entries(node.members);
      const requiredKeys = members.flatMap(([name, member]) => (member.optional === true ? [] : [name]));
      const values = Object.fromEntries(members.map(([name, member]) => [name, declaredArbitrary(member)]));
      return fc.record(values, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Json>;
    }
  }
}
