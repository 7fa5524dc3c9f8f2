import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LineLogger, SeededRandom, VirtualClock } from '../../base/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../../wire/certificates/index.ts';
import { ClusterKeys, clusterPki } from './cluster-pki.ts';
import type { PkiOptions } from './cluster-pki.ts';

const START = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

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

  test('finds everything again in its folder, which only its owner may read', async () => {
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

  test('uses a serving pair that the user has put there, also after the authority was made beside it', async () => {
    await withFolder(async (folder) => {
      const own = await foreignPair(folder, 'apiserver');
      const first = await clusterPki(options({ folder }));
      const second = await clusterPki(options({ folder }));

      expect(first.serving).toEqual(own);
      expect(second.serving).toEqual(own);
      expect(second.servingAuthority).toBe(own.certificate);
      expect(await readFile(join(folder, 'apiserver.key'), 'utf8')).toBe(own.privateKey);
    });
  });

  test("keeps a leaf's key when it renews the certificate, so that a crash in between does no harm", async () => {
    await withFolder(async (folder) => {
      const first = await clusterPki(options({ folder }));
      const later = await clusterPki(options({ folder, clock: new VirtualClock({ startMs: START + 340 * DAY_MS }) }));

      expect(later.serving.certificate).not.toBe(first.serving.certificate);
      expect(later.serving.privateKey).toBe(first.serving.privateKey);
    });
  });

  test('makes a certificate for a key that has none yet, as a crash leaves it', async () => {
    await withFolder(async (folder) => {
      const first = await clusterPki(options({ folder }));
      for (const name of ['ca.crt', 'apiserver.crt', 'admin.crt']) await rm(join(folder, name));
      const second = await clusterPki(options({ folder }));

      expect(second.authority.privateKey).toBe(first.authority.privateKey);
      expect(second.serving.privateKey).toBe(first.serving.privateKey);
      const authority = new X509Certificate(second.authority.certificate);
      expect(new X509Certificate(second.serving.certificate).checkIssued(authority)).toBe(true);
    });
  });

  test.each([
    ['ca.key', 'empty', '', /ca\.key": it is empty/],
    ['sa.key', 'blank', '  \n', /sa\.key": it is empty/],
    ['admin.crt', 'no PEM', 'nonsense', /admin\.crt": it holds no certificate/],
    ['admin.key', 'no PEM', 'nonsense', /admin\.key": it holds no private key/],
    ['ca.key', 'of another pair', newPrivateKey(), /ca\.key": it is not the key of ".*ca\.crt"/],
    ['apiserver.key', 'of another pair', newPrivateKey(), /apiserver\.key": it is not the key of ".*apiserver\.crt"/],
  ])('refuses %s that is %s', async (file, _, content, message) => {
    await withFolder(async (folder) => {
      await clusterPki(options({ folder }));
      await writeFile(join(folder, file), content);

      await expect(clusterPki(options({ folder }))).rejects.toThrow(message);
      expect(await readFile(join(folder, file), 'utf8')).toBe(content);
    });
  });

  test('refuses a certificate without its key, and leaves that the authority there has not signed', async () => {
    await withFolder(async (folder) => {
      await clusterPki(options({ folder }));
      await rm(join(folder, 'ca.key'));
      await expect(clusterPki(options({ folder }))).rejects.toThrow(/ca\.crt": its key ".*ca\.key" is not there/);
      await rm(join(folder, 'ca.crt'));

      await expect(clusterPki(options({ folder }))).rejects.toThrow(/apiserver\.crt": ".*ca\.crt" has not signed it/);
    });
  });

  test('refuses an authority that has expired, and tells once of one that is about to', async () => {
    await withFolder(async (folder) => {
      await clusterPki(options({ folder }));
      const lines: string[] = [];
      const clock = new VirtualClock({ startMs: START + 3630 * DAY_MS });
      const log = new LineLogger({ clock, write: (line) => lines.push(line) });
      const keys = new ClusterKeys(options({ folder, clock, log }));
      const { serving, authority } = await keys.read();
      await keys.read();

      const warnings = lines.filter((line) => line.includes('expires soon'));
      expect(warnings).toHaveLength(2);
      expect(warnings[0]).toContain(join(folder, 'ca.crt'));
      expect(new X509Certificate(serving.certificate).validTo).toBe(new X509Certificate(authority.certificate).validTo);
      const expired = options({ folder, clock: new VirtualClock({ startMs: START + 3651 * DAY_MS }) });
      await expect(clusterPki(expired)).rejects.toThrow(/ca\.crt": it expired on/);
    });
  });

  test('signs with an authority that another program made, of another kind and with another name', async () => {
    await withFolder(async (folder) => {
      await foreignPair(folder, 'ca', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
      const { authority, serving } = await clusterPki(options({ folder }));

      const [ca, leaf] = [authority, serving].map(({ certificate }) => new X509Certificate(certificate));
      if (ca === undefined || leaf === undefined) throw new Error('Unreachable: two were mapped');
      expect(ca.subject).toContain('Some Company');
      expect(leaf.checkIssued(ca) && leaf.verify(ca.publicKey)).toBe(true);
    });
  });

  test('writes through no link that was prepared, and leaves nothing behind', async () => {
    await withFolder(async (folder) => {
      await mkdir(folder);
      const victim = join(folder, '..', 'victim');
      await writeFile(victim, 'precious');
      for (const name of ['ca.key', 'ca.crt', 'apiserver.crt']) await symlink(victim, join(folder, `${name}.new`));
      await clusterPki(options({ folder }));

      expect(await readFile(victim, 'utf8')).toBe('precious');
      expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
    });
  });

  test('does not replace a link that leads out of the folder', async () => {
    await withFolder(async (folder) => {
      await clusterPki(options({ folder }));
      const outside = join(folder, '..', 'admin.crt');
      await copyFile(join(folder, 'admin.crt'), outside);
      await rm(join(folder, 'admin.crt'));
      await symlink(outside, join(folder, 'admin.crt'));
      const before = await readFile(outside, 'utf8');
      const lines: string[] = [];
      const clock = new VirtualClock({ startMs: START + 340 * DAY_MS });
      const log = new LineLogger({ clock, write: (line) => lines.push(line) });
      const { admin } = await clusterPki(options({ folder, clock, log }));

      expect(admin.certificate).not.toBe(before);
      expect(await readFile(outside, 'utf8')).toBe(before);
      expect(lines.join('')).toContain('outside of its folder');
    });
  });

  test('servers that start at once on one folder agree on its keys', async () => {
    await withFolder(async (folder) => {
      const all = await Promise.all(Array.from({ length: 8 }, () => clusterPki(options({ folder }))));

      expect(new Set(all.map(({ authority }) => authority.certificate)).size).toBe(1);
      expect(new Set(all.map(({ serviceAccountKey }) => serviceAccountKey)).size).toBe(1);
    });
  });
});

/** A pair that another program made. */
async function foreignPair(folder: string, name: string, key: KeyObject = createPrivateKey(newPrivateKey())) {
  const subject = { commonName: 'example.test', organizations: ['Some Company'] };
  const request = { subject, usage: 'authority', notBefore: START, notAfter: START + 100 * DAY_MS } as const;
  const issuer = selfIssuer(subject, key);
  const certificate = issueCertificate(request, createPublicKey(key), { issuer, random: new SeededRandom(2) });
  const privateKey = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.crt`), certificate);
  await writeFile(join(folder, `${name}.key`), privateKey);
  return { certificate, privateKey };
}
