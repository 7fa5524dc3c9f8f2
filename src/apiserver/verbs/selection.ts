import { type ApiObject, badRequest, type FieldMatcher, type ListOptions } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { Traits } from '../storage/traits.ts';

/** The objects of a collection that a request selects. */
export interface Selection {
  readonly isAll: boolean;
  matches(stored: StoredObject): boolean;
  /** The same for an object in the resource's version. */
  includes(object: ApiObject): boolean;
}

const everything: Selection = { isAll: true, matches: () => true, includes: () => true };

/** Combines the selectors; `name` is the one in the path, when a single object is watched or listed. */
export function selection(resource: Resource, options: ListOptions, name: string): Selection {
  const { labelSelector, fieldSelector } = options;
  checkFields(resource, fieldSelector, name);
  if (labelSelector.isEmpty && fieldSelector.isEmpty && name === '') return everything;
  const selects = (traits: Traits): boolean =>
    (name === '' || traits.name === name) &&
    (labelSelector.isEmpty || labelSelector.matches(traits.labels)) &&
    (fieldSelector.isEmpty || fieldSelector.matches((field) => traits.field(field)));
  return {
    isAll: false,
    includes: (object) => selects(new Traits(object, resource)),
    matches: (stored) => selects(stored.traits(resource)),
  };
}

function checkFields(resource: Resource, selector: FieldMatcher, name: string): void {
  for (const requirement of selector.requirements) {
    const { field } = requirement;
    const isKnown =
      field === 'metadata.name' || field === 'metadata.namespace' || resource.selectableFields.includes(field);
    if (!isKnown) throw badRequest(unknownField(resource, field));
    if (name !== '' && field === 'metadata.name' && requirement.value !== name) {
      throw badRequest("fieldSelector metadata.name doesn't match requested name");
    }
  }
}

/** Kinds with selectable fields have other messages, and Job yet another. */
function unknownField({ kind, selectableFields }: Resource, field: string): string {
  const quoted = JSON.stringify(field);
  if (selectableFields.length === 0) {
    return `${quoted} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  }
  return kind === 'Job' ? `field label ${quoted} not supported for Job` : `field label not supported: ${field}`;
}
