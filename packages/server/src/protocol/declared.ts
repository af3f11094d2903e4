/** Derives wire schemas from the library's declarations. A schema contains only the members that its audience may see. */
import { z } from "zod";
import { type Audience, type Descriptor, isShown, type Shape, type ObjectShape } from "throughline/kernel";

/** Named schemas. Each name has one schema, however many declarations use it. */
const byName = new Map<string, z.ZodType>();

/** Derives the schema of a declaration. It contains the members that keys see. Members that customers do not see are optional. */
// The schema is built from the declaration that also determines the type.
export const schemaOf = <Value>({ node }: Descriptor<Value>): z.ZodType<Value, Value> => schemaOfNode(node, node.audience) as z.ZodType<Value, Value>;

function schemaOfNode(node: Shape, seenBy: Audience | undefined): z.ZodType {
  const known = node.name === undefined ? undefined : byName.get(node.name);
  const plain = known ?? shapeOf(node, seenBy);
  const described = node.description === undefined || known !== undefined ? plain : plain.describe(node.description);
  if (node.name === undefined || known !== undefined) return described;
  const named = described.meta({ id: node.name });
  byName.set(node.name, named);
  return named;
}

function shapeOf(node: Shape, seenBy: Audience | undefined): z.ZodType {
  switch (node.type) {
    case "text": {
      const least = node.min === undefined ? z.string() : z.string().min(node.min);
      return node.max === undefined ? least : least.max(node.max);
    }
    case "number":
      return z.number();
    case "whole": {
      const least = node.min === undefined ? z.int() : z.int().min(node.min);
      return node.max === undefined ? least : least.max(node.max);
    }
    case "time":
      return z.int();
    case "boolean":
      return z.boolean();
    case "json":
      return z.unknown();
    case "literals":
      return node.values.length === 1 ? z.literal(node.values) : z.enum(node.values.map(String));
    case "nullable":
      return schemaOfNode(node.of, seenBy).nullable();
    case "list":
      return z.array(schemaOfNode(node.of, seenBy));
    case "record":
      return z.record(z.string(), schemaOfNode(node.of, seenBy));
    case "object":
      return objectOf(node, seenBy);
    case "union": {
      const shown = node.options.filter((option) => isShown(option, "key"));
      if (node.flat === true) return flatOf(node.tag, shown, seenBy);
      const [first, ...more] = shown.map((option) => objectOf(option, option.audience));
      if (first === undefined) throw new TypeError(`Nobody is shown any option of the union by ${node.tag}.`);
      return z.discriminatedUnion(node.tag, [first, ...more]);
    }
  }
}

function objectOf({ members }: ObjectShape, seenBy: Audience | undefined): z.ZodObject {
  const shown = Object.entries(members).filter(([, member]) => isShown(member, "key"));
  return z.object(
    Object.fromEntries(
      shown.map(([name, member]) => {
        const schema = schemaOfNode(member, member.audience);
        const hidden = seenBy === "customer" && !isShown(member, "customer");
        return [name, member.optional === true || hidden ? schema.optional() : schema];
      }),
    ),
  );
}

/** Merges the options of a union into one object, starting with the largest. Members that some option lacks are optional. */
function flatOf(tag: string, options: readonly ObjectShape[], seenBy: Audience | undefined): z.ZodObject {
  const members: Record<string, Shape> = {};
  const size = (option: ObjectShape): number => Object.keys(option.members).length;
  for (const option of options.toSorted((left, right) => size(right) - size(left)))
    for (const [name, member] of Object.entries(option.members)) {
      const isEverywhere = options.every((other) => Object.hasOwn(other.members, name) && other.members[name]?.optional !== true);
      members[name] ??= isEverywhere ? member : { ...member, optional: true };
    }
  const tags = options.flatMap(({ members: { [tag]: node } }) => (node?.type === "literals" ? node.values : []));
  return objectOf({ type: "object", members: { ...members, [tag]: { type: "literals", values: tags, audience: "customer" } } }, seenBy);
}
