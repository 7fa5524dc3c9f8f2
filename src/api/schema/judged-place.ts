import type { NestedRules } from './constraints.ts';
import type { ScalarName, Shape, Struct } from './schema.ts';

/** A place of a structural type as validation sees it: a shape, or rules inside `allOf` and the like. */
export class JudgedPlace {
  /** The allowed JSON types; empty: any. */
  readonly types: readonly string[];
  readonly isNullable: boolean;
  readonly rules: NestedRules;
  /** Whether other schemas validate the same value. */
  readonly hasAlternatives: boolean;
  readonly #makeParts: () => Parts;
  #parts: Parts | undefined;

  constructor(rules: NestedRules, types: readonly string[], options: { isNullable: boolean; parts: () => Parts }) {
    this.rules = rules;
    this.types = types;
    this.isNullable = options.isNullable;
    this.hasAlternatives = [rules.allOf, rules.anyOf, rules.oneOf, rules.not].some((other) => other !== undefined);
    this.#makeParts = options.parts;
  }

  /** The places inside, made on first use. */
  get parts(): Parts {
    return (this.#parts ??= this.#makeParts());
  }
}

interface Parts {
  readonly item?: JudgedPlace | undefined;
  /** The places of the described members. */
  readonly members?: ReadonlyMap<string, JudgedPlace>;
  /** The place of all other members. */
  readonly others?: JudgedPlace | undefined;
}

const known = new WeakMap<object, JudgedPlace>();

/** The place of whole objects of a type. */
export function placeOfRoot(struct: Struct): JudgedPlace {
  return keep(struct, () => shapePlace({ kind: 'struct', struct, constraints: struct.constraints }));
}

/** The place that a shape describes. */
export function placeOfShape(shape: Shape): JudgedPlace {
  return keep(shape, () => shapePlace(shape));
}

/** The place of values that rules inside `allOf` and the like apply to. */
export function placeOfRules(rules: NestedRules): JudgedPlace {
  const types = rules.type === undefined ? [] : [rules.type];
  return keep(rules, () => new JudgedPlace(rules, types, { isNullable: false, parts: () => partsOfRules(rules) }));
}

function keep(key: object, make: () => JudgedPlace): JudgedPlace {
  let place = known.get(key);
  if (place === undefined) known.set(key, (place = make()));
  return place;
}

function partsOfRules({ items, properties, additionalProperties }: NestedRules): Parts {
  return {
    item: items === undefined ? undefined : placeOfRules(items),
    members: new Map(Object.entries(properties ?? {}).map(([name, rules]) => [name, placeOfRules(rules)])),
    others: additionalProperties === undefined ? undefined : placeOfRules(additionalProperties),
  };
}

const NO_RULES: NestedRules = {};

function shapePlace(shape: Shape): JudgedPlace {
  const { constraints } = shape;
  const types = shape.kind === 'scalar' ? (SCALAR_TYPES[shape.scalar] ?? []) : CONTAINER_TYPES[shape.kind];
  const isNullable = constraints?.nullable === true;
  return new JudgedPlace(constraints ?? NO_RULES, types, { isNullable, parts: () => partsOfShape(shape) });
}

function partsOfShape(shape: Shape): Parts {
  switch (shape.kind) {
    case 'scalar':
      return {};
    case 'list':
      return { item: shapePlace(shape.element) };
    case 'map':
      return { others: shapePlace(shape.value) };
    case 'struct':
      // Metadata has its own type; the schema only has rules for it.
      if (shape.struct.isStructural !== true) return partsOfRules(shape.constraints ?? NO_RULES);
      return { members: new Map(shape.struct.fields.map((field) => [field.name, shapePlace(field.shape)])) };
  }
}

const CONTAINER_TYPES = { struct: ['object'], map: ['object'], list: ['array'] } as const;

const SCALAR_TYPES: Partial<Readonly<Record<ScalarName, readonly string[]>>> = {
  string: ['string'],
  int32: ['integer'],
  int64: ['integer'],
  double: ['number'],
  bool: ['boolean'],
  IntOrString: ['integer', 'string'],
};
