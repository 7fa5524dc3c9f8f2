import type { Constraints } from '../schema/constraints.ts';
import type { DefinitionFile, FieldFlags, UnionDefinition } from './definition.ts';

/** The packed table: the definition files as one JSON text without descriptions, resolved on first use. */
export interface PackedTable {
  readonly packages: readonly PackedPackage[];
}

export interface PackedPackage extends Omit<DefinitionFile, 'types'> {
  readonly types: readonly PackedType[];
}

export type PackedType = readonly [
  name: string,
  isKind: 0 | 1,
  /** 1: atomic, 2: granular. */
  merging: 0 | 1 | 2,
  fields: readonly PackedField[],
  unions?: readonly UnionDefinition[],
  checkedFirst?: readonly string[],
  hasOwnRules?: 0 | 1,
  internal?: string,
];

/** A single protobuf number is packed as itself, 0 for none, and a path of them as a list. */
export type PackedField = readonly [
  name: string,
  number: number | readonly number[],
  type: string,
  flags?: FieldFlags | 0,
  constraints?: Constraints,
];

/** Descriptions by OpenAPI type name: the type's own under the key "", then each field's. */
export type PackedDescriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function pack(files: readonly DefinitionFile[]): PackedTable {
  return {
    packages: files.map((file) => ({
      ...file,
      types: file.types.map((type): PackedType => {
        const fields = type.fields.map((field): PackedField => {
          const start = [field.name, packedNumber(field.numbers), field.type] as const;
          const hasFlags = Object.keys(field.flags).length > 0;
          if (Object.keys(field.constraints).length > 0)
            return [...start, hasFlags ? field.flags : 0, field.constraints];
          return hasFlags ? [...start, field.flags] : start;
        });
        const start = [type.name, type.isKind ? 1 : 0, type.isAtomic ? 1 : type.isGranular ? 2 : 0, fields] as const;
        if (type.internal !== undefined)
          return [...start, type.unions, type.checkedFirst, type.hasOwnRules ? 1 : 0, type.internal];
        if (type.hasOwnRules) return [...start, type.unions, type.checkedFirst, 1];
        if (type.checkedFirst.length > 0) return [...start, type.unions, type.checkedFirst];
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
