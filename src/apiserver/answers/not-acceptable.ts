import { StatusError } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import { formats, mediaTypes, type Representation, streamFormats, streamMediaType } from './representation.ts';

const objectTypes = formats.map((format) => mediaTypes[format]);
const streamTypes = streamFormats.map(streamMediaType);

/** The route serves none of the header's media types. `isCollection`: it can also be watched. */
export function noRouteFor(isCollection: boolean): StatusError {
  return noRoute(isCollection ? [...objectTypes, ...streamTypes] : objectTypes);
}

/** The same on a route that serves only JSON. */
export function noRouteButJson(): StatusError {
  return noRoute([mediaTypes.json]);
}

/** The same on a route that serves only this media type. */
export function noRouteBut(mediaType: string): StatusError {
  return noRoute([mediaType]);
}

function noRoute(available: readonly string[]): StatusError {
  return new StatusError({
    code: 406,
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`,
    details: {},
  });
}

/** The media types are right, but their parameters ask for a form that the endpoint does not have. */
export function notAcceptable(): StatusError {
  return refusal(`only the following media types are accepted: ${objectTypes.join(', ')}`);
}

/** The requested form exists, but not for events. */
export function notStreamable(): StatusError {
  return refusal(`only the following media types are accepted: ${streamTypes.join(', ')}`);
}

/** A single object was requested as a list. */
function notAList(resource: Resource): StatusError {
  if (resource.capabilities.objects === 'unstructured')
    return new StatusError({ code: 500, message: 'content is not a list' });
  const type = internalTypeName(resource, resource.kind);
  return refusal(`you requested PartialObjectMetadataList, but the requested object is not a list (*${type})`);
}

/** A list was requested as a single object. */
function isAList(resource: Resource): StatusError {
  const type = internalTypeName(resource, `${resource.kind}List`);
  return refusal(`you requested PartialObjectMetadata, but the requested object is a list (*${type})`);
}

/** Throws when an object, or a list, cannot be converted as requested. */
export function checkConversion(representation: Representation, resource: Resource, isList: boolean): void {
  const kind = representation.conversion?.kind;
  if (isList && kind === 'PartialObjectMetadata') throw isAList(resource);
  if (!isList && kind === 'PartialObjectMetadataList') throw notAList(resource);
}

function refusal(message: string): StatusError {
  return new StatusError({ code: 406, reason: 'NotAcceptable', message });
}

/** The name of Kubernetes' internal type, which two of its messages contain. */
function internalTypeName({ group, capabilities }: Resource, kind: string): string {
  if (capabilities.objects === 'unstructured')
    return kind.endsWith('List') ? 'unstructured.UnstructuredList' : 'unstructured.Unstructured';
  return `${internalPackages[group] ?? group.split('.', 1)[0]}.${kind}`;
}

const internalPackages: Readonly<Record<string, string>> = {
  '': 'core',
  'events.k8s.io': 'core',
  'internal.apiserver.k8s.io': 'apiserverinternal',
};
