import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOKEN_FILE } from '../../../peers/index.ts';
import { TestPlane } from '../../../src/access/testing/test-plane.ts';
import { parseRuntimeConfig } from '../../../src/api/index.ts';
import { RealClock } from '../../../src/base/index.ts';
import { readAuditPolicy } from '../../../src/cluster/index.ts';
import { readVectors } from '../apply/vector.ts';
import { eventsOf, playCases, type RecordedEvents } from './audit-player.ts';
import { POLICY } from './cases.ts';

const recorded = readVectors<RecordedEvents>(new URL('recorded.jsonl.gz', import.meta.url));
let ours: readonly RecordedEvents[] = [];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
  const path = join(folder, 'audit.log');
  {
    await using plane = await TestPlane.start({
      clock: new RealClock(),
      runtimeConfig: parseRuntimeConfig('networking.k8s.io/v1beta1=true'),
      serving: { listen: { host: '127.0.0.1', port: 0 } },
      access: {
        tokenFile: TOKEN_FILE,
        audit: {
          policy: readAuditPolicy(POLICY).policy,
          log: {
            format: 'json',
            to: { path, maxBytes: 0, maxBackups: 0, maxAge: 0, isCompressing: false },
            delivery: { mode: 'blocking' },
          },
        },
      },
    });
    await playCases(plane.plane.url);
  }
  ours = eventsOf(await readFile(path, 'utf8'));
});

afterAll(() => rm(folder, { recursive: true }));

test.each(recorded.map(({ name, events }) => ({ name, events })))('$name', ({ name, events }) => {
  expect(ours.find((one) => one.name === name)?.events).toEqual(events);
});
