import type { AdmissionAttributes, AdmissionTarget } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';

/** A resource or one of its subresources. */
interface Place {
  readonly group: string;
  readonly plural: string;
  readonly subresource?: string;
}

/** Whether a request creates or updates such objects. */
export function isWriteOf(target: AdmissionTarget, place: Place): boolean {
  return (target.operation === 'CREATE' || target.operation === 'UPDATE') && isAbout(target, place);
}

/** Whether a request creates such objects. */
export function isCreateOf(target: AdmissionTarget, place: Place): boolean {
  return target.operation === 'CREATE' && isAbout(target, place);
}

/** Whether a request changes such objects. */
export function isUpdateOf(target: AdmissionTarget, place: Place): boolean {
  return target.operation === 'UPDATE' && isAbout(target, place);
}

function isAbout({ resource, subresource }: AdmissionTarget, place: Place): boolean {
  const { group, plural, subresource: view = '' } = place;
  return resource.group === group && resource.plural === plural && subresource === view;
}

/** The object to be written; the plugin must handle only this kind. */
export function writtenObject<T>({ object }: Pick<AdmissionAttributes, 'object'>): Whole<T> {
  return object as unknown as Whole<T>;
}

/** The stored object; the plugin must handle only updates of this kind. */
export function storedObject<T>({ old }: Pick<AdmissionAttributes, 'old'>): Whole<T> {
  return old as unknown as Whole<T>;
}

/** Replaces the spec of the object to be written; the old spec may be shared and is not changed. */
export function setSpec(request: AdmissionAttributes, spec: object): void {
  request.object = { ...request.object, spec } as unknown as AdmissionAttributes['object'];
}

/** Sets metadata members of the object to be written. */
export function setMetadata(
  request: AdmissionAttributes,
  members: Partial<NonNullable<AdmissionAttributes['object']>['metadata']>,
): void {
  const { object } = request;
  if (object !== undefined) request.object = { ...object, metadata: { ...object.metadata, ...members } };
}
