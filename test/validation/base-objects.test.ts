import { expect, test } from 'vitest';
import {
  ADDED_VERSIONS,
  apiEnablement,
  builtInTypes,
  parseRuntimeConfig,
  type ResourceInfo,
  type Struct,
} from '../../src/api/index.ts';
import { loadBaseObjects } from './base-objects.ts';
import { spotsOf } from './damage.ts';

/** Fields that no base object has, by type; each for one of the reasons below. */
const LEFT_OUT: readonly (readonly [reason: string, pattern: RegExp])[] = [
  ['set by the server', /\.(ObjectMeta|ListMeta)\.|ManagedFieldsEntry|^Secret\.stringData$/],
  ['set by the server', /CertificateSigningRequestSpec\.(username|uid|groups|extra)|CertificateSigningRequest\.status/],
  ['set by the server', /Review\.(metadata|status)$|CustomResourceDefinition\.status|PodSpec\.priority$/],
  [
    'dropped unless a gate is on',
    /PodSpec\.schedulingGroup|NodeStatus\.config|NodeSpec\.configSource|nodeAllocatableResource/,
  ],
  [
    'dropped unless a gate is on',
    /LeaseSpec\.(strategy|preferredHolder)|DeviceAttribute\.(ints|bools|strings|versions)/,
  ],
  ['kept because of a gate that the requests of certificates need', /VolumeProjection\.podCertificate/],
  ['dropped unless a gate is on', /AllocatedDeviceStatus\.shareID|DeviceRequestAllocationResult\.adminAccess/],
  [
    'refused in new objects',
    /PodSpec\.ephemeralContainers|CustomResourceDefinitionSpec\.preserveUnknownFields|events\.v1\.Event\.deprecated/,
  ],
  [
    'refused in new objects',
    /JSONSchemaProps\.(id|\$schema|\$ref|uniqueItems|patternProperties|dependencies|additionalItems|definitions)$/,
  ],
  ['refused next to another field that is there', /PriorityLevelConfigurationSpec\.exempt|JobStatus\.completionTime/],
  ['refused next to another field that is there', /apiextensions\.v1\.WebhookClientConfig\.(url|caBundle)/],
];

test('every field that a client may set is in a base object', () => {
  const seen = new Set<string>();
  const types = new Map<string, Struct>();
  for (const { object, resource } of loadBaseObjects()) {
    for (const { value, shape } of spotsOf(object, resource.type)) {
      if (shape?.kind !== 'struct') continue;
      types.set(shape.struct.name, shape.struct);
      for (const name of Object.keys(value ?? {})) seen.add(`${shape.struct.name}.${name}`);
    }
  }
  const missing = [...types.values()].flatMap(({ name, fields }) =>
    fields
      .map((field) => `${name}.${field.name}`)
      .filter((path) => !seen.has(path) && !LEFT_OUT.some(([, pattern]) => pattern.test(path))),
  );
  expect(missing).toEqual([]);
});

/** Those of kube-apiserver, without what this project adds. */
const SERVED = apiEnablement(parseRuntimeConfig(...ADDED_VERSIONS.map((version) => `${version}=false`)));

test('every kind that is served by default and can be created is a base object', () => {
  const nameOf = ({ group, version, plural }: ResourceInfo): string => `${group}/${version} ${plural}`;
  const present = new Set(loadBaseObjects().map(({ resource }) => nameOf(resource)));
  const missing = builtInTypes()
    .resources()
    .filter((resource) => resource.verbs.includes('create') && SERVED.isServed(resource))
    .map(nameOf)
    .filter((name) => !present.has(name));
  expect(missing).toEqual([]);
});
