import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

const CERTIFICATE = 'CERTIFICATE';
const KEY = 'PRIVATE KEY';
const BLOCK = /-----BEGIN ([^\n-]*)-----\r?\n[^-]*-----END \1-----/g;

interface Block {
  readonly type: string;
  readonly text: string;
}

function blocksOf(data: Buffer): Block[] {
  return [...data.toString('latin1').matchAll(BLOCK)].map(([text, type = '']) => ({ type, text }));
}

/** Why a certificate and a key in PEM are no pair, in the words of Go; undefined if they are one. */
export function tlsPairProblem(certificate: Buffer, key: Buffer): string | undefined {
  const certificates = blocksOf(certificate);
  const first = certificates.find(({ type }) => type === CERTIFICATE);
  if (first === undefined) return `tls: ${missingCertificate(certificates.map(({ type }) => type))}`;
  const keys = blocksOf(key);
  const privateKey = keys.find(({ type }) => type === KEY || type.endsWith(` ${KEY}`));
  if (privateKey === undefined) return `tls: ${missingKey(keys.map(({ type }) => type))}`;
  return pairProblem(first.text, privateKey.text);
}

function missingCertificate(types: readonly string[]): string {
  const [only] = types;
  if (only === undefined) return 'failed to find any PEM data in certificate input';
  if (types.length === 1 && only.endsWith(KEY)) {
    const what = 'failed to find certificate PEM data in certificate input, but did find a private key';
    return `${what}; PEM inputs may have been switched`;
  }
  const skipped = `after skipping PEM blocks of the following types: [${types.join(' ')}]`;
  return `failed to find "${CERTIFICATE}" PEM block in certificate input ${skipped}`;
}

function missingKey(types: readonly string[]): string {
  const [only] = types;
  if (only === undefined) return 'failed to find any PEM data in key input';
  if (types.length === 1 && only === CERTIFICATE) {
    return 'found a certificate rather than a key in the PEM for the private key';
  }
  const skipped = `after skipping PEM blocks of the following types: [${types.join(' ')}]`;
  return `failed to find PEM block with type ending in "${KEY}" in key input ${skipped}`;
}

function pairProblem(certificate: string, key: string): string | undefined {
  const parsed = attempt(() => new X509Certificate(certificate));
  if (parsed === undefined) return 'x509: malformed certificate';
  const privateKey: KeyObject | undefined = attempt(() => createPrivateKey(key));
  if (privateKey === undefined) return 'tls: failed to parse private key';
  return parsed.checkPrivateKey(privateKey) ? undefined : 'tls: private key does not match public key';
}

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined; // OpenSSL's reasons are not Go's
  }
}
