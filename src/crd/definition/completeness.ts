import { type FieldError, required } from '../../api/index.ts';
import type { Schema } from './definition.ts';
import { itemSchema, sortedEntries } from './inner-schemas.ts';

/** A part of a schema, and what `allOf` and the like at the root say about the same value. */
interface Pair {
  readonly schema: Schema | undefined;
  readonly path: string;
  readonly said: Schema;
  readonly saidAt: string;
}

/** Fields and items that alternatives at the root of a schema mention, but that the schema does not define. */
export function completenessErrors(schema: Schema, path: string): readonly FieldError[] {
  return alternativeErrors({ schema, path, said: schema, saidAt: path });
}

function alternativeErrors(pair: Pair): FieldError[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = pair.said;
  const inner = (said: Schema, step: string): FieldError[] =>
    nestedErrors({ ...pair, said, saidAt: `${pair.saidAt}.${step}` });
  return [
    ...(not === undefined ? [] : inner(not, 'not')),
    ...allOf.flatMap((said, index) => inner(said, `allOf[${index}]`)),
    ...anyOf.flatMap((said, index) => inner(said, `anyOf[${index}]`)),
    ...oneOf.flatMap((said, index) => inner(said, `oneOf[${index}]`)),
  ];
}

function nestedErrors(pair: Pair): FieldError[] {
  const { schema, path, said, saidAt } = pair;
  if (schema === undefined) return [required(path, `because it is defined in ${saidAt}`)];
  const errors = alternativeErrors(pair);
  const items = itemSchema(said);
  if (items !== undefined) {
    const below = { schema: itemSchema(schema), path: `${path}.items`, said: items, saidAt: `${saidAt}.items` };
    errors.push(...nestedErrors(below));
  }
  for (const [name, inner] of sortedEntries(said.properties)) {
    const step = `properties[${name}]`;
    const own = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    errors.push(...nestedErrors({ schema: own, path: `${path}.${step}`, said: inner, saidAt: `${saidAt}.${step}` }));
  }
  return errors;
}
