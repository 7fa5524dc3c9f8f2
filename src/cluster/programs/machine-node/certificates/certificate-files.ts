import { X509Certificate } from 'node:crypto';
import { lstat, mkdir, open, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock } from '../../../../base/index.ts';
import type { Credential } from '../../../../wire/certificates/index.ts';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n?/g;
const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----\n?/;

/**
 * Certificates with their keys in a folder, laid out as a kubelet lays them out: each pair is a file named after the time at which it was written,
 * and `PREFIX-current.pem` is a link to the newest.
 */
export class CertificateFiles {
  /** The link. */
  readonly path: string;
  readonly #folder: string;
  readonly #prefix: string;
  readonly #clock: Clock;

  constructor(prefix: string, folder: string, clock: Clock) {
    this.path = join(folder, `${prefix}-current.pem`);
    this.#prefix = prefix;
    this.#folder = folder;
    this.#clock = clock;
  }

  /** The newest pair; undefined when there is none that can be read. */
  async current(): Promise<Credential | undefined> {
    try {
      return pairIn(await readFile(this.path, 'utf8'));
    } catch {
      return undefined;
    }
  }

  /** Writes a pair and makes it the newest, so that a crash at any point leaves a whole pair behind the link. */
  async store({ certificate, privateKey }: Credential): Promise<void> {
    const time = new Date(this.#clock.now()).toISOString().slice(0, 19).replaceAll(/[T:]/g, '-');
    const path = resolve(this.#folder, `${this.#prefix}-${time}.pem`);
    await mkdir(this.#folder, { recursive: true, mode: 0o755 });
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(`${certificate.trimEnd()}\n${privateKey.trimEnd()}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    const found = await lstat(this.path).catch(() => undefined);
    if (found !== undefined && !found.isSymbolicLink())
      throw new Error(`expected "${this.path}" to be a symlink but it is a file`);
    const updated = join(this.#folder, `${this.#prefix}-updated.pem`);
    await rm(updated, { force: true });
    await symlink(path, updated);
    await rename(updated, this.path);
  }
}

function pairIn(text: string): Credential | undefined {
  const certificates = text.match(CERTIFICATES) ?? [];
  const privateKey = KEY.exec(text)?.[0];
  if (certificates.length === 0 || privateKey === undefined) return undefined;
  return { certificate: certificates.join(''), privateKey };
}

/** When a certificate begins and ends to count. */
export function validityOf({ certificate }: Pick<Credential, 'certificate'>): {
  readonly fromMs: number;
  readonly untilMs: number;
} {
  const { validFrom, validTo } = new X509Certificate(certificate);
  return { fromMs: Date.parse(validFrom), untilMs: Date.parse(validTo) };
}
