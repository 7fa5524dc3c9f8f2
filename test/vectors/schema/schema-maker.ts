import type { StructuralSchema } from '../../../src/api/index.ts';
import type { Random } from '../../../src/base/index.ts';

type Json = unknown;

const FORMATS =
  'byte date date-time duration email hostname ipv4 ipv6 cidr mac uuid uuid4 uri hexcolor rgbcolor ssn k8s-short-name odd'.split(
    ' ',
  );
const TEXTS =
  ' |a|ab|abc|äöü|YWJj|2024-01-01|2024-02-30|2024-01-01T00:00:00Z|1h|3 days|a@b.c|x.example.com|1.2.3.4|::1|10.0.0.0/8|00:11:22:33:44:55|123e4567-e89b-42d3-a456-426614174000|https://a/b|/x|#fff|rgb(1,2,3)|123-45-6789|x!y|A.b-|01.2.3.4|-a'.split(
    '|',
  );
const NAMES = ['a', 'b', 'c', 'd'] as const;

/** Makes schemas and objects that fit them, more or less. */
export class SchemaMaker {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  #pick<T>(...items: readonly T[]): T {
    return items[this.#random.int(items.length)] as T;
  }

  #percent(chance: number): boolean {
    return this.#random.int(100) < chance;
  }

  schema(depth: number): StructuralSchema {
    const schema = this.#bare(depth);
    const names = Object.keys(schema.properties ?? {});
    if (this.#percent(10)) schema.nullable = true;
    if (this.#percent(12)) {
      schema[this.#pick('anyOf' as const, 'oneOf' as const, 'allOf' as const)] = Array.from(
        { length: this.#pick(1, 2, 3) },
        () => this.#rules(names),
      );
    }
    if (this.#percent(4)) schema.not = this.#rules(names);
    if (this.#percent(15)) schema.default = this.value(schema, true) ?? undefined;
    return schema;
  }

  #bare(depth: number): StructuralSchema {
    const leaves = ['text', 'number', 'bool', 'either', 'free'] as const;
    switch (
      depth <= 0 ? this.#pick(...leaves) : this.#pick(...leaves, 'object', 'object', 'object', 'list', 'list', 'map')
    ) {
      case 'text':
        return this.#text();
      case 'number':
        return this.#number();
      case 'bool':
        return { type: 'boolean' };
      case 'either':
        return { 'x-kubernetes-int-or-string': true };
      case 'free':
        return { 'x-kubernetes-preserve-unknown-fields': true, type: this.#pick('object', undefined) };
      case 'list':
        return this.#list(this.schema(depth - 1));
      case 'map':
        return {
          type: 'object',
          additionalProperties: this.#percent(10) || this.schema(depth - 1),
          maxProperties: this.#pick(undefined, undefined, 0, 1),
          minProperties: this.#pick(undefined, undefined, 1),
        };
      case 'object': {
        const names = NAMES.slice(0, this.#pick(1, 2, 3, 4));
        return {
          type: 'object',
          properties: Object.fromEntries(names.map((name) => [name, this.schema(depth - 1)])),
          required: this.#percent(40) ? [this.#pick('a', 'b', 'z')] : undefined,
          'x-kubernetes-preserve-unknown-fields': this.#percent(15) || undefined,
        };
      }
    }
  }

  #text(): StructuralSchema {
    return {
      type: 'string',
      maxLength: this.#pick(undefined, undefined, undefined, 1, 3),
      minLength: this.#pick(undefined, undefined, undefined, 1, 2),
      pattern: this.#pick(undefined, undefined, undefined, '^a', '^[a-z]+$', '\\d'),
      format: this.#percent(40) ? this.#pick(...FORMATS) : undefined,
      enum: this.#percent(15) ? ['a', 'abc', '1h'] : undefined,
    };
  }

  #number(): StructuralSchema {
    const type = this.#pick('integer', 'number');
    const bound = (...fractions: readonly number[]): number | undefined => {
      const limit = this.#pick(undefined, undefined, ...fractions);
      return limit === undefined || type === 'number' ? limit : Math.max(1, Math.trunc(limit));
    };
    return {
      type,
      minimum: bound(0, 1.5, -3, 1e7),
      maximum: bound(2, 5, 2.5, 1e6),
      exclusiveMinimum: this.#percent(20) || undefined,
      exclusiveMaximum: this.#percent(20) || undefined,
      multipleOf: bound(2, 3, 0.5),
      format: this.#percent(20) ? (type === 'integer' ? this.#pick('int32', 'int64') : 'double') : undefined,
      enum: this.#percent(10) ? [1, 2, 3] : undefined,
    };
  }

  #list(items: StructuralSchema): StructuralSchema {
    const bounds = { maxItems: this.#pick(undefined, undefined, 1, 2), minItems: this.#pick(undefined, undefined, 1) };
    const keys = Object.keys(items.properties ?? {});
    if (keys.length > 0 && this.#percent(50)) {
      const map = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys.slice(0, this.#pick(1, 2)) };
      return { type: 'array', items, ...bounds, ...map };
    }
    return { type: 'array', items, ...bounds, 'x-kubernetes-list-type': this.#pick(undefined, undefined, 'set') };
  }

  #rules(names: readonly string[]): StructuralSchema {
    const [name] = names;
    if (name !== undefined && this.#percent(40)) {
      return {
        required: [name],
        properties: { [name]: this.#pick({ minLength: 2 }, { maximum: 3 }, { enum: ['a'] }) },
      };
    }
    return this.#pick<StructuralSchema>({ maxLength: 2 }, { minimum: 2 }, { enum: ['a', 1] });
  }

  /** A value for a schema; unless it is to be exact, sometimes of a wrong type, null, or with more in it. */
  value(schema: StructuralSchema, isExact = false): Json {
    if (!isExact && this.#percent(12)) return this.#pick(...ANYTHING);
    if (schema['x-kubernetes-int-or-string'] === true) return this.#pick<Json>(1, 'a', 80);
    switch (schema.type) {
      case 'string':
        return this.#pick(...TEXTS);
      case 'integer':
        return this.#pick(0, 1, 2, 3, 4, 6, 3_000_000_000);
      case 'number':
        return this.#pick(0, 1.5, 2, 2.25, 1e7, 12_345_678.5);
      case 'boolean':
        return this.#percent(50);
      case 'array':
        return Array.from({ length: this.#pick(0, 1, 2, 3) }, () =>
          this.value(schema.items as StructuralSchema, isExact),
        );
      case 'object':
        return this.#object(schema, isExact);
      default:
        return isExact ? { k: 1 } : this.#pick(...ANYTHING);
    }
  }

  #object({ properties = {}, additionalProperties }: StructuralSchema, isExact: boolean): Json {
    const members = Object.entries(properties).filter(() => this.#percent(70));
    if (typeof additionalProperties === 'object')
      members.push(['x', additionalProperties], ['y', additionalProperties]);
    const own = members.map(([name, inner]) => [name, this.value(inner, isExact)] as const);
    const odd = !isExact && this.#percent(20) ? { z: this.#pick(...ANYTHING) } : {};
    return { ...Object.fromEntries(own), ...odd };
  }
}

const ANYTHING: readonly Json[] = [null, null, 1, 2.5, 'a', true, [], {}, [null, 'a'], { a: 1, z: { y: null } }, 3e9];
