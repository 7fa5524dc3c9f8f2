import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Clock, Random } from '../../base/index.ts';
import { issueCertificate, issuerFrom, newKeyPair, privateKeyPem } from './certificate.ts';
import type { CertificateRequest, Credential, Issuer, KeyPair } from './certificate.ts';

/** Every key and certificate a control plane needs. */
export interface ClusterPki {
  /** Signs serving and client certificates. */
  readonly authority: Credential;
  readonly serving: Credential;
  /** A client in `system:masters`. */
  readonly admin: Credential;
  readonly frontProxyAuthority: Credential;
  readonly frontProxyClient: Credential;
  /** Signs service account tokens. */
  readonly serviceAccountKey: string;
}

export interface PkiOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Names and addresses that clients reach the server by. */
  readonly servingNames: readonly string[];
  /** Where files are kept; undefined keeps everything in memory. */
  readonly folder: string | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 10 * 365;
const LEAF_DAYS = 365;
/** A leaf with less time left than this is made anew at start. */
const RENEW_BEFORE_DAYS = 30;

/** Reads the cluster's keys and certificates, and makes those that are missing, about to expire, or good for other names. */
export async function clusterPki(options: PkiOptions): Promise<ClusterPki> {
  const files = new PkiFiles(options);
  const authority = await files.authority('ca', 'keelson-ca');
  const frontProxy = await files.authority('front-proxy-ca', 'keelson-front-proxy-ca');
  return {
    authority,
    serving: await files.leaf('apiserver', authority, {
      subject: { commonName: 'kube-apiserver' },
      usage: 'server',
      names: options.servingNames,
    }),
    admin: await files.leaf('admin', authority, {
      subject: { commonName: 'kubernetes-admin', organizations: ['system:masters'] },
      usage: 'client',
    }),
    frontProxyAuthority: frontProxy,
    frontProxyClient: await files.leaf('front-proxy-client', frontProxy, {
      subject: { commonName: 'front-proxy-client' },
      usage: 'client',
    }),
    serviceAccountKey: await files.key('sa'),
  };
}

function coversName(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}

type LeafRequest = Omit<CertificateRequest, 'notBefore' | 'notAfter'>;

class PkiFiles {
  readonly #options: PkiOptions;

  constructor(options: PkiOptions) {
    this.#options = options;
  }

  async authority(name: string, commonName: string): Promise<Credential> {
    const found = await this.#read(name);
    if (found !== undefined) return found;
    const keys = newKeyPair();
    const subject = { commonName };
    const request = { subject, usage: 'authority', ...this.#validity(AUTHORITY_DAYS) } as const;
    return this.#write(name, this.#credential(request, keys, { subject, keys }));
  }

  async leaf(name: string, authority: Credential, request: LeafRequest): Promise<Credential> {
    const found = await this.#read(name);
    if (found !== undefined && this.#isGood(found, request, authority)) return found;
    const issuer = issuerFrom({
      certificate: authority.certificate,
      privateKey: createPrivateKey(authority.privateKey),
    });
    return this.#write(name, this.#credential({ ...request, ...this.#validity(LEAF_DAYS) }, newKeyPair(), issuer));
  }

  async key(name: string): Promise<string> {
    const found = await this.#readFile(`${name}.key`);
    if (found !== undefined) return found;
    const key = privateKeyPem(newKeyPair());
    await this.#writeFile(`${name}.key`, key);
    return key;
  }

  #credential(request: CertificateRequest, keys: KeyPair, issuer: Issuer): Credential {
    const certificate = issueCertificate(request, keys, { issuer, random: this.#options.random });
    return { certificate, privateKey: privateKeyPem(keys) };
  }

  /** From a little earlier, so that clocks that differ a little agree. */
  #validity(days: number): { readonly notBefore: number; readonly notAfter: number } {
    const now = this.#options.clock.now();
    return { notBefore: now - 60 * 60 * 1000, notAfter: now + days * DAY_MS };
  }

  #isGood(found: Credential, request: LeafRequest, authority: Credential): boolean {
    const certificate = new X509Certificate(found.certificate);
    const isFresh = Date.parse(certificate.validTo) - this.#options.clock.now() > RENEW_BEFORE_DAYS * DAY_MS;
    const isOurs = certificate.verify(new X509Certificate(authority.certificate).publicKey);
    const names = request.names ?? [];
    return isFresh && isOurs && names.every((name) => coversName(certificate, name));
  }

  async #read(name: string): Promise<Credential | undefined> {
    const certificate = await this.#readFile(`${name}.crt`);
    const privateKey = await this.#readFile(`${name}.key`);
    return certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey };
  }

  async #write(name: string, credential: Credential): Promise<Credential> {
    await this.#writeFile(`${name}.key`, credential.privateKey);
    await this.#writeFile(`${name}.crt`, credential.certificate);
    return credential;
  }

  async #readFile(name: string): Promise<string | undefined> {
    const { folder } = this.#options;
    if (folder === undefined) return undefined;
    try {
      return await readFile(join(folder, name), 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // the first start has none
      throw new Error(`Cannot read "${join(folder, name)}"`, { cause });
    }
  }

  /** Never half-written, and readable by nobody else. */
  async #writeFile(name: string, text: string): Promise<void> {
    const { folder } = this.#options;
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await chmod(`${path}.new`, 0o600);
    await rename(`${path}.new`, path);
  }
}
