import { nullable, unionOf, type UnionPlace } from './schema-union.ts';
import { numberRules, stringRules, typeOfValues } from './schema-scalars.ts';
import type { SchemaProblem } from './schema-problem.ts';
import { isSchema, type Schema, type Structural, valueRules } from './schema-words.ts';

/** References can expand a small schema into a large one; schemas with more places are refused. */
const MAX_PLACES = 20_000;

const ANYTHING: Structural = { 'x-kubernetes-preserve-unknown-fields': true };

/** Keywords that say nothing about values, or that pruning and types already cover. */
const IGNORED = new Set(
  '$schema $id id $comment $anchor $defs definitions readOnly writeOnly deprecated examples contentEncoding contentMediaType additionalItems unevaluatedProperties'.split(
    ' ',
  ),
);
const KNOWN = new Set(
  'type title description default enum const nullable format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern items prefixItems minItems maxItems uniqueItems properties required additionalProperties patternProperties propertyNames minProperties maxProperties allOf anyOf oneOf not $ref example externalDocs'.split(
    ' ',
  ),
);

/**
 * The structural schema equivalent to a JSON Schema.
 *
 * Fields that a closed object would refuse are pruned by the server instead. What a definition cannot express is reported
 * with its path, never dropped silently.
 */
export function structuralOf(
  schema: unknown,
  path: string,
): { schema: Structural; problems: readonly SchemaProblem[] } {
  const writer = new StructuralWriter(isSchema(schema) ? schema : {});
  return { schema: writer.place(schema, path, []), problems: writer.problems };
}

class StructuralWriter {
  readonly problems: SchemaProblem[] = [];
  readonly #root: Schema;
  #places = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  place(given: unknown, path: string, references: readonly string[]): Structural {
    this.#places += 1;
    if (this.#places === MAX_PLACES + 1) this.#refuse(path, 'the schema is too large', 'use fewer references');
    if (given === true || this.#places > MAX_PLACES) return ANYTHING;
    if (!isSchema(given)) return this.#refuse(path, 'nothing fits', 'leave it out');
    if (typeof given['$ref'] === 'string') return this.#reference(given, path, references);
    for (const word of Object.keys(given)) this.#checkWord(word, path);
    if (given['default'] === null) this.#refuse(path, 'servers do not fill in null', 'make it optional instead');
    const inside = (schema: unknown, place: string): Structural => this.place(schema, place, references);
    const base = this.#typed(given, path, inside);
    return { ...documentation(given), ...this.#withAllOf(base, given, { path, inside }) };
  }

  #refuse(path: string, problem: string, instead: string): Structural {
    this.problems.push({ path, problem, instead });
    return ANYTHING;
  }

  #checkWord(word: string, path: string): void {
    if (KNOWN.has(word) || IGNORED.has(word) || /^(x-|~)/.test(word)) return;
    this.#refuse(path, `definitions do not know "${word}"`, 'write a rule in its place');
  }

  #reference(given: Schema, path: string, references: readonly string[]): Structural {
    const { $ref: name, ...beside } = given as Schema & { readonly $ref: string };
    if (references.includes(name))
      return this.#refuse(
        path,
        `"${name}" contains itself`,
        "accept any object here: 'x-kubernetes-preserve-unknown-fields'",
      );
    const target = name
      .replace(/^#\/?/, '')
      .split('/')
      .filter((part) => part !== '')
      .reduce<unknown>(
        (at, part) => (isSchema(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
        this.#root,
      );
    if (!name.startsWith('#') || !isSchema(target))
      return this.#refuse(path, `"${name}" is not in the schema`, 'put it under "$defs"');
    return this.place({ ...target, ...beside }, path, [...references, name]);
  }

  #typed(given: Schema, path: string, inside: Inside): Structural {
    if (given['x-kubernetes-int-or-string'] === true)
      return { 'x-kubernetes-int-or-string': true, ...numberRules(given, 'integer'), ...stringRules(given).rules };
    const values = 'const' in given ? [given['const']] : (given['enum'] as readonly unknown[] | undefined);
    const types = typesOf(given, values).filter((type) => type !== 'null');
    const isNullable =
      given['nullable'] === true || types.length < typesOf(given, values).length || values?.includes(null);
    const word = Array.isArray(given['anyOf']) ? 'anyOf' : Array.isArray(given['oneOf']) ? 'oneOf' : undefined;
    const place: UnionPlace = {
      path,
      word: word ?? 'anyOf',
      refuse: (problem: SchemaProblem) => void this.problems.push(problem),
    };
    const ofType = (type: string): Structural => this.#ofType(type, given, { path, inside });
    let typed: Structural;
    if (types.length === 0 && word !== undefined) typed = this.#union(given, { ...place, word }, inside);
    else if (types.length === 0)
      typed = values?.includes(null) || given['type'] === 'null' ? { type: 'null' } : ANYTHING;
    else typed = unionOf(types.map(ofType), place);
    if (types.length > 0 && word !== undefined) typed = { ...typed, ...this.#narrowed(given, path, inside) };
    if (values !== undefined && typed.type !== 'null') typed = { ...typed, enum: [...values] };
    return isNullable === true && typed.type !== 'null' ? nullable(typed, place) : typed;
  }

  #union(given: Schema, place: UnionPlace, inside: Inside): Structural {
    return unionOf(
      (given[place.word] as readonly unknown[]).map((choice) => inside(choice, place.path)),
      place,
    );
  }

  /** Alternatives beside a type only narrow it. */
  #narrowed(given: Schema, path: string, inside: Inside): Structural {
    const type = given['type'];
    const narrowed: Structural = {};
    for (const word of ['anyOf', 'oneOf'] as const) {
      const choices = given[word];
      if (!Array.isArray(choices)) continue;
      narrowed[word] = choices.map((choice) => valueRules(inside({ type, ...(choice as Schema) }, path)));
    }
    return narrowed;
  }

  #ofType(
    type: string,
    given: Schema,
    { path, inside }: { readonly path: string; readonly inside: Inside },
  ): Structural {
    switch (type) {
      case 'integer':
      case 'number':
        return { type, ...numberRules(given, type) };
      case 'boolean':
        return { type };
      case 'string': {
        const { rules, isRe2 } = stringRules(given);
        if (!isRe2)
          this.#refuse(path, `pattern ${rules.pattern} looks around or back, which RE2 cannot`, 'write a rule');
        return { type, ...rules };
      }
      case 'array':
        return this.#array(given, path, inside);
      case 'object':
        return this.#object(given, path, inside);
      default:
        return this.#refuse(
          path,
          `"${type}" is no type of JSON`,
          'use string, integer, number, boolean, object or array',
        );
    }
  }

  #array(given: Schema, path: string, inside: Inside): Structural {
    const { items, prefixItems, minItems, maxItems, uniqueItems } = given;
    if (prefixItems !== undefined || Array.isArray(items))
      return this.#refuse(path, 'a tuple has items of different types', 'use an object with a field for each');
    const item = items === undefined ? ANYTHING : inside(items, `${path}[*]`);
    const isSet = uniqueItems === true && ['string', 'integer', 'number', 'boolean'].includes(item.type ?? '');
    if (uniqueItems === true && !isSet)
      this.#refuse(path, 'only scalars can be unique', "use 'x-kubernetes-list-type': 'map' with keys");
    return {
      type: 'array',
      items: item,
      ...(typeof minItems === 'number' ? { minItems } : {}),
      ...(typeof maxItems === 'number' ? { maxItems } : {}),
      ...(isSet ? { 'x-kubernetes-list-type': 'set' } : {}),
    };
  }

  #object(given: Schema, path: string, inside: Inside): Structural {
    const { properties, required, minProperties, maxProperties } = given;
    const rules: Structural = {
      type: 'object',
      ...(Array.isArray(required) && required.length > 0 ? { required: [...(required as string[])] } : {}),
      ...(typeof minProperties === 'number' ? { minProperties } : {}),
      ...(typeof maxProperties === 'number' ? { maxProperties } : {}),
    };
    const named = namesOf(given);
    const values = valuesOf(given);
    const fields = {
      ...(isSchema(properties) ? properties : {}),
      ...Object.fromEntries(named.map((name) => [name, values])),
    };
    const entries = Object.entries(fields).map(([name, field]) => [name, inside(field, `${path}.${name}`)] as const);
    if (entries.length > 0) rules.properties = Object.fromEntries(entries);
    if (hasOpenNames(given))
      this.#refuse(
        path,
        'names of a map cannot be narrowed by a schema',
        "write a rule: self.all(name, name.matches('…'))",
      );
    if (named.length > 0 || values === undefined || values === false) return rules;
    if (values === true || (isSchema(values) && Object.keys(values).length === 0 && entries.length > 0))
      return { ...rules, 'x-kubernetes-preserve-unknown-fields': true };
    if (entries.length > 0)
      return this.#refuse(path, 'fields of its own beside those of a map', 'put the map into a field');
    return { ...rules, additionalProperties: inside(values, `${path}[*]`) };
  }

  #withAllOf(
    base: Structural,
    given: Schema,
    { path, inside }: { readonly path: string; readonly inside: Inside },
  ): Structural {
    let whole = base;
    const narrower: Structural[] = [];
    for (const part of (given['allOf'] as readonly unknown[] | undefined) ?? []) {
      const type = whole.type === undefined ? {} : { type: whole.type };
      const inner = inside(isSchema(part) ? { ...type, ...part } : part, path);
      if (whole === ANYTHING) whole = inner;
      else if (inner.type === 'object' && whole.type === 'object' && inner.properties !== undefined)
        whole = this.#intersection(whole, inner, path);
      else if (inner.type === whole.type) narrower.push(valueRules(inner));
      else this.#refuse(path, `a value is ${whole.type} and ${inner.type} at once`, 'choose one type');
    }
    const not = given['not'] === undefined ? {} : { not: valueRules(inside(given['not'], path)) };
    return { ...whole, ...(narrower.length > 0 ? { allOf: narrower } : {}), ...not };
  }

  #intersection(one: Structural, other: Structural, path: string): Structural {
    const properties = { ...one.properties };
    for (const [name, field] of Object.entries(other.properties ?? {})) {
      if (properties[name] !== undefined && JSON.stringify(properties[name]) !== JSON.stringify(field))
        this.#refuse(`${path}.${name}`, 'both parts of an intersection have it, in different forms', 'give it once');
      properties[name] = field;
    }
    const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])];
    return { ...one, ...other, properties, ...(required.length > 0 ? { required } : {}) };
  }
}

type Inside = (schema: unknown, path: string) => Structural;

function typesOf(given: Schema, values: readonly unknown[] | undefined): readonly string[] {
  const { type } = given;
  if (Array.isArray(type)) return type as string[];
  if (typeof type === 'string') return [type];
  const ofValues = values === undefined ? undefined : typeOfValues(values);
  if (ofValues !== undefined) return [ofValues];
  if (values !== undefined) return [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  if (given['properties'] !== undefined || isSchema(given['additionalProperties'])) return ['object'];
  return given['items'] === undefined ? [] : ['array'];
}

/** The names of a map that allows only a fixed list. */
function namesOf({ propertyNames }: Schema): readonly string[] {
  const names = isSchema(propertyNames) ? propertyNames['enum'] : undefined;
  return Array.isArray(names) ? (names as string[]) : [];
}

function valuesOf({ additionalProperties, patternProperties }: Schema): unknown {
  return isSchema(patternProperties) ? Object.values(patternProperties)[0] : additionalProperties;
}

/** True if names are narrowed by anything but a list. */
function hasOpenNames({ propertyNames, patternProperties }: Schema): boolean {
  const words = isSchema(propertyNames)
    ? Object.keys(propertyNames).filter((word) => !['type', 'enum'].includes(word))
    : [];
  const patterns = isSchema(patternProperties) ? Object.keys(patternProperties) : [];
  return words.length > 0 || patterns.some((pattern) => !['^.*$', '^(.*)$', '.*', ''].includes(pattern));
}

function documentation(given: Schema): Structural {
  const kept = Object.entries(given).filter(
    ([word]) =>
      ['title', 'description', 'default', 'example', 'externalDocs'].includes(word) || word.startsWith('x-kubernetes-'),
  );
  return Object.fromEntries(kept) as Structural;
}
