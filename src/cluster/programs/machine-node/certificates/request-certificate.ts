import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { CertificateSigningRequest, type Client, hasReason } from '../../../../client/index.ts';
import {
  type Credential,
  newPrivateKey,
  newSigningRequest,
  type Subject,
} from '../../../../wire/certificates/index.ts';

/** A certificate as the node wants it. */
export interface WantedNodeCertificate {
  readonly subject: Subject;
  readonly names?: readonly string[];
  readonly signerName: 'kubernetes.io/kube-apiserver-client-kubelet' | 'kubernetes.io/kubelet-serving';
  readonly usage: 'client auth' | 'server auth';
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** The key to certify; default a new one. */
  readonly privateKey?: string;
  /** Whether the request is named after key and subject, so that it is found again after a restart; default false. */
  readonly isNamed?: boolean;
}

const POLL_MS = 1000;
/** As long as a kubelet waits, before it starts over with a new request. */
const MAX_WAIT_MS = 15 * 60_000;

/** Requests a certificate of the API server and waits until it is approved and signed. Throws when it is denied, or takes too long. */
export async function requestCertificate(
  client: Client,
  wanted: WantedNodeCertificate,
  { signal, privateKey = newPrivateKey(), isNamed = false }: RequestOptions,
): Promise<Credential> {
  const { subject, names = [], signerName, usage } = wanted;
  const request = newSigningRequest({ subject, names, privateKey: createPrivateKey(privateKey) });
  const requests = client.kind(CertificateSigningRequest);
  const usages = ['digital signature', usage] as const;
  const metadata = isNamed ? { name: digestedName(privateKey, subject, usages) } : { generateName: 'csr-' };
  let name = metadata.name ?? '';
  try {
    const spec = { request: Buffer.from(request).toString('base64'), signerName, usages };
    name = (await requests.create({ metadata, spec }, { signal })).metadata.name;
  } catch (error) {
    if (!isNamed || !hasReason(error, 'AlreadyExists')) throw error;
  }
  const untilMs = client.clock.monotonic() + MAX_WAIT_MS;
  while (!signal.aborted && client.clock.monotonic() < untilMs) {
    const { status } = await requests.get(name, { signal });
    const refused = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed');
    if (refused !== undefined) {
      const outcome = refused.type === 'Denied' ? 'denied' : 'failed';
      throw new Error(
        `certificate signing request ${name} is ${outcome}, reason: ${refused.reason ?? ''}, message: ${refused.message ?? ''}`,
      );
    }
    const isApproved = status?.conditions?.some(({ type }) => type === 'Approved') === true;
    if (isApproved && status.certificate !== undefined && status.certificate !== '')
      return { certificate: Buffer.from(status.certificate, 'base64').toString(), privateKey };
    await client.clock.sleep(POLL_MS, signal);
  }
  signal.throwIfAborted();
  throw new Error(`Cannot get a certificate: request "${name}" was neither approved nor denied in 15 minutes`);
}

/** The name that a kubelet gives its first request: the same key and subject lead to the same name. */
function digestedName(
  privateKey: string,
  { commonName, organizations = [] }: Subject,
  usages: readonly string[],
): string {
  const hash = createHash('sha512-256');
  const key = createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'der' });
  for (const part of [key, commonName, ...organizations, ...usages])
    hash.update(`${Buffer.from(part).toString('base64url')}|`);
  return `node-csr-${hash.digest('base64url')}`;
}
