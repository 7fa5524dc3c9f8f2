import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type Clock, describeError, discardLogger, type Logger, type Random } from '../../base/index.ts';
import {
  type CertificateRequest,
  type Credential,
  issueCertificate,
  issuerFrom,
  newPrivateKey,
  selfIssuer,
} from '../../wire/certificates/index.ts';
import { type PkiFiles, pkiFolder, pkiMemory, splitFiles } from './pki-files.ts';
import { SHARED_FILES } from './shared-identity.ts';

/** Every key and certificate a control plane needs. */
export interface ClusterPki {
  /** Signs serving and client certificates. */
  readonly authority: Credential;
  readonly serving: Credential;
  /** PEM of the authority that clients have to trust: another than `authority` when the user has provided the serving pair. */
  readonly servingAuthority: string;
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
  readonly log?: Logger;
  /** Names and addresses that clients reach the server by. */
  readonly servingNames: readonly string[];
  /** Where files are kept; undefined keeps everything in memory. */
  readonly folder: string | undefined;
  /** Where the authorities and keys are that servers have in common; default with the others. */
  readonly sharedFolder?: string;
  /** Instead of folders. */
  readonly files?: PkiFiles;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const AUTHORITY_DAYS = 10 * 365;
const LEAF_DAYS = 365;
/** A leaf with less time left than this is renewed; for a certificate that cannot be renewed, a warning is logged. */
const RENEW_BEFORE_DAYS = 30;

/** A pair that has been read and fits together. */
interface Pair extends Credential {
  readonly name: string;
  readonly key: KeyObject;
  readonly parsed: X509Certificate;
}

type LeafRequest = Omit<CertificateRequest, 'notBefore' | 'notAfter'>;

/** Reads the cluster's keys and certificates once. */
export function clusterPki(options: PkiOptions): Promise<ClusterPki> {
  return new ClusterKeys(options).read();
}

/**
 * The cluster's keys and certificates, made where they are missing.
 *
 * Guarantees: a key that is there is never replaced. Certificates of the cluster's own authorities are renewed, for the same
 * key, when they are about to expire or lack a name; a serving pair of another authority is used as it is. Whatever is empty,
 * broken, expired beyond repair or does not fit together is refused, with the file and the reason.
 */
export class ClusterKeys {
  readonly #options: PkiOptions;
  readonly #files: PkiFiles;
  readonly #log: Logger;
  /** Names and addresses that the serving certificate must cover. */
  readonly #servingNames: Set<string>;
  /** Certificates for which a warning was logged. */
  readonly #warned = new Set<string>();

  constructor(options: PkiOptions) {
    this.#options = options;
    this.#servingNames = new Set(options.servingNames);
    this.#log = options.log ?? discardLogger;
    this.#files = options.files ?? filesOf(options);
  }

  get files(): PkiFiles {
    return this.#files;
  }

  /** Has the serving certificate cover this name or address too; returns what is in use from now on. */
  cover(name: string): Promise<ClusterPki> {
    this.#servingNames.add(name);
    return this.read();
  }

  /** Reads everything; called again later it renews what is due by then, and finds files that were replaced. */
  async read(): Promise<ClusterPki> {
    const authority = await this.#authority('ca', 'keelson-ca');
    const frontProxy = await this.#authority('front-proxy-ca', 'keelson-front-proxy-ca');
    const serving = await this.#serving(authority);
    const admin = await this.#leaf('admin', authority, {
      subject: { commonName: 'kubernetes-admin', organizations: ['system:masters'] },
      usage: 'client',
    });
    const frontProxyClient = await this.#leaf('front-proxy-client', frontProxy, {
      subject: { commonName: 'front-proxy-client' },
      usage: 'client',
    });
    return {
      authority: credentialOf(authority),
      serving: credentialOf(serving),
      servingAuthority: isSignedBy(serving, authority) ? authority.certificate : serving.certificate,
      admin: credentialOf(admin),
      frontProxyAuthority: credentialOf(frontProxy),
      frontProxyClient: credentialOf(frontProxyClient),
      serviceAccountKey: (await this.#key('sa')).text,
    };
  }

  async #authority(name: string, commonName: string): Promise<Pair> {
    const found = await this.#pair(name);
    if (found === undefined) {
      const { text, key } = await this.#key(name);
      const subject = { commonName };
      const request = { subject, usage: 'authority', ...this.#validity(AUTHORITY_DAYS) } as const;
      const issuer = selfIssuer(subject, key);
      const made = issueCertificate(request, createPublicKey(key), { issuer, random: this.#options.random });
      const certificate = await this.#files.create(`${name}.crt`, made);
      return this.#fitting(name, certificate, { text, key });
    }
    if (!found.parsed.ca) throw this.#unusable(`${name}.crt`, 'it is not a certificate authority');
    if (this.#msLeft(found) <= 0) {
      throw this.#unusable(
        `${name}.crt`,
        `it expired on ${found.parsed.validTo}; with a new authority, or after removing the pair and all that it signed, the server can start`,
      );
    }
    this.#warnOfExpiry(found);
    return found;
  }

  /** The pair shown to clients. One that another authority has signed is not renewed here. */
  async #serving(authority: Pair): Promise<Pair> {
    const found = await this.#pair('apiserver');
    if (found !== undefined && found.parsed.issuer !== authority.parsed.subject) {
      this.#warnOfExpiry(found);
      return found;
    }
    const names = [...this.#servingNames];
    return this.#leaf('apiserver', authority, { subject: { commonName: 'kube-apiserver' }, usage: 'server', names });
  }

  async #leaf(name: string, authority: Pair, request: LeafRequest): Promise<Pair> {
    const found = await this.#pair(name);
    if (found !== undefined && !isSignedBy(found, authority)) {
      throw this.#unusable(
        `${name}.crt`,
        `"${this.#files.place(`${authority.name}.crt`)}" has not signed it; put back the authority that has, or remove the certificate to have another one made`,
      );
    }
    if (found !== undefined && this.#isGood(found, authority, request.names ?? [])) return found;
    const { text, key } = found === undefined ? await this.#key(name) : { text: found.privateKey, key: found.key };
    const validity = this.#validity(LEAF_DAYS);
    const notAfter = Math.min(validity.notAfter, Date.parse(authority.parsed.validTo));
    const certificate = issueCertificate({ ...request, ...validity, notAfter }, createPublicKey(key), {
      issuer: issuerFrom(authority.parsed, authority.key),
      random: this.#options.random,
    });
    await this.#keep(`${name}.crt`, certificate, { isNew: found === undefined });
    return this.#fitting(name, certificate, { text, key });
  }

  /** A renewed certificate is used even where it cannot be written, such as in a folder that is mounted read-only. */
  async #keep(name: string, certificate: string, { isNew }: { readonly isNew: boolean }): Promise<void> {
    try {
      await this.#files.replace(name, certificate);
      if (!isNew) this.#log.info('certificate renewed', { file: this.#files.place(name) });
    } catch (error) {
      if (isNew) throw error;
      this.#log.warn('renewed certificate cannot be kept', {
        file: this.#files.place(name),
        error: describeError(error),
      });
    }
  }

  #isGood(found: Pair, authority: Pair, names: readonly string[]): boolean {
    const canLastLonger = Date.parse(found.parsed.validTo) < Date.parse(authority.parsed.validTo);
    const isDue = canLastLonger && this.#msLeft(found) <= RENEW_BEFORE_DAYS * DAY_MS;
    return !isDue && names.every((name) => coversName(found.parsed, name));
  }

  /** The certificate and its key; undefined when there is no certificate, with or without a key. */
  async #pair(name: string): Promise<Pair | undefined> {
    const certificate = await this.#files.read(`${name}.crt`);
    if (certificate === undefined) return undefined;
    const privateKey = await this.#files.read(`${name}.key`);
    if (privateKey === undefined) {
      throw this.#unusable(`${name}.crt`, `its key "${this.#files.place(`${name}.key`)}" is not there`);
    }
    return this.#fitting(name, certificate, { text: privateKey, key: this.#parseKey(`${name}.key`, privateKey) });
  }

  #fitting(name: string, certificate: string, { text, key }: { readonly text: string; readonly key: KeyObject }): Pair {
    const parsed = this.#parse(`${name}.crt`, certificate, () => new X509Certificate(certificate));
    if (!parsed.checkPrivateKey(key)) {
      throw this.#unusable(`${name}.key`, `it is not the key of "${this.#files.place(`${name}.crt`)}"`);
    }
    return { name, certificate, privateKey: text, key, parsed };
  }

  /** The key of this name; creates a missing one. */
  async #key(name: string): Promise<{ readonly text: string; readonly key: KeyObject }> {
    const file = `${name}.key`;
    const text = (await this.#files.read(file)) ?? (await this.#files.create(file, newPrivateKey()));
    return { text, key: this.#parseKey(file, text) };
  }

  #parseKey(file: string, text: string): KeyObject {
    return this.#parse(file, text, () => createPrivateKey(text));
  }

  #parse<T>(file: string, text: string, parse: () => T): T {
    if (text.trim() === '') throw this.#unusable(file, 'it is empty');
    try {
      return parse();
    } catch (cause) {
      const what = file.endsWith('.key') ? 'private key' : 'certificate';
      throw this.#unusable(file, `it holds no ${what} in PEM that can be read`, cause);
    }
  }

  #unusable(file: string, reason: string, cause?: unknown): Error {
    return new Error(`Cannot use "${this.#files.place(file)}": ${reason}`, cause === undefined ? {} : { cause });
  }

  #warnOfExpiry(pair: Pair): void {
    if (this.#msLeft(pair) > RENEW_BEFORE_DAYS * DAY_MS || this.#warned.has(pair.certificate)) return;
    this.#warned.add(pair.certificate);
    const fields = { file: this.#files.place(`${pair.name}.crt`), expires: pair.parsed.validTo };
    if (this.#msLeft(pair) > 0) this.#log.warn('certificate expires soon', fields);
    else this.#log.error('certificate has expired', fields);
  }

  #msLeft({ parsed }: Pair): number {
    return Date.parse(parsed.validTo) - this.#options.clock.now();
  }

  /** Backdated a little, for clients whose clocks are behind. */
  #validity(days: number): { readonly notBefore: number; readonly notAfter: number } {
    const now = this.#options.clock.now();
    return { notBefore: now - HOUR_MS, notAfter: now + days * DAY_MS };
  }
}

function filesOf({ folder, sharedFolder, random }: PkiOptions): PkiFiles {
  const own = folder === undefined ? pkiMemory() : pkiFolder(folder, random);
  return sharedFolder === undefined ? own : splitFiles(SHARED_FILES, pkiFolder(sharedFolder, random), own);
}

function credentialOf({ certificate, privateKey }: Pair): Credential {
  return { certificate, privateKey };
}

function isSignedBy({ parsed }: Pair, authority: Pair): boolean {
  return parsed.checkIssued(authority.parsed) && parsed.verify(authority.parsed.publicKey);
}

function coversName(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}
