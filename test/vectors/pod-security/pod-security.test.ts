import { expect, test } from 'vitest';
import { podSecurity } from '../../../src/resources/admission/pod-security/pod-security.ts';
import { TestApi } from '../../../src/resources/testing/test-api.ts';
import { readVectors } from '../apply/vector.ts';
import { fixturesFolder, namespaceOf, readFixtures, type Send, type Verdict, verdictOn } from './fixtures.ts';

const found = fixturesFolder();
if ('reason' in found) console.log(`pod security fixtures are skipped: ${found.reason}`);

test.skipIf('reason' in found)(
  "we say of upstream's published pods what a real kube-apiserver says, word for word",
  async () => {
    const fixtures = readFixtures('folder' in found ? found.folder : '');
    const recorded = new Map(
      readVectors<Verdict>(new URL('recorded.jsonl.gz', import.meta.url)).map((verdict) => [verdict.fixture, verdict]),
    );
    expect(fixtures.length).toBe(recorded.size);
    await using api = await TestApi.open({}, (parts) => [podSecurity(parts)]);
    const send: Send = (path, body) => api.send('POST', path, body);
    const namespaces = new Map(fixtures.map(namespaceOf).map((namespace) => [namespace.metadata.name, namespace]));
    for (const namespace of namespaces.values()) await send('/api/v1/namespaces', namespace);
    const different: object[] = [];
    for (const fixture of fixtures) {
      const verdict = await verdictOn(fixture, send);
      const want = recorded.get(fixture.name);
      if (JSON.stringify(verdict) !== JSON.stringify(want)) different.push({ want, got: verdict });
      if (verdict.pod.code < 300 !== fixture.mustPass) different.push({ fixture: fixture.name, got: verdict });
    }
    expect(different).toEqual([]);
  },
);
