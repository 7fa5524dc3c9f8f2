import { StatusError } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import { formats, mediaTypes, type Representation, streamFormats, streamMediaType } from './representation.ts';

const objectTypes = formats.map((format) => mediaTypes[format]);
const streamTypes = streamFormats.map(streamMediaType);

/** None of the media types of the header is served on this route at all. `isCollection`: it can be watched, too. */
export function noRouteFor(isCollection: boolean): StatusError {
  return noRoute(isCollection ? [...objectTypes, ...streamTypes] : objectTypes);
}

/** The same on a route that has nothing but JSON. */
export function noRouteButJson(): StatusError {
  return noRoute([mediaTypes.json]);
}

/** The same on a route that has nothing but this media type. */
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

/** The media types are right, but their parameters ask for something that the endpoint does not have. */
export function notAcceptable(): StatusError {
  return refusal(`only the following media types are accepted: ${objectTypes.join(', ')}`);
}

/** What is asked for can be had, but not event by event. */
export function notStreamable(): StatusError {
  return refusal(`only the following media types are accepted: ${streamTypes.join(', ')}`);
}

/** A single object was asked for as a list. */
function notAList(resource: Resource): StatusError {
  if (resource.capabilities.objects === 'unstructured')
    return new StatusError({ code: 500, message: 'content is not a list' });
  const type = internalTypeName(resource, resource.kind);
  return refusal(`you requested PartialObjectMetadataList, but the requested object is not a list (*${type})`);
}

/** A list was asked for as a single object. */
function isAList(resource: Resource): StatusError {
  const type = internalTypeName(resource, `${resource.kind}List`);
  return refusal(`you requested PartialObjectMetadata, but the requested object is a list (*${type})`);
}

/** Whether an object, or a list, can be converted in the way that was asked for; throws when it cannot. */
export function checkConversion(representation: Representation, resource: Resource, isList: boolean): void {
  const kind = representation.conversion?.kind;
  if (isList && kind === 'PartialObjectMetadata') throw isAList(resource);
  if (!isList && kind === 'PartialObjectMetadataList') throw notAList(resource);
}

function refusal(message: string): StatusError {
  return new StatusError({ code: 406, reason: 'NotAcceptable', message });
}

/** What Kubernetes calls the type inside, which two of its messages show. */
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
