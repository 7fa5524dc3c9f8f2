import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type * as core from '../../api/types/core/v1.d.ts';
import { discardLogger, RealClock, VirtualClock } from '../../base/index.ts';
import { ManifestFiles, type ManifestReader, ManifestUrl } from './manifests.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-manifests-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Manifests in JSON, without defaults and checks. */
const read: ManifestReader = (bytes, change) => {
  const object = JSON.parse(Buffer.from(bytes).toString()) as core.Pod & { readonly items?: readonly core.Pod[] };
  return (object.items ?? [object]).map(change);
};

const podOf = (name: string, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'web', image: `${name}:1` }], ...spec },
});

describe('static pods', () => {
  test.each([
    ['serviceaccounts', { serviceAccountName: 'default' }],
    ['secrets', { imagePullSecrets: [{ name: 'pull' }] }],
    ['configmaps', { volumes: [{ name: 'v', configMap: { name: 'c' } }] }],
    ['persistentvolumeclaims', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }],
    [
      'clustertrustbundles',
      { volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'b' } }] } }] },
    ],
  ])('that refer to %s are refused', async (reference, spec) => {
    const logged: unknown[] = [];
    const log = { ...discardLogger, warn: (_: string, fields?: object) => logged.push(fields) };
    await writeFile(join(folder, 'web.json'), JSON.stringify(podOf('web', spec)));
    const found: unknown[] = [];
    const stop = new AbortController();
    const files = new ManifestFiles(
      { path: folder, everyMs: 1000 },
      {
        node: 'n',
        clock: new VirtualClock(),
        log,
        read,
        found: (pods) => {
          found.push(...pods);
          stop.abort();
        },
      },
    );
    await files.run(stop.signal);
    expect(found).toEqual([]);
    expect(JSON.stringify(logged)).toContain(`static pods may not reference ${reference}`);
  });

  test('come from a URL as well, one or a list', async () => {
    let answer = JSON.stringify(podOf('one'));
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers['x-team']);
      response.end(answer);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const found: string[][] = [];
      const stop = new AbortController();
      await new ManifestUrl(
        { url, headers: { 'x-team': ['blue'] }, everyMs: 1 },
        {
          node: 'n1',
          clock: new RealClock(),
          log: discardLogger,
          read,
          found: (pods) => {
            found.push(pods.map(({ metadata }) => metadata?.name ?? ''));
            answer = JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items: [podOf('one'), podOf('two')] });
            if (found.length === 2) stop.abort();
          },
        },
      ).run(stop.signal);
      expect(found).toEqual([['one-n1'], ['one-n1', 'two-n1']]);
      expect(seen[0]).toBe('blue');
    } finally {
      server.close();
    }
  });
});
