import { type Random, SeededRandom } from '../../../base/index.ts';
import type { KubernetesObject } from '../../../client/index.ts';
import type { Structural } from '../../../kit/index.ts';
import type { ClusterState } from '../cluster-state.ts';
import { parseObjectName } from '../other-users.ts';
import type { ObjectName } from '../plan.ts';
import { valuesOf } from './field-values.ts';
import type { InputChange, InputFault } from './input-fault.ts';
import { generalPath, type InputOptions, namesField } from './input-options.ts';
import { fieldsOf, type SchemaField, valueAt } from './schema-fields.ts';

/** What is read of a definition. */
export interface InputDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema?: { readonly openAPIV3Schema?: object | undefined } | undefined;
    }[];
  };
}

export interface InputParts {
  readonly definitions: readonly InputDefinition[];
  /** The objects that users have created, with the first step at whose end they exist. */
  readonly objects: readonly UserObject[];
  readonly options: InputOptions;
  readonly seed: string;
}

export interface UserObject {
  readonly name: ObjectName;
  readonly step: string;
  readonly value: unknown;
}

/** Sequences of changes for each object. */
const MAX_SEQUENCES = 12;
/** Changes in one sequence. */
const SEQUENCE = 4;
/** Other objects on which a field is tried that does nothing for the one of the scenario. */
const CONTEXTS = 3;

/** What users may do with the fields of their objects: each field alone, sequences of changes, and fields in other surroundings. */
export class InputPlans {
  readonly #parts: InputParts;
  readonly #random: Random;
  readonly #fields: readonly InputField[];

  constructor(parts: InputParts) {
    this.#parts = parts;
    this.#random = new SeededRandom(`${parts.seed} inputs`);
    this.#fields = parts.objects.flatMap((each) => this.#fieldsOf(each));
  }

  /** Each value of each field alone, and sequences. */
  get plans(): readonly InputFault[] {
    const alone = this.#fields.flatMap((field) => [
      ...field.values.map((value) => faultOf(field, [...field.parents, changeTo(field, value)], 'back')),
      ...field.values.slice(0, 1).map((value) => faultOf(field, [...field.parents, changeTo(field, value)], 'new')),
    ]);
    const count = Math.min(MAX_SEQUENCES, this.#fields.length);
    const sequences = Array.from({ length: count }, () => this.#sequence()).flat();
    return [...alone, ...sequences];
  }

  /** A field again, on objects whose other fields differ: what it does may depend on them. */
  inOtherSurroundings({ object, changes }: InputFault): readonly InputFault[] {
    const field = this.#fields.find((each) => each.object === object && each.path === changes.at(-1)?.field);
    if (field === undefined) return [];
    const others = this.#fields.filter((each) => each.object === object && each.path !== field.path);
    return Array.from({ length: others.length === 0 ? 0 : CONTEXTS }, () => {
      const before = this.#some(others, SEQUENCE);
      return field.values.slice(0, 1).map((value) => {
        const parents = field.parents.filter((parent) => before.every((each) => each.field !== parent.field));
        return faultOf(field, [...before, ...parents, changeTo(field, value)], 'back');
      });
    }).flat();
  }

  #sequence(): readonly InputFault[] {
    const first = this.#fields[this.#random.int(this.#fields.length)];
    if (first === undefined) return [];
    const own = this.#fields.filter(({ object }) => object === first.object);
    return [faultOf(first, this.#some(own, SEQUENCE), 'back')];
  }

  #some(fields: readonly InputField[], count: number): readonly InputChange[] {
    return Array.from({ length: count }).flatMap(() => {
      const field = fields[this.#random.int(fields.length)];
      if (field === undefined) return [];
      return [...field.parents, changeTo(field, field.values[this.#random.int(field.values.length)])];
    });
  }

  #fieldsOf({ name, step, value }: UserObject): readonly InputField[] {
    const { apiVersion, kind } = parseObjectName(name);
    const schema = schemaOf(this.#parts.definitions, apiVersion, kind);
    if (schema === undefined) return [];
    const { values = {}, skip = [] } = this.#parts.options;
    const given = new Map(Object.entries(values).map(([field, list]) => [generalName(field), list]));
    const all = fieldsOf(schema, value).filter(({ path }) => !namesField(skip, kind, path.join('.')));
    return all.flatMap((field): readonly InputField[] => {
      const path = field.path.join('.');
      const made = given.get(generalName(`${kind} ${path}`)) ?? this.#valuesOf(field, value);
      const parents = this.#parentsOf(field, all, value);
      return made.length === 0 ? [] : [{ object: name, step, path, values: made, parents }];
    });
  }

  #valuesOf({ path, schema, isRequired }: SchemaField, object: unknown): readonly unknown[] {
    return valuesOf(schema, { current: valueAt(object, path), isRequired, random: this.#random });
  }

  /** The change that makes the structure which a field is in, if the object has none. */
  #parentsOf({ path }: SchemaField, all: readonly SchemaField[], object: unknown): readonly InputChange[] {
    for (let depth = 1; depth < path.length; depth++) {
      const above = path.slice(0, depth);
      if (valueAt(object, above) !== undefined) continue;
      const parent = all.find((each) => each.path.join('.') === above.join('.'));
      const [value] = parent === undefined ? [] : this.#valuesOf(parent, object);
      return value === undefined ? [] : [{ field: above.join('.'), value }];
    }
    return [];
  }
}

interface InputField {
  readonly object: ObjectName;
  readonly step: string;
  readonly path: string;
  readonly values: readonly unknown[];
  readonly parents: readonly InputChange[];
}

function changeTo({ path }: InputField, value: unknown): InputChange {
  return value === undefined ? { field: path } : { field: path, value };
}

function faultOf({ object, step }: InputField, changes: readonly InputChange[], end: InputFault['end']): InputFault {
  return { type: 'input', object, step, changes, end };
}

function generalName(field: string): string {
  const [kind = '', path = ''] = field.split(' ');
  return `${kind} ${generalPath(path)}`;
}

function schemaOf(definitions: readonly InputDefinition[], apiVersion: string, kind: string): Structural | undefined {
  const [group, version] = apiVersion.split('/');
  const found = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind);
  return found?.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema as Structural | undefined;
}

/** The objects that users have, each at the first step after which it is there. */
export function firstStates(
  states: ReadonlyMap<string, ClusterState>,
  usersOf: (state: ClusterState) => readonly ObjectName[],
): readonly UserObject[] {
  const found = new Map<ObjectName, UserObject>();
  for (const [step, state] of states)
    for (const name of usersOf(state)) {
      const [, , key = ''] = name.split(' ', 3);
      const { kind } = parseObjectName(name);
      const object = state.objects.find(({ id }) => id === `${kind} ${key}`);
      if (object !== undefined && !found.has(name)) found.set(name, { name, step, value: object.value });
    }
  return [...found.values()];
}

/** The object with a field set, or removed. */
export function withField(object: KubernetesObject, { field, value }: InputChange): KubernetesObject {
  const [name = '', ...rest] = field.split('.');
  return withMember(object, [name, ...rest], value) as KubernetesObject;
}

function withMember(parent: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  const inner =
    rest.length === 0 ? value : withMember((parent as Record<string, unknown> | undefined)?.[name], rest, value);
  if (Array.isArray(parent)) return parent.map((item: unknown, index) => (String(index) === name ? inner : item));
  const { [name]: _, ...others } = (parent ?? {}) as Readonly<Record<string, unknown>>;
  return inner === undefined ? others : { ...others, [name]: inner };
}
