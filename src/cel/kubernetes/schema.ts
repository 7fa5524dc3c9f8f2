/** What expressions need of a structural schema, in the form that CustomResourceDefinitions have it. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | readonly Schema[];
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

/** The properties, if there are any. */
export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> | undefined {
  return schema.properties !== undefined && Object.keys(schema.properties).length > 0 ? schema.properties : undefined;
}

export function itemsOf(schema: Schema): Schema | undefined {
  return Array.isArray(schema.items) ? undefined : (schema.items as Schema | undefined);
}

/** The schema of a map's values. */
export function entriesOf(schema: Schema): Schema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

const TEXT: Schema = { type: 'string' };

/** A resource's schema with the fields that expressions may always use: apiVersion, kind, metadata.name and generateName. */
export function withResourceFields(schema: Schema): Schema {
  const properties = schema.properties ?? {};
  const metadata = properties['metadata'];
  const isComplete =
    properties['kind']?.type === 'string' &&
    properties['apiVersion']?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties?.['name']?.type === 'string' &&
    metadata.properties['generateName']?.type === 'string';
  if (isComplete) return schema;
  const named: Schema = { type: 'object', properties: { name: TEXT, generateName: TEXT } };
  return { ...schema, properties: { ...properties, kind: TEXT, apiVersion: TEXT, metadata: named } };
}

export function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}
