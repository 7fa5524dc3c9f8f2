import type { AdmissionAttributes, AdmissionTarget } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';

/** A resource, or with `subresource` a view of it. */
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

/** The object as it is to be written, by a plugin that handles this kind only. */
export function writtenObject<T>({ object }: Pick<AdmissionAttributes, 'object'>): Whole<T> {
  return object as unknown as Whole<T>;
}

/** The object as it is stored, by a plugin that handles updates of this kind only. */
export function storedObject<T>({ old }: Pick<AdmissionAttributes, 'old'>): Whole<T> {
  return old as unknown as Whole<T>;
}

/** Lets the object be written with another spec; the old one may be shared and stays as it is. */
export function setSpec(request: AdmissionAttributes, spec: object): void {
  request.object = { ...request.object, spec } as unknown as AdmissionAttributes['object'];
}

/** Lets the object be written with other metadata members. */
export function setMetadata(
  request: AdmissionAttributes,
  members: Partial<NonNullable<AdmissionAttributes['object']>['metadata']>,
): void {
  const { object } = request;
  if (object !== undefined) request.object = { ...object, metadata: { ...object.metadata, ...members } };
}
