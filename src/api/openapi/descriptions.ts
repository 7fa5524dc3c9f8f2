import type { PackedDescriptions } from '../language/pack.ts';
import type { Struct } from '../schema/schema.ts';

/** The source of a document's descriptions. */
export interface Descriptions {
  ofType(struct: Struct): string | undefined;
  ofField(struct: Struct, field: string): string | undefined;
}

/** Loads the descriptions of the built-in types. They are large and rarely used, so nothing loads them earlier. */
export async function loadDescriptions(): Promise<Descriptions> {
  const { packedDescriptions } = await import('../generated/descriptions.ts');
  return new TableDescriptions(JSON.parse(packedDescriptions) as PackedDescriptions);
}

/** Descriptions by OpenAPI name; those of lists, `kind` and `apiVersion` are the same everywhere and not in the table. */
export class TableDescriptions implements Descriptions {
  readonly #texts: PackedDescriptions;

  constructor(texts: PackedDescriptions) {
    this.#texts = texts;
  }

  ofType(struct: Struct): string | undefined {
    const text = this.#own(struct)?.[''];
    if (text !== undefined && text !== '') return text;
    const element = listElement(struct);
    return element === undefined ? undefined : `${struct.shortName} is a list of ${element}.`;
  }

  ofField(struct: Struct, field: string): string | undefined {
    const text = this.#own(struct)?.[field];
    if (text !== undefined && text !== '') return text;
    if (struct.kind === undefined) return undefined;
    const element = listElement(struct);
    if (element !== undefined && field === 'items') return `The ${element} objects of the list.`;
    if (element !== undefined && field === 'metadata') return LIST_METADATA;
    return typeMeta.get(field);
  }

  #own(struct: Struct): Readonly<Record<string, string>> | undefined {
    return Object.hasOwn(this.#texts, struct.name) ? this.#texts[struct.name] : undefined;
  }
}

function listElement(struct: Struct): string | undefined {
  const items = struct.kind === undefined ? undefined : struct.field('items')?.shape;
  if (items?.kind !== 'list' || items.element.kind !== 'struct') return undefined;
  return items.element.struct.shortName;
}

export const LIST_METADATA = 'Metadata of the list: its resourceVersion, and where to continue when there is more.';

/** The descriptions of `kind` and `apiVersion`. */
export const typeMeta: ReadonlyMap<string, string> = new Map([
  ['kind', 'The kind of the object, in CamelCase. It follows from the endpoint and cannot be changed.'],
  [
    'apiVersion',
    'APIVersion defines the group and version in which the object is written, such as `apps/v1`, or `v1` for the core group.',
  ],
]);
