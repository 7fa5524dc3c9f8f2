import { describe, expect, test } from 'vitest';
import { KUBERNETES_RELEASES, type KubernetesVersion } from '../../src/base/index.ts';
import { differences, outlineOf } from './outline.ts';
import { ourApi } from './our-api.ts';
import { readRecorded } from './recorded.ts';
import { ourWire } from './wire/our-wire.ts';

const recorded = readRecorded();
const versions = Object.keys(KUBERNETES_RELEASES) as KubernetesVersion[];

describe.each(versions)('Kubernetes %s', (version) => {
  test('has the resources, documents and Go fields that were recorded from the release', async () => {
    expect(recorded[version].release).toBe(KUBERNETES_RELEASES[version]);
    const ours = outlineOf(await ourApi(version), ourWire(version));
    expect(differences(ours, recorded[version])).toEqual([]);
  });
});

test('versions differ from each other, so that the comparison would notice a wrong one', async () => {
  const ours = outlineOf(await ourApi('1.34'), ourWire('1.34'));
  const sections = new Set(differences(ours, recorded['1.35']).map(({ section }) => section));
  expect([...sections]).toEqual(['resource', 'groups', 'v2 type', 'v2 path', 'v3 type', 'v3 path', 'values', 'wire']);
});
