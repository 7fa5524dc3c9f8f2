/** Whether fields with defaults are present: they are in objects that are read, and may be missing in objects that are sent. */
export type Reading = 'reading';
export type Direction = Reading | 'sending';

/** The TypeScript type of the values that a literal JSON Schema describes. */
export type TypeOfSchema<S, D extends Direction> = S extends { readonly nullable: true }
  ? TypeOfSchema<Omit<S, 'nullable'>, D> | null
  : S extends { readonly 'x-kubernetes-int-or-string': true }
    ? number | string
    : S extends { readonly const: infer Value }
      ? Value
      : S extends { readonly enum: readonly (infer Value)[] }
        ? Value
        : S extends { readonly properties: infer Fields }
          ? ObjectType<Fields, RequiredIn<S>, D> & Unknowns<S>
          : S extends { readonly anyOf: readonly (infer Choice)[] } | { readonly oneOf: readonly (infer Choice)[] }
            ? TypeOfChoice<Choice, D>
            : TypeByName<S, D>;

type TypeOfChoice<Choice, D extends Direction> = Choice extends unknown ? TypeOfSchema<Choice, D> : never;

type TypeByName<S, D extends Direction> = S extends { readonly type: readonly (infer Name)[] }
  ? Name extends unknown
    ? TypeOfSchema<Omit<S, 'type'> & { readonly type: Name }, D>
    : never
  : S extends { readonly type: 'string' }
    ? string
    : S extends { readonly type: 'integer' | 'number' }
      ? number
      : S extends { readonly type: 'boolean' }
        ? boolean
        : S extends { readonly type: 'null' }
          ? null
          : S extends { readonly type: 'array' }
            ? (S extends { readonly items: infer Item } ? TypeOfSchema<Item, D> : unknown)[]
            : S extends { readonly additionalProperties: infer Value }
              ? Record<string, Value extends object ? TypeOfSchema<Value, D> : unknown>
              : S extends { readonly patternProperties: infer Values }
                ? Record<string, TypeOfSchema<Values[keyof Values], D>>
                : S extends { readonly type: 'object' }
                  ? Record<string, unknown>
                  : unknown;

type RequiredIn<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Unknowns<S> = S extends { readonly 'x-kubernetes-preserve-unknown-fields': true }
  ? Record<string, unknown>
  : unknown;

type WithDefault<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly default: unknown } ? Name : never;
}[keyof Fields];

/** The names of the fields that are always present. */
type Present<Fields, Required, D extends Direction> = D extends Reading
  ? Extract<keyof Fields, Required> | WithDefault<Fields>
  : Exclude<Extract<keyof Fields, Required>, WithDefault<Fields>>;

type ObjectType<Fields, Required, D extends Direction> = Flat<
  { -readonly [Name in Present<Fields, Required, D>]: TypeOfSchema<Fields[Name], D> } & {
    -readonly [Name in Exclude<keyof Fields, Present<Fields, Required, D>>]?: TypeOfSchema<Fields[Name], D>;
  }
>;

type Flat<T> = { [Name in keyof T]: T[Name] };
