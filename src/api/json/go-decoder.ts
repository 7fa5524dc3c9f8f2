import type { Field, ListShape, MapShape, ScalarName, Shape, Struct } from '../schema/schema.ts';
import { quoteGo } from '../values/go-text.ts';
import { DecodeError } from './decode-error.ts';
import { checkScalar, type Complaint, wordFor } from './go-scalars.ts';
import { goElementType, goEmbedding, goStructName, goTypeOf, goTypeOfShape } from './go-types.ts';
import type { JsonNode } from './json-node.ts';

/** A field that the type does not have, or that came twice. */
export interface StrictProblem {
  readonly kind: 'unknown' | 'duplicate';
  readonly path: string;
}

/** `unknown field "spec.foo"` */
export function describeProblem(problem: StrictProblem): string {
  return `${problem.kind} field ${quoteGo(problem.path)}`;
}

/** Kubernetes stops collecting there. */
const MAX_PROBLEMS = 100;

/**
 * Finds what Go's decoder would complain about. A value of a wrong type is noted and decoding goes on: the first one is
 * reported in the end. A text that is no quantity, time, … ends decoding at once, and is reported instead.
 */
export class GoDecoder {
  readonly problems: StrictProblem[] = [];
  firstError: DecodeError | undefined;
  readonly #isStrict: boolean;
  readonly #seen = new Set<string>();
  /** Where we are, as type errors tell it: the fields, without list indexes and map keys, and the struct of the last one. */
  readonly #fields: string[] = [];
  #struct = '';
  /** Where we are, as strict errors tell it. */
  #path = '';

  constructor(options: { readonly isStrict: boolean }) {
    this.#isStrict = options.isStrict;
  }

  decodeRoot(node: JsonNode, struct: Struct): void {
    this.#decode(node, { kind: 'struct', struct }, { type: goStructName(struct), owner: struct });
  }

  #decode(node: JsonNode, shape: Shape, context: { readonly type: string; readonly owner: Struct }): void {
    switch (shape.kind) {
      case 'scalar':
        return this.#decodeScalar(node, shape.scalar, context);
      case 'struct':
        if (node.kind === 'object') return this.#decodeStruct(node, shape.struct);
        break;
      case 'list':
        if (node.kind === 'array') return this.#decodeList(node, shape, context);
        break;
      case 'map':
        if (node.kind === 'object') return this.#decodeMap(node, shape, context);
        break;
    }
    if (node.kind !== 'null') this.#note({ value: node.kind, type: context.type });
  }

  #decodeStruct(node: JsonNode & { kind: 'object' }, struct: Struct): void {
    const around = { struct: this.#struct, path: this.#path };
    const names = new Set<string>();
    for (const { key, value } of node.entries) {
      const field = struct.field(key);
      const isRepeated = names.has(key);
      names.add(key);
      if (field === undefined) {
        if (!struct.preservesUnknown) this.#report('unknown', key);
        else this.#checkUntyped(value, { key, isRepeated });
        continue;
      }
      if (isRepeated) this.#report('duplicate', key);
      this.#decodeField(value, field, struct);
      this.#struct = around.struct;
      this.#path = around.path;
    }
  }

  #decodeField(value: JsonNode, field: Field, struct: Struct): void {
    const depth = this.#fields.length;
    this.#fields.push(...goEmbedding(struct, field), field.name);
    this.#struct = struct.shortName;
    this.#path = this.#pathTo(field.name);
    this.#decode(value, field.shape, { type: goTypeOf(struct, field), owner: struct });
    this.#fields.length = depth;
  }

  #decodeList(node: JsonNode & { kind: 'array' }, shape: ListShape, context: { type: string; owner: Struct }): void {
    const path = this.#path;
    const type = goElementType(context.type, shape.element);
    for (const [index, item] of node.items.entries()) {
      this.#path = `${path}[${index}]`;
      this.#decode(item, shape.element, { type, owner: context.owner });
    }
    this.#path = path;
  }

  #decodeMap(node: JsonNode & { kind: 'object' }, shape: MapShape, context: { type: string; owner: Struct }): void {
    const path = this.#path;
    const type = goElementType(context.type, shape.value);
    const keys = new Set<string>();
    for (const { key, value } of node.entries) {
      if (keys.has(key)) this.#report('duplicate', key);
      keys.add(key);
      this.#path = this.#pathTo(key);
      this.#decode(value, shape.value, { type, owner: context.owner });
      this.#path = path;
    }
  }

  #decodeScalar(node: JsonNode, scalar: ScalarName, { type, owner }: { type: string; owner: Struct }): void {
    switch (scalar) {
      case 'JSONSchemaPropsOrArray':
      case 'JSONSchemaPropsOrBool':
      case 'JSONSchemaPropsOrStringArray':
        return this.#decodeSchema(node, scalar, owner);
      default: {
        const complaint = checkScalar(node, scalar, type);
        if (complaint?.isFinal === true) throw new GoAbort(this.#describe(complaint));
        if (complaint !== undefined) this.#note(complaint);
      }
    }
  }

  /** These decode themselves, not strictly; the first thing wrong inside them ends everything. */
  #decodeSchema(node: JsonNode, scalar: ScalarName, schema: Struct): void {
    const isArray = node.kind === 'array' && scalar !== 'JSONSchemaPropsOrBool';
    if (scalar === 'JSONSchemaPropsOrBool' && !['object', 'bool', 'null'].includes(node.kind)) {
      throw new GoAbort(new DecodeError('value', 'boolean or JSON schema expected'));
    }
    if (node.kind !== 'object' && !isArray) return;
    const element: Shape =
      isArray && scalar === 'JSONSchemaPropsOrStringArray' ? { kind: 'scalar', scalar: 'string' } : { kind: 'struct', struct: schema };
    const inner = new GoDecoder({ isStrict: false });
    for (const item of isArray ? node.items : [node]) {
      inner.#decode(item, element, { type: goTypeOfShape(element), owner: schema });
    }
    const [complaint] = inner.#complaints;
    if (complaint === undefined) return;
    throw new GoAbort(this.#describe(complaint));
  }

  /** What no type is known for is decoded as maps and lists: keys may come twice, and a number may be too large. */
  #checkUntyped(node: JsonNode, { key, isRepeated }: { key: string; isRepeated: boolean }): void {
    const path = this.#path;
    if (isRepeated) this.#report('duplicate', key);
    this.#path = this.#pathTo(key);
    this.#visitUntyped(node);
    this.#path = path;
  }

  #visitUntyped(node: JsonNode): void {
    const path = this.#path;
    if (node.kind === 'array') {
      for (const [index, item] of node.items.entries()) {
        this.#path = `${path}[${index}]`;
        this.#visitUntyped(item);
      }
    } else if (node.kind === 'object') {
      const keys = new Set<string>();
      for (const { key, value } of node.entries) {
        this.#checkUntyped(value, { key, isRepeated: keys.has(key) });
        keys.add(key);
      }
    } else if (node.kind === 'number') {
      const complaint = checkScalar(node, 'double', 'float64');
      if (complaint !== undefined) this.#note(complaint);
    }
    this.#path = path;
  }
}
