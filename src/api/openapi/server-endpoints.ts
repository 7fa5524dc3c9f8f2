import type { Struct } from '../schema/schema.ts';
import type { DocumentSources } from './document-sources.ts';
import { operationNames } from './operation-id.ts';
import type { Endpoint, Operation } from './operation.ts';
import { groupVersionPath } from './endpoint-builder.ts';
import { builtInStyle } from './wire-style.ts';

/** The endpoints of every server, whatever it serves. */
export function serverEndpoints(sources: DocumentSources): Endpoint[] {
  return [coreVersionsEndpoint(sources), groupsEndpoint(sources), versionEndpoint(sources), ...openidEndpoints()];
}

/** `/api/`: the versions of the core group. */
function coreVersionsEndpoint(sources: DocumentSources): Endpoint {
  return discoveryEndpoint('/api/', 'APIVersions', {
    sources,
    ...named('/api/', 'APIVersions'),
    description: 'list the versions of the core API',
  });
}

/** `/apis/`: all groups. */
function groupsEndpoint(sources: DocumentSources): Endpoint {
  return discoveryEndpoint('/apis/', 'APIGroupList', {
    sources,
    ...named('/apis/', 'APIVersions'),
    description: 'list the API groups and their versions',
  });
}

/** `/apis/G/`: one group. */
export function groupEndpoint(group: string, sources: DocumentSources): Endpoint {
  const path = `/apis/${group}/`;
  return discoveryEndpoint(path, 'APIGroup', {
    sources,
    ...named(path, 'APIGroup'),
    description: 'read the versions of one API group',
  });
}

/** `/apis/G/V/`: the resources of one group and version. */
export function resourcesEndpoint(group: string, version: string, sources: DocumentSources): Endpoint {
  const path = `${groupVersionPath(group, version)}/`;
  return discoveryEndpoint(path, 'APIResourceList', {
    sources,
    ...named(path, 'APIResources'),
    description: 'list the resources of one API group and version',
  });
}

function versionEndpoint({ types }: DocumentSources): Endpoint {
  const path = '/version/';
  return readOnly(path, types.struct('io.k8s.apimachinery.pkg.version.Info'), {
    ...named(path, 'CodeVersion'),
    description: 'read which version of Kubernetes the server implements',
    consumes: ['application/json'],
    produces: ['application/json'],
  });
}

/** The endpoints for checking service account tokens: OpenID discovery and its keys. */
function openidEndpoints(): Endpoint[] {
  const configuration = '/.well-known/openid-configuration/';
  const keys = '/openid/v1/jwks/';
  return [
    readOnly(configuration, 'text', {
      ...named(configuration, 'ServiceAccountIssuerOpenIDConfiguration'),
      tag: 'WellKnown',
      description: 'read the OpenID configuration of the issuer of service account tokens',
      consumes: [],
      produces: ['application/json'],
    }),
    readOnly(keys, 'text', {
      ...named(keys, 'ServiceAccountIssuerOpenIDKeyset'),
      description: 'read the keys that service account tokens are signed with',
      consumes: [],
      produces: ['application/jwk-set+json'],
    }),
  ];
}

interface DiscoveryDetails extends Pick<Operation, 'id' | 'tag' | 'description'> {
  readonly sources: DocumentSources;
}

function discoveryEndpoint(path: string, type: string, { sources, ...details }: DiscoveryDetails): Endpoint {
  return readOnly(path, sources.meta(type), {
    ...details,
    consumes: builtInStyle.produces,
    produces: builtInStyle.produces,
  });
}

function readOnly(
  path: string,
  answer: Struct | 'text',
  details: Pick<Operation, 'id' | 'tag' | 'description' | 'consumes' | 'produces'>,
): Endpoint {
  return { path, operations: [{ method: 'get', parameters: [], answer, codes: [200], ...details }] };
}

function named(path: string, what: string): Pick<Operation, 'id' | 'tag'> {
  const names = operationNames(path);
  return { id: names.id('get', what), tag: names.tag };
}
