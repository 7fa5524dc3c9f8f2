import type { DefinitionFile, FieldFlags, ResourceDefinition, UnionDefinition } from './definition.ts';

/** The packed table: the definition files as one JSON text without descriptions, resolved when first asked for. */
export interface PackedTable {
  readonly packages: readonly PackedPackage[];
}

export interface PackedPackage {
  readonly group: string;
  readonly version: string;
  readonly package: string;
  readonly alias: string;
  readonly resources: readonly ResourceDefinition[];
  readonly types: readonly PackedType[];
}

/** name, is it a kind, is it atomic, fields, unions */
export type PackedType = readonly [
  name: string,
  isKind: 0 | 1,
  isAtomic: 0 | 1,
  fields: readonly PackedField[],
  unions?: readonly UnionDefinition[],
];

/** A lone protobuf number is packed as it is, 0 for none, and a path of them as a list. */
export type PackedField = readonly [name: string, number: number | readonly number[], type: string, flags?: FieldFlags];

/** Descriptions by OpenAPI type name: the type's own under the key "", then each field's. */
export type PackedDescriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function pack(files: readonly DefinitionFile[]): PackedTable {
  return {
    packages: files.map((file) => ({
      group: file.group,
      version: file.version,
      package: file.package,
      alias: file.alias,
      resources: file.resources,
      types: file.types.map((type): PackedType => {
        const fields = type.fields.map((field): PackedField =>
          Object.keys(field.flags).length === 0
            ? [field.name, packedNumber(field.numbers), field.type]
            : [field.name, packedNumber(field.numbers), field.type, field.flags],
        );
        const start = [type.name, type.isKind ? 1 : 0, type.isAtomic ? 1 : 0, fields] as const;
        return type.unions.length === 0 ? start : [...start, type.unions];
      }),
    })),
  };
}

function packedNumber(numbers: readonly number[]): number | readonly number[] {
  return numbers.length > 1 ? numbers : (numbers[0] ?? 0);
}

export function packDescriptions(files: readonly DefinitionFile[]): PackedDescriptions {
  const descriptions: Record<string, Record<string, string>> = {};
  for (const file of files) {
    for (const type of file.types) {
      const own: Record<string, string> = { '': type.description };
      for (const field of type.fields) if (field.description !== '') own[field.name] = field.description;
      descriptions[`${file.package}.${type.name}`] = own;
    }
  }
  return descriptions;
}
