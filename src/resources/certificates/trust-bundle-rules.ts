import { X509Certificate } from 'node:crypto';
import { type FieldError, invalidValue, tooLong } from '../../api/index.ts';
import type { ClusterTrustBundle } from '../../api/types/certificates/v1beta1.d.ts';
import { pemBlocks, type PemBlock } from '../../api/meaning/index.ts';
import type { Whole } from '../kind.ts';
import { type NameRule, subdomainName } from '../name-rules.ts';
import { checkSignerName } from '../signer-name-rules.ts';

type Bundle = Whole<ClusterTrustBundle>;

/** The name of a signer's bundle begins with the signer, and no other name has colons. */
export function bundleNameRule({ spec }: Bundle): NameRule {
  const { signerName = '' } = spec;
  if (signerName === '') {
    return (name, options) =>
      name.includes(':')
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : subdomainName(name, options);
  }
  const start = `${signerName.replaceAll('/', ':')}:`;
  return (name, options) =>
    name.startsWith(start)
      ? subdomainName(name.slice(start.length), options)
      : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${start}`];
}

export function checkBundle({ spec }: Bundle): FieldError[] {
  return [...checkSigner(spec.signerName ?? ''), ...checkAnchors(spec.trustBundle ?? '')];
}

/** Anchors are not read again unless they change: what counts as valid may differ from one version to the next. */
export function checkBundleUpdate(bundle: Bundle, old: Bundle): FieldError[] {
  const { signerName = '', trustBundle = '' } = bundle.spec;
  return [
    ...checkSigner(signerName),
    ...(trustBundle === (old.spec.trustBundle ?? '') ? [] : checkAnchors(trustBundle)),
  ];
}

function checkSigner(name: string): FieldError[] {
  return name === '' ? [] : checkSignerName(name, 'spec.signerName');
}

const FIELD = 'spec.trustBundle';
const MAX_BYTES = 1024 * 1024;

function checkAnchors(text: string): FieldError[] {
  if (Buffer.byteLength(text) > MAX_BYTES) return [tooLong(FIELD, MAX_BYTES)];
  const blocks = pemBlocks(text);
  const errors = blocks.flatMap((block, index) => {
    const problem = anchorProblem(block);
    return problem === undefined ? [] : [wrong(`entry ${index} ${problem}`)];
  });
  if (errors.length > 0) return errors;
  return blocks.length === 0 ? [wrong('at least one trust anchor must be provided')] : repeated(blocks);
}

function wrong(detail: string): FieldError {
  return invalidValue(FIELD, '<value omitted>', detail);
}

function anchorProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  const certificate = certificateOf(bytes);
  if (certificate === undefined) return 'does not parse as X.509';
  return certificate.ca ? undefined : 'does not have the CA bit set';
}

/** The certificate in DER; undefined if it is malformed, or if something follows it. */
export function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(bytes);
    return certificate.raw.equals(bytes) ? certificate : undefined;
  } catch {
    return undefined; // OpenSSL's reasons do not help the client
  }
}

function repeated(blocks: readonly PemBlock[]): FieldError[] {
  const places = new Map<string, number[]>();
  for (const [index, { bytes }] of blocks.entries()) {
    const key = bytes.toString('latin1');
    places.set(key, [...(places.get(key) ?? []), index]);
  }
  return [...places.values()]
    .filter((indexes) => indexes.length > 1)
    .map((indexes) => wrong(`duplicate trust anchor (indices [${indexes.join(' ')}])`));
}
