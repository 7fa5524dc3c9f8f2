import { describe, expect, test } from 'vitest';
import { StatusError } from '../../api/index.ts';
import type { Resource, Subresource } from '../resource.ts';
import { Negotiator } from './negotiator.ts';
import { callOf, type RequestOptions, resourceOf, types } from './testing/answer-fixture.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const configMaps = resourceOf({ kind: 'ConfigMap' });

function outcome(path: string, options: RequestOptions, resource: Resource = configMaps): unknown {
  try {
    return new Negotiator().negotiate(callOf(path, options), resource);
  } catch (error) {
    return error instanceof StatusError ? error.message : error;
  }
}

const ROUTES =
  '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf';

describe('Negotiator', () => {
  test('lists the stream types of a route that can be watched', () => {
    const accept = 'application/xml';
    const streams = ', application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

    expect(outcome('/api/v1/configmaps', { accept })).toBe(ROUTES + streams);
    expect(outcome('/api/v1/watch/configmaps', { accept })).toBe(ROUTES + streams);
    expect(outcome('/api/v1/watch/namespaces/a/configmaps/b', { accept })).toBe(ROUTES + streams);
    expect(outcome('/api/v1/namespaces/a/configmaps/b', { accept })).toBe(ROUTES);
    expect(outcome('/api/v1/namespaces/a/configmaps/b?watch=1', { accept })).toBe(ROUTES);
    expect(outcome('/api/v1/namespaces/a/configmaps', { accept, method: 'DELETE' })).toBe(ROUTES);
  });

  test('offers no table for kinds that can only be created', () => {
    const reviews: Resource = { ...resourceOf({ kind: 'ConfigMap' }), verbs: ['create'] };

    expect(outcome('/apis/x/v1/reviews', { accept: TABLE, method: 'POST' }, reviews)).toBe(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
    expect(outcome('/apis/x/v1/reviews', { accept: `${TABLE},application/json`, method: 'POST' }, reviews)).toEqual({
      format: 'json',
      isPretty: false,
      conversion: undefined,
    });
  });

  test('does not restrict the media types of connections', () => {
    const connection: Subresource = {
      type: 'connection',
      style: { kind: 'text', options: types.struct('io.k8s.api.core.v1.PodLogOptions') },
      verbs: ['get'],
      struct: configMaps.type,
      open: () => Promise.reject(new Error('not opened here')),
    };
    const pods: Resource = { ...configMaps, subresources: new Map([['log', connection]]) };

    expect(outcome('/api/v1/namespaces/a/pods/b/log', { accept: 'text/plain' }, pods)).toMatchObject({
      format: 'json',
    });
  });

  test.each([
    ['/api/v1/configmaps', 'curl/8.0', true],
    ['/api/v1/configmaps', 'Wget/1.2', true],
    ['/api/v1/configmaps', 'Mozilla/5.0 (X11)', true],
    ['/api/v1/configmaps', 'kubectl/v1.36', false],
    ['/api/v1/configmaps?pretty=false', 'curl/8.0', false],
    ['/api/v1/configmaps?pretty=', 'curl/8.0', true],
    ['/api/v1/configmaps?pretty=true', 'kubectl/v1.36', true],
    ['/api/v1/configmaps?pretty=1', 'kubectl/v1.36', true],
    ['/api/v1/configmaps?pretty=yes', 'kubectl/v1.36', false],
  ])('%s for %s is indented: %s', (path, userAgent, isPretty) => {
    expect(outcome(path, { userAgent })).toMatchObject({ isPretty });
    expect(outcome(path, { userAgent, accept: 'application/json' })).toMatchObject({ isPretty });
  });

  test('answers correctly while its cache evicts entries', () => {
    const negotiator = new Negotiator();
    for (let index = 0; index < 3000; index++) {
      const call = callOf('/api/v1/configmaps', { accept: `application/json;n=${index}` });
      expect(negotiator.negotiate(call, configMaps).format).toBe('json');
    }
    const long = callOf('/api/v1/configmaps', { accept: `application/xml;n=${'x'.repeat(5000)},application/yaml` });

    expect(negotiator.negotiate(long, configMaps).format).toBe('yaml');
  });
});
