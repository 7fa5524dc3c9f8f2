import type { NestedRules } from './constraints.ts';
import type { ScalarName, Shape, Struct } from './schema.ts';

/** A place of a structural type as validation sees it, be it a shape or rules inside `allOf` and the like. */
export interface JudgedPlace {
  /** The types of JSON that a value may have; none: any. */
  readonly types: readonly string[];
  readonly isNullable: boolean;
  readonly rules: NestedRules;
  readonly item: JudgedPlace | undefined;
  /** The places of the members that are described, in order of name. */
  readonly members: ReadonlyMap<string, JudgedPlace>;
  /** The place of all other members. */
  readonly others: JudgedPlace | undefined;
}

const known = new WeakMap<object, JudgedPlace>();

/** The place of whole objects of a type. */
export function placeOfRoot(struct: Struct): JudgedPlace {
  return keep(struct, () => new ShapePlace({ kind: 'struct', struct, constraints: struct.constraints }));
}

function placeOfShape(shape: Shape): JudgedPlace {
  return keep(shape, () => new ShapePlace(shape));
}

export function placeOfRules(rules: NestedRules): JudgedPlace {
  return keep(rules, () => new RulesPlace(rules));
}

function keep(key: object, make: () => JudgedPlace): JudgedPlace {
  let place = known.get(key);
  if (place === undefined) known.set(key, (place = make()));
  return place;
}

const NO_RULES: NestedRules = {};
const NO_MEMBERS: ReadonlyMap<string, JudgedPlace> = new Map();

class ShapePlace implements JudgedPlace {
  readonly types: readonly string[];
  readonly isNullable: boolean;
  readonly rules: NestedRules;
  readonly #shape: Shape;
  #members: ReadonlyMap<string, JudgedPlace> | undefined;

  constructor(shape: Shape) {
    this.#shape = shape;
    this.types = shape.kind === 'scalar' ? (SCALAR_TYPES[shape.scalar] ?? []) : [CONTAINER_TYPES[shape.kind]];
    this.isNullable = shape.constraints?.nullable === true;
    this.rules = shape.constraints ?? NO_RULES;
  }

  get item(): JudgedPlace | undefined {
    return this.#shape.kind === 'list' ? placeOfShape(this.#shape.element) : undefined;
  }

  get others(): JudgedPlace | undefined {
    return this.#shape.kind === 'map' ? placeOfShape(this.#shape.value) : undefined;
  }

  get members(): ReadonlyMap<string, JudgedPlace> {
    return (this.#members ??= this.#makeMembers());
  }

  #makeMembers(): ReadonlyMap<string, JudgedPlace> {
    if (this.#shape.kind !== 'struct') return NO_MEMBERS;
    const { struct } = this.#shape;
    if (struct.isStructural !== true) return placeOfRules(this.rules).members; // of metadata, the schema knows only these
    return new Map(struct.fields.map(({ name, shape }) => [name, placeOfShape(shape)]));
  }
}

const CONTAINER_TYPES = { struct: 'object', map: 'object', list: 'array' } as const;

const SCALAR_TYPES: Partial<Readonly<Record<ScalarName, readonly string[]>>> = {
  string: ['string'],
  int32: ['integer'],
  int64: ['integer'],
  double: ['number'],
  bool: ['boolean'],
  IntOrString: ['integer', 'string'],
};

class RulesPlace implements JudgedPlace {
  readonly types: readonly string[];
  readonly isNullable = false;
  readonly rules: NestedRules;

  constructor(rules: NestedRules) {
    this.types = rules.type === undefined ? [] : [rules.type];
    this.rules = rules;
  }

  get item(): JudgedPlace | undefined {
    return this.rules.items === undefined ? undefined : placeOfRules(this.rules.items);
  }

  get others(): JudgedPlace | undefined {
    const { additionalProperties } = this.rules;
    return additionalProperties === undefined ? undefined : placeOfRules(additionalProperties);
  }

  get members(): ReadonlyMap<string, JudgedPlace> {
    const { properties } = this.rules;
    if (properties === undefined) return NO_MEMBERS;
    return new Map(
      Object.keys(properties)
        .sort()
        .map((name) => [name, placeOfRules(properties[name] as NestedRules)]),
    );
  }
}
