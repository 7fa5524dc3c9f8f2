import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DocumentSources } from './document-sources.ts';
import type { JsonSchema } from './json-schema.ts';
import { OpenApiV2 } from './openapi-v2.ts';
import { OpenApiV3 } from './openapi-v3.ts';
import type { ServedResource, ServedSubresource, WrittenSchema } from './served-resource.ts';
import { digest, digestDocument } from './testdata/digest.ts';
import { everything, parsed } from './testing/documents.ts';

interface Recorded {
  readonly schemas: Readonly<Record<string, { readonly v3: JsonSchema; readonly v2: JsonSchema }>>;
  readonly documents: Readonly<Record<string, { rest: string; schemas: string; paths: Record<string, string> }>>;
  readonly v2: Readonly<Record<string, string>>;
}

const recorded = JSON.parse(
  readFileSync(new URL('testdata/custom-resources.json', import.meta.url), 'utf8'),
) as Recorded;
const group = 'openapi-check.example.com';

let sources: DocumentSources;
let builtIn: readonly ServedResource[];
let custom: readonly ServedResource[];

beforeAll(async () => {
  ({ sources, resources: builtIn } = await everything());
  custom = [
    customResource({ version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true, hasSubresources: true }),
    customResource({ version: 'v1', plural: 'gears', kind: 'Gear', namespaced: false, hasSubresources: false }),
    customResource({ version: 'v1beta1', plural: 'widgets', kind: 'Widget', namespaced: true, hasSubresources: false }),
  ];
});

function written(version: string, kind: string): WrittenSchema {
  const name = `com.example.openapi-check.${version}.${kind}`;
  const schema = recorded.schemas[name];
  if (schema === undefined) throw new Error(`No schema is recorded for "${name}"`);
  return { name, kind: { group, version, kind }, ...schema };
}

interface Options {
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly hasSubresources: boolean;
}

function customResource({ version, plural, kind, namespaced, hasSubresources }: Options): ServedResource {
  const verbs = ['get', 'patch', 'update'];
  const subresources: ServedSubresource[] = [
    { name: 'status', verbs, type: written(version, kind), style: { kind: 'object' } },
    { name: 'scale', verbs, type: sources.types.struct('io.k8s.api.autoscaling.v1.Scale'), style: { kind: 'object' } },
  ];
  return {
    group,
    version,
    plural,
    kind,
    namespaced,
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    type: written(version, kind),
    listType: written(version, `${kind}List`),
    deleteReturnsObject: false,
    isCustom: true,
    subresources: hasSubresources ? subresources : [],
  };
}

describe('custom resources', () => {
  test.each(['v1', 'v1beta1'])('are documented in OpenAPI v3 as kube-apiserver does: %s', (version) => {
    const served = custom.filter((resource) => resource.version === version);
    const digests = digestDocument(parsed(new OpenApiV3(sources).groupVersion({ group, version }, served)));
    expect({ rest: digests.rest, schemas: digest(digests.schemas), paths: digests.paths }).toEqual(
      recorded.documents[version],
    );
  });

  test('are documented in OpenAPI v2 as kube-apiserver does, beside the built-in resources', () => {
    const document = parsed(new OpenApiV2(sources).document([...builtIn, ...custom]));
    const { paths, schemas } = digestDocument(document);
    expect(Object.fromEntries(Object.entries(paths).filter(([path]) => path.includes(group)))).toEqual(recorded.v2);
    for (const [name, { v2 }] of Object.entries(recorded.schemas))
      expect([name, schemas[name]]).toEqual([name, digest(v2)]);
  });
});
