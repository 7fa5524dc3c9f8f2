import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from './document.ts';
import type { DocumentSources } from './document-sources.ts';
import { OpenApiV3, openApiV3Index } from './openapi-v3.ts';
import type { ServedResource } from './served-resource.ts';
import { digestDocument } from './testdata/digest.ts';
import { byGroupVersion, everything, parsed } from './testing/documents.ts';

interface Recorded {
  readonly documents: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly schemas: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const recorded = JSON.parse(readFileSync(new URL('testdata/recorded.json', import.meta.url), 'utf8')) as Recorded;
const generic = ['DeleteOptions', 'WatchEvent'].map((kind) => `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`);

let sources: DocumentSources;
let resources: readonly ServedResource[];
let writer: OpenApiV3;

beforeAll(async () => {
  ({ sources, resources } = await everything());
  writer = new OpenApiV3(sources);
});

function allDocuments(): Map<string, () => OpenApiDocument> {
  const documents = new Map(writer.server());
  for (const [path, served] of byGroupVersion(resources)) {
    const [{ group }] = served;
    documents.set(path, () => writer.groupVersion(served[0], served));
    if (group !== '') documents.set(`apis/${group}`, () => writer.group(group));
  }
  return documents;
}

/** Flattens `{package: {Type: "v3 v2"}}` into the digests of v3 by full name. */
function v3Digests(parts: Recorded['schemas'], separator: string): Map<string, string> {
  return new Map(
    Object.entries(parts).flatMap(([prefix, members]) =>
      Object.entries(members).map(
        ([name, both]) => [`${prefix}${separator}${name}`, both.split(' ')[0] ?? ''] as const,
      ),
    ),
  );
}

describe('OpenApiV3', () => {
  test('has the documents that kube-apiserver has', () => {
    expect([...allDocuments().keys()].sort()).toEqual(Object.keys(recorded.documents).sort());
  });

  test("has the same contents as kube-apiserver's documents", () => {
    const schemas = v3Digests(recorded.schemas, '.');
    const paths = v3Digests(recorded.paths, '');
    for (const [name, build] of allDocuments()) {
      const digests = digestDocument(parsed(build()));
      const names = Object.keys(digests.schemas).sort();
      const both = generic.map((type) => digests.schemas[type]);
      expect({
        name,
        schemas: names.length,
        paths: Object.keys(digests.paths).length,
        rest: digests.rest,
        names: createHash('sha256').update(names.join()).digest('hex').slice(0, 8),
        ...(both.every((one) => one === undefined) ? {} : { generic: both.join(' ') }),
      }).toEqual({ name, ...recorded.documents[name] });
      const differing = [
        ...names.filter((type) => !generic.includes(type) && digests.schemas[type] !== schemas.get(type)),
        ...Object.entries(digests.paths).flatMap(([path, digest]) => (digest === paths.get(path) ? [] : [path])),
      ];
      expect({ name, differing }).toEqual({ name, differing: [] });
    }
  });

  test('describes types and fields', () => {
    const document = parsed(writer.groupVersion({ group: 'apps', version: 'v1' }, served('apps', 'v1')));
    const { properties, description } = document.components.schemas['io.k8s.api.apps.v1.DeploymentSpec'] as {
      properties: Record<string, { description?: string }>;
      description: string;
    };
    expect(description).not.toBe('');
    expect(properties['replicas']?.description).toBe(
      sources.descriptions.ofField(sources.types.struct('io.k8s.api.apps.v1.DeploymentSpec'), 'replicas'),
    );
  });

  test('describes lists, which the tables do not spell out', () => {
    const document = parsed(writer.groupVersion({ group: 'apps', version: 'v1' }, served('apps', 'v1')));
    expect(document.components.schemas['io.k8s.api.apps.v1.DeploymentList']).toMatchObject({
      description: 'DeploymentList is a list of Deployment.',
      required: ['items'],
      properties: {
        items: { items: { default: {}, allOf: [{ $ref: expect.stringMatching(/apps\.v1\.Deployment$/) }] } },
      },
      'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'DeploymentList', version: 'v1' }],
    });
  });

  test('hashes the body', () => {
    const { body, etag } = writer.groupVersion({ group: 'batch', version: 'v1' }, served('batch', 'v1'));
    expect(etag).toBe(createHash('sha512').update(body).digest('hex').toUpperCase());
  });

  test('omits what is not served', () => {
    const jobs = served('batch', 'v1').filter(({ plural }) => plural === 'jobs');
    const document = parsed(writer.groupVersion({ group: 'batch', version: 'v1' }, jobs));
    expect(Object.keys(document.paths).filter((path) => path.includes('cronjobs'))).toEqual([]);
    expect(document.components.schemas).not.toHaveProperty(['io.k8s.api.batch.v1.CronJob']);
    expect(document.components.schemas).toHaveProperty(['io.k8s.api.batch.v1.Job']);
  });

  test('refuses a resource that can be listed but has no list type', () => {
    const [first] = served('batch', 'v1');
    const broken = { ...(first as ServedResource), listType: undefined };
    expect(() => writer.groupVersion({ group: 'batch', version: 'v1' }, [broken])).toThrow(
      'Cannot document "cronjobs": it can be listed but has no list type',
    );
  });
});

test('openApiV3Index() lists the documents with their hashes', () => {
  const index = openApiV3Index(
    new Map([
      ['version', 'AB'],
      ['apis/apps/v1', 'CD'],
    ]),
  );
  expect(Buffer.from(index.body).toString()).toBe(
    '{"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=CD"},' +
      '"version":{"serverRelativeURL":"/openapi/v3/version?hash=AB"}}}',
  );
});

function served(group: string, version: string): ServedResource[] {
  return resources.filter((resource) => resource.group === group && resource.version === version);
}
