import { describe, expect, test } from 'vitest';
import { type ApiObject, encodeJson } from '../../api/index.ts';
import { protobufStorage, type Resource } from '../../apiserver/index.ts';
import { TestApi } from '../testing/test-api.ts';

const OLD = '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions';
const NEW = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The definition of the sample controller, as before Kubernetes 1.16. */
const FOO = {
  apiVersion: 'apiextensions.k8s.io/v1beta1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'foos.samplecontroller.k8s.io' },
  spec: { group: 'samplecontroller.k8s.io', version: 'v1alpha1', names: { kind: 'Foo', plural: 'foos' } },
};

const WIDGET = {
  apiVersion: 'apiextensions.k8s.io/v1beta1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      { name: 'v1', served: true, storage: true },
      { name: 'v2', served: true, storage: false },
    ],
    validation: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.spec.a' }],
    conversion: { strategy: 'Webhook', webhookClientConfig: { service: { namespace: 'a', name: 'b' } } },
    preserveUnknownFields: false,
  },
};

describe('a definition in version v1beta1', () => {
  test('needs no schema and no approval, keeps unknown fields, and is deprecated', async () => {
    await using api = await TestApi.open();
    const { code, warnings, body } = await api.send('POST', OLD, FOO);
    expect({ code, warnings }).toEqual({
      code: 201,
      warnings: [
        'apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+; use apiextensions.k8s.io/v1 CustomResourceDefinition',
      ],
    });
    expect(body['spec']).toEqual({
      group: 'samplecontroller.k8s.io',
      version: 'v1alpha1',
      names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
      scope: 'Namespaced',
      versions: [{ name: 'v1alpha1', served: true, storage: true }],
      conversion: { strategy: 'None' },
      preserveUnknownFields: true,
    });
    expect(body['status']).toMatchObject({ storedVersions: ['v1alpha1'] });
  });

  test('is read and written in v1 as well', async () => {
    await using api = await TestApi.open();
    await api.send('POST', OLD, FOO);
    const read = await api.send('GET', `${NEW}/${FOO.metadata.name}`);
    expect(read.body['spec']).toEqual({
      group: 'samplecontroller.k8s.io',
      names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
      scope: 'Namespaced',
      versions: [{ name: 'v1alpha1', served: true, storage: true }],
      conversion: { strategy: 'None' },
      preserveUnknownFields: true,
    });
    const labelled = { ...read.body, metadata: { ...read.body.metadata, labels: { a: 'b' } } };
    expect(await api.send('PUT', `${NEW}/${FOO.metadata.name}`, labelled)).toMatchObject({ code: 200, warnings: [] });
  });

  test('states once what its versions have in common', async () => {
    await using api = await TestApi.open();
    const created = await api.send('POST', OLD, WIDGET);
    expect(created).toMatchObject({ code: 201 });
    const parts = { schema: WIDGET.spec.validation, subresources: { status: {} } };
    const columns = [{ name: 'A', type: 'string', jsonPath: '.spec.a' }];
    const read = await api.send('GET', `${NEW}/${WIDGET.metadata.name}`);
    const service = { namespace: 'a', name: 'b', port: 443 };
    expect(read.body['spec']).toMatchObject({
      versions: WIDGET.spec.versions.map((version) => ({ ...version, ...parts, additionalPrinterColumns: columns })),
      conversion: { webhook: { clientConfig: { service }, conversionReviewVersions: ['v1beta1'] } },
    });
    const again = await api.send('GET', `${OLD}/${WIDGET.metadata.name}`);
    const { conversion, ...others } = WIDGET.spec;
    expect(again.body['spec']).toEqual({
      ...others,
      version: 'v1',
      conversion: { ...conversion, webhookClientConfig: { service }, conversionReviewVersions: ['v1beta1'] },
    });
  });

  test('is validated as well', async () => {
    await using api = await TestApi.open();
    const wrong = { ...FOO, spec: { ...FOO.spec, scope: 'Galactic', preserveUnknownFields: false } };
    const { code, body } = await api.send('POST', OLD, wrong);
    expect({ code, causes: body.details?.causes?.map(({ field, message }) => `${field}: ${message}`) }).toEqual({
      code: 422,
      causes: [
        'spec.scope: Unsupported value: "Galactic": supported values: "Cluster", "Namespaced"',
        'spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned',
      ],
    });
  });
});

test('a definition that kube-apiserver has stored as v1beta1 is read as v1', async () => {
  const api = await TestApi.open();
  const found = api.resources.find(({ plural, version }) => plural === 'customresourcedefinitions' && version === 'v1');
  const { storage } = found as Resource;
  const codec = protobufStorage(storage.type, storage);
  const { kind, apiVersion, ...others } = WIDGET;
  const stored = Buffer.from(`${JSON.stringify({ kind, apiVersion, ...others })}\n`);
  const { spec, ...read } = codec.decode(stored) as unknown as typeof WIDGET;
  expect(read).toMatchObject({ apiVersion: 'apiextensions.k8s.io/v1', kind });
  expect(spec.versions[1]).toMatchObject({
    name: 'v2',
    schema: WIDGET.spec.validation,
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'A', jsonPath: '.spec.a' }],
  });
  const again = codec.decode(codec.encode({ ...read, spec } as unknown as ApiObject));
  expect(JSON.parse(encodeJson(again))).toEqual(JSON.parse(encodeJson({ ...read, spec })));
});
