import type { Issues } from '../syntax/index.ts';
import { DYN, ERROR, formatType, STRING, type Substitutions, type Type } from '../type-terms/index.ts';
import type { Declarations } from './declared.ts';

/** Finds the types of fields and of constructed structs; reports problems. */
export class FieldTypes {
  readonly #declared: Declarations;
  readonly #bindings: Substitutions;
  readonly #issues: Issues;

  constructor(declared: Declarations, bindings: Substitutions, issues: Issues) {
    this.#declared = declared;
    this.#bindings = bindings;
    this.#issues = issues;
  }

  /** The type of a selected field of a value of this type. */
  ofValue(offset: number, target: Type, field: string): Type {
    switch (target.kind) {
      case 'map':
        return target.parameters[1] as Type;
      case 'struct':
        return this.ofStruct(offset, target.name, field);
      case 'param':
        this.#bindings.unify(DYN, target);
        return DYN;
      case 'dyn':
      case 'any':
      case 'error':
        return DYN;
      default:
        this.#issues.report(offset, `type '${formatType(target)}' does not support field selection`);
        return DYN;
    }
  }

  /** The type of a field that a struct is known to have. */
  ofStruct(offset: number, typeName: string, field: string): Type {
    if (this.#declared.types.findType(typeName) === undefined) {
      this.#issues.report(offset, `unexpected failed resolution of '${typeName}'`);
      return ERROR;
    }
    const type = this.#declared.types.findField(typeName, field);
    if (type === undefined) this.#issues.report(offset, `undefined field '${field}'`);
    return type ?? ERROR;
  }

  /** The type of a constructed struct, given what the name before its braces stands for. */
  structType(offset: number, found: Type): Type {
    if (found.kind === 'error') return ERROR;
    if (found.kind !== 'type') {
      this.#issues.report(offset, `'${found.declaredName}' is not a type`);
      return ERROR;
    }
    const type = found.element;
    if (type.kind === 'struct' || isWellKnown(type)) return type;
    this.#issues.report(offset, `'${type.declaredName}' is not a message type`);
    return ERROR;
  }
}

/** Protobuf's well-known types are constructed like structs, although they are not structs. */
function isWellKnown(type: Type): boolean {
  switch (type.kind) {
    case 'any':
    case 'duration':
    case 'dyn':
    case 'null':
    case 'timestamp':
      return true;
    case 'list':
      return type.element === DYN;
    case 'map':
      return type.element === STRING && type.parameters[1] === DYN;
    default:
      return type.wrapped !== undefined;
  }
}
