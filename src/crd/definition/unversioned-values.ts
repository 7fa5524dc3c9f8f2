import { sentEmpty } from '../../api/index.ts';
import type { ValidationRule } from '../../api/types/apiextensions/v1.d.ts';
import type { Schema } from './definition.ts';
import type { HubSpec, HubVersion } from './hub-definition.ts';
import { isSchema, itemSchema, sortedEntries } from './inner-schemas.ts';

// Values as messages show them: upstream prints its unversioned types, with every member under its Go name.

type Printed = Readonly<Record<string, unknown>>;

/** A string that upstream holds as a pointer, and therefore prints as JSON and not as Go. */
export function pointerValue(text: string): unknown {
  return { toJSON: () => text };
}

export function printedVersions({ versions, hasVersions }: HubSpec): unknown {
  return hasVersions ? versions.map(printedVersion) : null;
}

function printedVersion(version: HubVersion): Printed {
  const { schema, subresources, additionalPrinterColumns: columns, selectableFields: fields } = version;
  return {
    Name: version.name ?? '',
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: schema === undefined ? null : { OpenAPIV3Schema: orNull(schema.openAPIV3Schema, printedSchema) },
    Subresources: orNull(subresources, ({ status, scale }) => ({
      Status: orNull(status, () => ({})),
      Scale: orNull(scale, ({ specReplicasPath, statusReplicasPath, labelSelectorPath }) => ({
        SpecReplicasPath: specReplicasPath ?? '',
        StatusReplicasPath: statusReplicasPath ?? '',
        LabelSelectorPath: labelSelectorPath ?? null,
      })),
    })),
    AdditionalPrinterColumns: orNull(columns, (list) =>
      list.map((column) => ({
        Name: column.name ?? '',
        Type: column.type ?? '',
        Format: column.format ?? '',
        Description: column.description ?? '',
        Priority: column.priority ?? 0,
        JSONPath: column.jsonPath ?? '',
      })),
    ),
    SelectableFields: orNull(fields, (list) => list.map(({ jsonPath }) => ({ JSONPath: jsonPath ?? '' }))),
  };
}

function orNull<T, R>(value: T | undefined, print: (value: T) => R): R | null {
  return value === undefined || value === null ? null : print(value);
}

export function printedRule(rule: ValidationRule): Printed {
  return {
    Rule: rule.rule ?? '',
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

export function printedItems(schema: Schema): Printed | null {
  const { items } = schema;
  if (items === undefined || items === null) return null;
  const single = itemSchema(schema);
  return {
    Schema: single === undefined ? null : printedSchema(single),
    JSONSchemas: Array.isArray(items) ? items.map(printedSchema) : null,
  };
}

/** The members of a schema in the order of upstream's type, each with its formatter; undefined: as it is, or null. */
const MEMBERS: readonly (readonly [
  goName: string,
  name: keyof Schema,
  zero: '' | false | null,
  print?: (value: never) => unknown,
])[] = [
  ['ID', 'id', ''],
  ['Schema', '$schema', ''],
  ['Ref', '$ref', null],
  ['Description', 'description', ''],
  ['Type', 'type', ''],
  ['Nullable', 'nullable', false],
  ['Format', 'format', ''],
  ['Title', 'title', ''],
  ['Default', 'default', null],
  ['Maximum', 'maximum', null],
  ['ExclusiveMaximum', 'exclusiveMaximum', false],
  ['Minimum', 'minimum', null],
  ['ExclusiveMinimum', 'exclusiveMinimum', false],
  ['MaxLength', 'maxLength', null],
  ['MinLength', 'minLength', null],
  ['Pattern', 'pattern', ''],
  ['MaxItems', 'maxItems', null],
  ['MinItems', 'minItems', null],
  ['UniqueItems', 'uniqueItems', false],
  ['MultipleOf', 'multipleOf', null],
  ['Enum', 'enum', null],
  ['MaxProperties', 'maxProperties', null],
  ['MinProperties', 'minProperties', null],
  ['Required', 'required', null],
  ['Items', 'items', null, (items: Schema['items']) => printedItems({ items } as Schema)],
  ['AllOf', 'allOf', null, printedList],
  ['OneOf', 'oneOf', null, printedList],
  ['AnyOf', 'anyOf', null, printedList],
  ['Not', 'not', null, printedSchema],
  ['Properties', 'properties', null, printedMap],
  ['AdditionalProperties', 'additionalProperties', null, printedOrBool],
  ['PatternProperties', 'patternProperties', null, printedMap],
  ['Dependencies', 'dependencies', null, printedDependencies],
  ['AdditionalItems', 'additionalItems', null, printedOrBool],
  ['Definitions', 'definitions', null, printedMap],
  ['ExternalDocs', 'externalDocs', null, printedDocs],
  ['Example', 'example', null],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', null],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', false],
  ['XIntOrString', 'x-kubernetes-int-or-string', false],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', null],
  ['XListType', 'x-kubernetes-list-type', null],
  ['XMapType', 'x-kubernetes-map-type', null],
  ['XValidations', 'x-kubernetes-validations', null, (rules: ValidationRule[]) => rules.map(printedRule)],
];

/** The names of upstream's members, in its order. */
export function goNamesOf(schema: Schema): readonly string[] {
  return MEMBERS.filter(([, name, zero]) => (schema[name] ?? sentEmpty(schema, name) ?? zero) !== zero).map(
    ([goName]) => goName,
  );
}

export function printedSchema(schema: Schema): Printed {
  return Object.fromEntries(
    MEMBERS.map(([goName, name, zero, print]) => {
      const value = schema[name] ?? sentEmpty(schema, name);
      if (value === null) return [goName, zero];
      return [goName, print === undefined ? value : print(value as never)];
    }),
  );
}

function printedList(list: readonly Schema[]): unknown {
  return list.map(printedSchema);
}

function printedMap(members: Readonly<Record<string, Schema>>): Printed {
  return Object.fromEntries(sortedEntries(members).map(([name, inner]) => [name, printedSchema(inner)]));
}

function printedOrBool(value: Schema | boolean): Printed {
  return isSchema(value) ? { Allows: true, Schema: printedSchema(value) } : { Allows: value, Schema: null };
}

function printedDependencies(members: Readonly<Record<string, Schema | string[]>>): Printed {
  const printed = (value: Schema | string[]): Printed =>
    isSchema(value) ? { Schema: printedSchema(value), Property: null } : { Schema: null, Property: value };
  return Object.fromEntries(sortedEntries(members).map(([name, value]) => [name, printed(value)]));
}

function printedDocs({ description = '', url = '' }: NonNullable<Schema['externalDocs']>): Printed {
  return { Description: description, URL: url };
}
