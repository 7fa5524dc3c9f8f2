import type { ApiObject } from '../../api/index.ts';

/** The fields that a field selector may name, and their values; every `Resource` has them. */
export interface SelectableFields {
  readonly selectableFields: readonly string[];
  fieldValue(object: ApiObject, field: string): string;
}

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});

/** What selectors evaluate of an object. */
export class Traits {
  readonly resource: SelectableFields;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly #values: readonly string[];

  constructor(object: ApiObject, resource: SelectableFields) {
    const { name = '', namespace = '', labels = NO_LABELS } = object.metadata;
    this.resource = resource;
    this.name = name;
    this.namespace = namespace;
    this.labels = labels;
    this.#values = resource.selectableFields.map((field) => resource.fieldValue(object, field));
  }

  /** The value of a selectable field; empty when it is missing. */
  field(field: string): string {
    if (field === 'metadata.name') return this.name;
    if (field === 'metadata.namespace') return this.namespace;
    return this.#values[this.resource.selectableFields.indexOf(field)] ?? '';
  }
}
