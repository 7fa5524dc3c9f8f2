/**
 * The constraints on the values at one place of a type, beyond their type: a field, an item of a list, a value of a map, or
 * the root. Definition files write them as flags, structural schemas as OpenAPI keywords.
 */
export interface Constraints extends NestedRules, Wording {
  /** Explicit `null` is a value. Only in structural types; elsewhere null means absent. */
  readonly nullable?: boolean;
  /** Filled in if nothing is set. */
  readonly default?: unknown;
  /** The same, but not part of the published schema. */
  readonly fill?: unknown;
  /** The values that the server accepts, in the order of its message, if they differ from `enum`; empty: any. */
  readonly values?: readonly string[];
  readonly maxBytes?: number;
  /** The syntax of a string, by the names of `formats.ts`; unlike `format`, not part of the published schema. */
  readonly syntax?: string;
  /** Unknown fields are kept, not pruned. */
  readonly preservesUnknown?: boolean;
  /** The value is a whole object with apiVersion, kind and metadata. */
  readonly isEmbedded?: boolean;
  /** `title`, `description`, `example` and `externalDocs`, for publication. */
  readonly documentation?: Readonly<Record<string, unknown>>;
}

/** Rules that are independent of the type. */
export interface ValueRules {
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression in the syntax of RE2. */
  readonly pattern?: string;
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  /** Required members; for built-in types, the fields have this. */
  readonly required?: readonly string[];
  readonly allOf?: readonly NestedRules[];
  readonly anyOf?: readonly NestedRules[];
  readonly oneOf?: readonly NestedRules[];
  readonly not?: NestedRules;
}

/**
 * Rules that reach into a value: those in `allOf`, `anyOf`, `oneOf` and `not`, and those for metadata, whose type the
 * schema does not define.
 */
export interface NestedRules extends ValueRules {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, NestedRules>>;
  readonly items?: NestedRules;
  readonly additionalProperties?: NestedRules;
  readonly rules?: readonly ExpressionRule[];
}

/** A CEL rule: an entry of `x-kubernetes-validations`. */
export interface ExpressionRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** Upstream's wording for a wrong value of a built-in type, where it is not the usual one. */
export interface Wording {
  readonly belowSays?: string;
  readonly aboveSays?: string;
  /** A zero counts as left out: it is reported as missing, or accepted as absent. */
  readonly zero?: 'missing' | 'absent';
  /** A wrong value is reported at the parent object or, like all its problems, at the list. */
  readonly at?: 'parent' | 'list';
}
