import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SeededRandom, VirtualClock } from '../../base/index.ts';
import { clusterPki } from './cluster-pki.ts';
import type { PkiOptions } from './cluster-pki.ts';

const START = Date.UTC(2026, 0, 1);

function options(overrides: Partial<PkiOptions> = {}): PkiOptions {
  return {
    clock: new VirtualClock({ startMs: START }),
    random: new SeededRandom(1),
    servingNames: ['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc'],
    folder: undefined,
    ...overrides,
  };
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-pki-'));
  try {
    await use(join(folder, 'pki'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('clusterPki', () => {
  test('makes certificates that verify and are good for the names asked for', async () => {
    const pki = await clusterPki(options());
    const authority = new X509Certificate(pki.authority.certificate);
    const serving = new X509Certificate(pki.serving.certificate);
    const admin = new X509Certificate(pki.admin.certificate);

    expect(authority.ca).toBe(true);
    expect(serving.checkIssued(authority) && serving.verify(authority.publicKey)).toBe(true);
    expect(serving.checkHost('kubernetes.default.svc')).toBe('kubernetes.default.svc');
    expect(serving.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(serving.checkIP('::1')).toBeDefined();
    expect(admin.subject).toBe('O=system:masters\nCN=kubernetes-admin');
    expect(new Date(serving.validTo).getTime()).toBeGreaterThan(START);
  });

  test('finds everything again in its folder, which nobody else may read', async () => {
    await withFolder(async (folder) => {
      const first = await clusterPki(options({ folder }));
      const second = await clusterPki(options({ folder }));

      expect(second).toEqual(first);
      expect((await stat(join(folder, 'ca.key'))).mode & 0o777).toBe(0o600);
    });
  });

  test('renews a serving certificate that lacks a name or is about to expire, and keeps the authority', async () => {
    await withFolder(async (folder) => {
      const first = await clusterPki(options({ folder }));
      const renamed = await clusterPki(options({ folder, servingNames: ['example.test'] }));
      const later = await clusterPki(
        options({
          folder,
          servingNames: ['example.test'],
          clock: new VirtualClock({ startMs: START + 340 * 86_400_000 }),
        }),
      );

      expect(renamed.authority).toEqual(first.authority);
      expect(new X509Certificate(renamed.serving.certificate).checkHost('example.test')).toBe('example.test');
      expect(later.serving).not.toEqual(renamed.serving);
      expect(await readFile(join(folder, 'apiserver.crt'), 'utf8')).toBe(later.serving.certificate);
    });
  });
});
