import { type ApiObject, badRequest, type FieldMatcher, type LabelMatcher } from '../../api/index.ts';
import type { ListOptions } from '../request/list-options.ts';
import type { Resource } from '../resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** Which objects of a collection a request is about. */
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
  const includes = (object: ApiObject): boolean =>
    (name === '' || object.metadata.name === name) &&
    matchesLabels(object, labelSelector) &&
    matchesFields(object, fieldSelector, resource);
  return { isAll: false, includes, matches: (stored) => includes(stored.as(resource)) };
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

function matchesLabels(object: ApiObject, selector: LabelMatcher): boolean {
  return selector.isEmpty || selector.matches(object.metadata.labels ?? noLabels);
}

function matchesFields(object: ApiObject, selector: FieldMatcher, resource: Resource): boolean {
  if (selector.isEmpty) return true;
  return selector.matches(recent.of(object, resource));
}

type Fields = Readonly<Record<string, string>>;

/** The fields of the objects that were asked about last: an event goes to many watchers, one after the other. */
class RecentFields {
  /** Before and after a change. */
  readonly #known: (
    | { readonly object: ApiObject; readonly resource: Resource; readonly fields: Fields }
    | undefined
  )[] = [undefined, undefined];
  #next = 0;

  of(object: ApiObject, resource: Resource): Fields {
    for (const known of this.#known) if (known?.object === object && known.resource === resource) return known.fields;
    const { name = '', namespace = '' } = object.metadata;
    const fields = { 'metadata.name': name, 'metadata.namespace': namespace, ...resource.selectFields(object) };
    this.#known[this.#next] = { object, resource, fields };
    this.#next = 1 - this.#next;
    return fields;
  }
}

const recent = new RecentFields();

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

/** Kinds with fields of their own have their own words, and Job yet others. */
function unknownField({ kind, selectableFields }: Resource, field: string): string {
  const quoted = JSON.stringify(field);
  if (selectableFields.length === 0) {
    return `${quoted} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  }
  return kind === 'Job' ? `field label ${quoted} not supported for Job` : `field label not supported: ${field}`;
}
