import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { OpenApiV2 } from './openapi-v2.ts';
import { digestDocument } from './testdata/digest.ts';
import { everything, parsed } from './testing/documents.ts';

interface Recorded {
  readonly rest: string;
  readonly schemas: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const recorded = JSON.parse(readFileSync(new URL('testdata/recorded.json', import.meta.url), 'utf8')) as Recorded;

function v2Digests(parts: Recorded['schemas'], separator: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([prefix, members]) =>
      Object.entries(members).map(([name, both]) => [`${prefix}${separator}${name}`, both.split(' ')[1] ?? '']),
    ),
  );
}

describe('OpenApiV2', () => {
  test("equals kube-apiserver's document", async () => {
    const { sources, resources } = await everything();
    const digests = digestDocument(parsed(new OpenApiV2(sources).document(resources)));
    expect(digests.schemas).toEqual(v2Digests(recorded.schemas, '.'));
    expect(digests.paths).toEqual(v2Digests(recorded.paths, ''));
    expect(digests.rest).toBe(recorded.rest);
  });

  test('shares parameters, except those that old versions of kubectl expect inline', async () => {
    const { sources, resources } = await everything();
    const document = parsed(new OpenApiV2(sources).document(resources));
    const names = Object.keys(document['parameters'] as object).map((name) => name.slice(0, -'-12345678'.length));
    expect(names).toEqual(expect.arrayContaining(['body', 'fieldManager', 'pretty', 'namespace', 'labelSelector']));
    expect(names).not.toEqual(expect.arrayContaining(['dryRun']));
    const put = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.['put'];
    expect(put?.['parameters']).toEqual(
      expect.arrayContaining([
        { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/io.k8s.api.apps.v1.Deployment' } },
        expect.objectContaining({ name: 'dryRun', in: 'query', type: 'string', uniqueItems: true }),
        { $ref: expect.stringMatching(/^#\/parameters\/fieldManager-/) },
      ]),
    );
  });

  test('writes the same again when a resource is removed and added back', async () => {
    const { sources, resources } = await everything();
    const writer = new OpenApiV2(sources);
    const before = writer.document(resources);
    const without = writer.document(resources.filter(({ plural }) => plural !== 'deployments'));
    const after = writer.document(resources);
    expect(after.etag).toBe(before.etag);
    expect(parsed(without).definitions).not.toHaveProperty(['io.k8s.api.apps.v1.Deployment']);
  });
});
