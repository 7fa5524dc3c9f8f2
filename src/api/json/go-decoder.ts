import type { Field, Shape, Struct } from '../schema/schema.ts';
import { Abort, type GoError, type Place, within } from './go-error.ts';
import { type CheckedScalar, checkScalar } from './go-scalars.ts';
import { goElementType, goEmbedding, goStructName, goTypeOf, goTypeOfShape } from './go-types.ts';
import type { JsonNode } from './json-node.ts';
import { isSchemaScalar, type SchemaScalar } from './schema-rules.ts';
import { StrictProblems } from './strict-problem.ts';
import { MAX_KEPT_DEPTH, tooDeep } from './walk.ts';

type ObjectNode = Extract<JsonNode, { kind: 'object' }>;
type ArrayNode = Extract<JsonNode, { kind: 'array' }>;

/** A shape, its Go name, and the enclosing struct. */
interface Target {
  readonly shape: Shape;
  readonly type: string;
  readonly owner: Struct;
}

/**
 * Finds what Go's decoder would refuse. A value of a wrong type is recorded and decoding continues; in the end the first
 * one is reported. A value that a type's own decoder refuses ends decoding at once, and is reported instead.
 */
export class GoDecoder {
  readonly problems = new StrictProblems();
  firstError: GoError | undefined;
  /** The current path in type errors: fields without list indexes and map keys, and the struct with the last one. */
  readonly #fields: string[] = [];
  #struct = '';
  /** The current path in strict errors. */
  #path = '';
  #depth = 0;

  decode(node: JsonNode, struct: Struct): void {
    this.#decode(node, { shape: { kind: 'struct', struct }, type: goStructName(struct), owner: struct });
  }

  #decode(node: JsonNode, target: Target): void {
    if (node.kind === 'null') return;
    this.#depth += 1;
    if (this.#depth > MAX_KEPT_DEPTH) throw tooDeep();
    const { shape } = target;
    if (shape.kind === 'scalar') this.#decodeScalar(node, target, shape.scalar);
    else if (shape.kind === 'struct' && node.kind === 'object') this.#decodeStruct(node, shape.struct);
    else if (shape.kind === 'list' && node.kind === 'array') this.#decodeList(node, target, shape.element);
    else if (shape.kind === 'map' && node.kind === 'object') this.#decodeMap(node, target, shape.value);
    else this.#note({ kind: 'type', value: node.kind, type: target.type, place: this.#place() });
    this.#depth -= 1;
  }

  #decodeStruct(node: ObjectNode, struct: Struct): void {
    const around = { struct: this.#struct, path: this.#path };
    const keys = new Set<string>();
    for (const { key, value } of node.entries) {
      const field = struct.field(key);
      if (keys.has(key) && (field !== undefined || struct.preservesUnknown))
        this.problems.add('duplicate', around.path, key);
      keys.add(key);
      if (field !== undefined) this.#decodeField(value, field, struct);
      else if (struct.preservesUnknown) this.#decodeUntyped(value, pathTo(around.path, key));
      else this.problems.add('unknown', around.path, key);
      this.#struct = around.struct;
      this.#path = around.path;
    }
  }

  #decodeField(value: JsonNode, field: Field, struct: Struct): void {
    const depth = this.#fields.length;
    this.#fields.push(...goEmbedding(struct, field), field.name);
    this.#struct = struct.shortName;
    this.#path = pathTo(this.#path, field.name);
    this.#decode(value, { shape: field.shape, type: goTypeOf(field), owner: struct });
    this.#fields.length = depth;
  }

  #decodeList(node: ArrayNode, target: Target, element: Shape): void {
    const path = this.#path;
    const item = { shape: element, type: goElementType(target.type, element), owner: target.owner };
    for (const [index, value] of node.items.entries()) {
      this.#path = `${path}[${index}]`;
      this.#decode(value, item);
    }
    this.#path = path;
  }

  #decodeMap(node: ObjectNode, target: Target, element: Shape): void {
    const path = this.#path;
    const item = { shape: element, type: goElementType(target.type, element), owner: target.owner };
    const keys = new Set<string>();
    for (const { key, value } of node.entries) {
      if (keys.has(key)) this.problems.add('duplicate', path, key);
      keys.add(key);
      this.#path = pathTo(path, key);
      this.#decode(value, item);
    }
    this.#path = path;
  }

  #decodeScalar(node: JsonNode, target: Target, scalar: CheckedScalar | SchemaScalar): void {
    if (isSchemaScalar(scalar)) {
      this.#decodeSchema(node, scalar, target.owner);
      return;
    }
    const found = checkScalar(node, scalar, target.type);
    if (found === undefined) return;
    const goError: GoError =
      'message' in found
        ? { kind: 'text', message: found.message }
        : { kind: 'type', value: found.value, type: found.type, place: this.#place() };
    if (found.isFinal) throw new Abort(goError);
    this.#note(goError);
  }

  /** These types decode themselves, and not strictly; any error inside them ends the decoding around them. */
  #decodeSchema(node: JsonNode, scalar: SchemaScalar, schema: Struct): void {
    if (scalar === 'JSONSchemaPropsOrBool' && node.kind !== 'object') {
      if (node.kind === 'bool') return;
      throw new Abort({ kind: 'text', message: 'boolean or JSON schema expected' });
    }
    const isStrings = scalar === 'JSONSchemaPropsOrStringArray' && node.kind === 'array';
    const element: Shape = isStrings ? { kind: 'scalar', scalar: 'string' } : { kind: 'struct', struct: schema };
    const items = node.kind === 'array' ? node.items : node.kind === 'object' ? [node] : [];
    const inner = new GoDecoder();
    inner.#depth = this.#depth;
    try {
      for (const item of items) inner.#decode(item, { shape: element, type: goTypeOfShape(element), owner: schema });
    } catch (error) {
      throw error instanceof Abort ? new Abort(within(this.#place(), error.goError)) : error;
    }
    if (inner.firstError !== undefined) throw new Abort(within(this.#place(), inner.firstError));
  }

  /** Untyped values are maps and lists: keys may still be duplicates, and a number may be too large. */
  #decodeUntyped(node: JsonNode, path: string): void {
    this.#depth += 1;
    if (this.#depth > MAX_KEPT_DEPTH) throw tooDeep();
    if (node.kind === 'array') {
      for (const [index, item] of node.items.entries()) this.#decodeUntyped(item, `${path}[${index}]`);
    } else if (node.kind === 'object') {
      const keys = new Set<string>();
      for (const { key, value } of node.entries) {
        if (keys.has(key)) this.problems.add('duplicate', path, key);
        keys.add(key);
        this.#decodeUntyped(value, pathTo(path, key));
      }
    } else if (node.kind === 'number' && checkScalar(node, 'double', 'float64') !== undefined) {
      this.#note({ kind: 'type', value: `number ${node.text}`, type: 'float64', place: this.#place() });
    }
    this.#depth -= 1;
  }

  #note(goError: GoError): void {
    this.firstError ??= goError;
  }

  #place(): Place {
    return { struct: this.#struct, fields: [...this.#fields] };
  }
}

function pathTo(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
