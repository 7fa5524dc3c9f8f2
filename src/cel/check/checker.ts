import {
  type CallExpr,
  type ComprehensionExpr,
  type Expr,
  type IdentExpr,
  Issues,
  type ListExpr,
  type LiteralValue,
  type MapExpr,
  Operator,
  qualifiedName,
  type SelectExpr,
  type Source,
  type StructExpr,
} from '../syntax/index.ts';
import * as types from '../type-terms/index.ts';
import {
  BOOL,
  DYN,
  ERROR,
  formatType,
  INT,
  isOptionalType,
  listOf,
  mapOf,
  optionalOf,
  Substitutions,
  type Type,
} from '../type-terms/index.ts';
import { mostGeneral } from '../type-terms/substitutions.ts';
import { type Declarations } from './declared.ts';
import { FieldTypes } from './field-types.ts';
import { OverloadResolver } from './overload-resolver.ts';
import { Scope } from './scope.ts';
import { settle } from './settle.ts';

const LITERAL_TYPES: Readonly<Record<LiteralValue['kind'], Type>> = {
  null: types.NULL,
  bool: types.BOOL,
  int: types.INT,
  uint: types.UINT,
  double: types.DOUBLE,
  string: types.STRING,
  bytes: types.BYTES,
};

/** Infers the type of an expression and all its parts, and resolves its names. Writes both into the nodes. */
export class Checker {
  readonly #declared: Declarations;
  readonly #issues: Issues;
  readonly #bindings = new Substitutions();
  readonly #fields: FieldTypes;
  readonly #overloads: OverloadResolver;
  #scope: Scope | undefined;
  #freeTypes = 0;

  constructor(source: Source, declared: Declarations) {
    this.#declared = declared;
    this.#issues = new Issues(source);
    this.#fields = new FieldTypes(declared, this.#bindings, this.#issues);
    this.#overloads = new OverloadResolver(declared, {
      bindings: this.#bindings,
      issues: this.#issues,
      freshType: () => this.#freshType(),
    });
  }

  /** Checks the expression and returns the problems found. */
  check(expr: Expr): Issues {
    this.#visit(expr);
    settle(expr, this.#bindings);
    return this.#issues;
  }

  #visit(expr: Expr): Type {
    const type = this.#typeOf(expr);
    expr.type = type;
    return type;
  }

  #typeOf(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return LITERAL_TYPES[expr.literal.kind];
      case 'ident':
        return this.#ident(expr);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return this.#comprehension(expr);
    }
  }

  #ident(expr: IdentExpr): Type {
    const found = this.#lookup(expr.name);
    if (found === undefined) return this.#undeclared(expr, expr.name);
    expr.name = found.name;
    expr.constant = found.constant;
    return found.type;
  }

  #lookup(
    written: string,
  ): { readonly name: string; readonly type: Type; readonly constant?: Type | number } | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written;
    const local = this.#scope?.find(name);
    return local === undefined ? this.#declared.findIdent(name) : { name, type: local };
  }

  #undeclared(expr: Expr, name: string): Type {
    this.#issues.report(expr.offset, `undeclared reference to '${name}' (in container '')`);
    return ERROR;
  }

  #select(expr: SelectExpr): Type {
    const name = expr.isTest ? undefined : qualifiedName(expr);
    const found = name === undefined ? undefined : this.#lookup(name);
    if (found !== undefined) {
      expr.resolved = { kind: 'ident', offset: expr.offset, ...found };
      return found.type;
    }
    const type = this.#field(expr, expr.operand, { field: expr.field, isOptional: false });
    return expr.isTest ? BOOL : this.#bindings.apply(type, false);
  }

  #field(
    expr: Expr,
    operand: Expr,
    { field, isOptional }: { readonly field: string; readonly isOptional: boolean },
  ): Type {
    const operandType = this.#bindings.apply(this.#visit(operand), false);
    const isOptionalOperand = isOptionalType(operandType);
    const type = this.#fields.ofValue(expr.offset, isOptionalOperand ? operandType.element : operandType, field);
    return isOptional || isOptionalOperand ? optionalOf(type) : type;
  }

  #call(expr: CallExpr): Type {
    if (expr.name === Operator.optionalSelect) return this.#optionalSelect(expr);
    for (const arg of expr.args) this.#visit(arg);
    if (expr.target === undefined) {
      const name = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name;
      const declared = this.#declared.findFunction(name);
      if (declared === undefined) return this.#undeclared(expr, expr.name);
      expr.name = name;
      return this.#overloads.resolve(expr, declared);
    }
    const prefix = qualifiedName(expr.target);
    const qualified = prefix === undefined ? undefined : `${prefix.replace(/^\./, '')}.${expr.name}`;
    const namespaced = qualified === undefined ? undefined : this.#declared.findFunction(qualified);
    if (namespaced !== undefined) {
      expr.name = namespaced.name;
      expr.target = undefined;
      return this.#overloads.resolve(expr, namespaced);
    }
    this.#visit(expr.target);
    const declared = this.#declared.findFunction(expr.name);
    return declared === undefined ? this.#undeclared(expr, expr.name) : this.#overloads.resolve(expr, declared);
  }

  #optionalSelect(expr: CallExpr): Type {
    const [operand, name] = expr.args as readonly [Expr, Expr];
    const field = name.kind === 'literal' && name.literal.kind === 'string' ? name.literal.value : '';
    const type = this.#field(expr, operand, { field, isOptional: true });
    expr.overloads = ['select_optional_field'];
    return this.#bindings.apply(type, false);
  }

  #list(expr: ListExpr): Type {
    let type: Type | undefined;
    for (const [at, element] of expr.elements.entries()) {
      const found = this.#visit(element);
      type = this.#join(type, expr.optionals.has(at) ? this.#unwrap(element, found) : found);
    }
    return listOf(type === undefined || type.kind === 'none' ? this.#freshType() : type);
  }

  #map(expr: MapExpr): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of expr.entries) {
      key = this.#join(key, this.#visit(entry.key));
      const found = this.#visit(entry.value);
      value = this.#join(value, entry.isOptional ? this.#unwrap(entry.value, found) : found);
    }
    return mapOf(key ?? this.#freshType(), value ?? this.#freshType());
  }

  /** The value type of an element, entry or field that was written with `?`. */
  #unwrap(expr: Expr, type: Type): Type {
    if (isOptionalType(type)) return type.element;
    if (!type.isDyn) this.#mismatch(expr, optionalOf(type), type);
    return type;
  }

  #struct(expr: StructExpr): Type {
    const found = this.#lookup(expr.typeName);
    if (found === undefined) return this.#undeclared(expr, expr.typeName);
    expr.typeName = found.name;
    const type = this.#fields.structType(expr.offset, found.type);
    const typeName = type.kind === 'struct' ? type.name : expr.typeName;
    for (const field of expr.fields) {
      const given = this.#visit(field.value);
      const wanted = this.#fields.ofStruct(field.offset, typeName, field.name);
      const value = field.isOptional ? this.#unwrap(field.value, given) : given;
      if (!this.#bindings.unify(wanted, value)) {
        const [expected, provided] = [formatType(wanted), formatType(value)];
        const message = `expected type of field '${field.name}' is '${expected}' but provided type is '${provided}'`;
        this.#issues.report(field.offset, message);
      }
    }
    return type;
  }

  #comprehension(expr: ComprehensionExpr): Type {
    const rangeType = this.#bindings.apply(this.#visit(expr.range), false);
    const accumulatorType = this.#visit(expr.initial);
    this.#overloads.enableAll();
    const around = this.#scope;
    const outer = new Scope(new Map([[expr.accumulator, accumulatorType]]), around);
    this.#scope = new Scope(this.#loopVariables(expr, rangeType), outer);
    this.#assert(expr.condition, BOOL);
    this.#assert(expr.step, accumulatorType);
    this.#scope = outer;
    const result = this.#visit(expr.result);
    this.#scope = around;
    return this.#bindings.apply(result, false);
  }

  #loopVariables(expr: ComprehensionExpr, range: Type): ReadonlyMap<string, Type> {
    const [first, second] = this.#rangeTypes(expr, range);
    if (expr.variable2 === undefined) return new Map([[expr.variable, range.kind === 'list' ? second : first]]);
    return new Map([
      [expr.variable, first],
      [expr.variable2, second],
    ]);
  }

  /** The types of index or key, and of element or value. */
  #rangeTypes(expr: ComprehensionExpr, range: Type): readonly [Type, Type] {
    switch (range.kind) {
      case 'list':
        return [INT, range.element];
      case 'map':
        return [range.element, range.parameters[1] as Type];
      case 'dyn':
      case 'error':
      case 'param':
        this.#bindings.unify(DYN, range);
        return [DYN, DYN];
      default: {
        const message = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
        this.#issues.report(expr.range.offset, message);
        return [ERROR, ERROR];
      }
    }
  }

  #assert(expr: Expr, wanted: Type): void {
    const type = this.#visit(expr);
    if (!this.#bindings.unify(wanted, type)) this.#mismatch(expr, wanted, type);
  }

  /** The common type of elements of these two types. */
  #join(previous: Type | undefined, current: Type): Type {
    if (previous === undefined || previous.kind === 'none') return current;
    return this.#bindings.unify(previous, current) ? mostGeneral(previous, current) : DYN;
  }

  #mismatch(expr: Expr, expected: Type, found: Type): void {
    this.#issues.report(expr.offset, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  #freshType(): Type {
    this.#freeTypes += 1;
    return types.typeParameter(`_var${this.#freeTypes - 1}`);
  }
}
