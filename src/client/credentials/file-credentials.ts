import { type Clock, messageOf } from '../../base/index.ts';
import { TransportError } from '../../wire/http/index.ts';
import { bearer, type ClientCertificate, type Credential, type Credentials } from './credentials.ts';
import { WatchedFile } from './watched-file.ts';

/**
 * A bearer token from a file. The file is read again when it changes, and at once when the server rejects the token.
 */
export class TokenFileCredentials implements Credentials {
  readonly #file: WatchedFile;

  constructor(path: string, clock: Clock) {
    this.#file = new WatchedFile(path, clock);
  }

  current(): Promise<Credential> {
    return this.#read(false);
  }

  async renew(refused: Credential): Promise<boolean> {
    return (await this.#read(true)).authorization !== refused.authorization;
  }

  async #read(isForced: boolean): Promise<Credential> {
    const token = (await readPart(this.#file, 'token', isForced)).trim();
    if (token === '')
      throw new TransportError('credentials', `Cannot use token file "${this.#file.path}": it is empty`);
    return { authorization: bearer(token) };
  }
}

/** A PEM text, or the path of its file. */
export type PemSource = { readonly pem: string } | { readonly path: string };

/** A client certificate and key; each may be in a file. Files are read again when they change. */
export class CertificateCredentials implements Credentials {
  readonly #certificate: () => Promise<string>;
  readonly #key: () => Promise<string>;
  #last: ClientCertificate | undefined;

  constructor(certificate: PemSource, key: PemSource, clock: Clock) {
    this.#certificate = reader(certificate, 'client certificate', clock);
    this.#key = reader(key, 'client key', clock);
  }

  async current(): Promise<Credential> {
    const [certificate, key] = await Promise.all([this.#certificate(), this.#key()]);
    if (this.#last?.certificate !== certificate || this.#last.key !== key) this.#last = { certificate, key };
    return { certificate: this.#last };
  }

  async renew(refused: Credential): Promise<boolean> {
    return (await this.current()).certificate !== refused.certificate;
  }
}

function reader(source: PemSource, what: string, clock: Clock): () => Promise<string> {
  if ('pem' in source) return async () => source.pem;
  const file = new WatchedFile(source.path, clock);
  return () => readPart(file, what, false);
}

async function readPart(file: WatchedFile, what: string, isForced: boolean): Promise<string> {
  try {
    return await file.read(isForced);
  } catch (cause) {
    throw new TransportError('credentials', `Cannot read ${what} file "${file.path}": ${messageOf(cause)}`, { cause });
  }
}
