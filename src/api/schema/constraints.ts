/**
 * What is said of the values at one place of a type, beyond what they are: a field, an item of a list, a value of a map,
 * or the root. Definition files say it with flags, structural schemas with the words of OpenAPI.
 */
export interface Constraints extends NestedRules, Wording {
  /** Explicit `null` is a value of its own. Of structural types only; elsewhere null is absence. */
  readonly nullable?: boolean;
  /** Filled in where nothing is set. */
  readonly default?: unknown;
  /** The same, but not part of the published schema. */
  readonly fill?: unknown;
  /** The values that the server takes, in the order of its message, where that is not `enum`; none: it takes any. */
  readonly values?: readonly string[];
  readonly maxBytes?: number;
  /** How a text is written, by the names of `formats.ts`; not part of the published schema, other than `format`. */
  readonly syntax?: string;
  /** Fields that the type does not name are kept, not pruned. */
  readonly preservesUnknown?: boolean;
  /** The value is a whole object with apiVersion, kind and metadata. */
  readonly isEmbedded?: boolean;
  /** `title`, `description`, `example` and `externalDocs`, as they are published. */
  readonly documentation?: Readonly<Record<string, unknown>>;
}

/** What can be said of a value without knowing its type. */
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
  /** Names that an object must have; of built-in types, the fields say it. */
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

/** A rule in CEL: an entry of `x-kubernetes-validations`. */
export interface ExpressionRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** How upstream words what is wrong with a value of a built-in type, where it is not the usual way. */
export interface Wording {
  readonly belowSays?: string;
  readonly aboveSays?: string;
  /** A number that is zero was left out: it is reported as missing, or is no number at all. */
  readonly zero?: 'missing' | 'absent';
  /** A wrong value is reported at the object around it, or, like everything else about it, at the list around it. */
  readonly at?: 'parent' | 'list';
}
