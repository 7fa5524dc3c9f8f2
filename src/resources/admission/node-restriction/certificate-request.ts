import type { CertificateSigningRequest } from '../../../api/types/certificates/v1.d.ts';
import type { AdmissionAttributes } from '../../../apiserver/index.ts';

/** Signers of certificates by which a node is known. */
const NODE_SIGNERS = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'];

/** Why a node may not ask for this certificate: it must be for itself. */
export function signingProblem(node: string, { operation, object }: AdmissionAttributes): string | undefined {
  if (operation !== 'CREATE') return undefined;
  const { spec } = object as unknown as CertificateSigningRequest;
  if (!NODE_SIGNERS.includes(spec.signerName)) return undefined;
  const commonName = commonNameOf(spec.request);
  if (commonName === undefined) return 'unable to parse csr: PEM block type must be CERTIFICATE REQUEST';
  const wanted = `system:node:${node}`;
  return commonName === wanted ? undefined : `can only create a node CSR with CN=${wanted}`;
}

const PEM = /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END CERTIFICATE REQUEST-----/;
const COMMON_NAME = '550403'; // the object identifier 2.5.4.3
const SEQUENCE = 0x30;

/** The common name in a PKCS #10 request, as base64 of its PEM: the last one, as upstream's parser has it. */
function commonNameOf(request: string): string | undefined {
  const body = PEM.exec(Buffer.from(request, 'base64').toString('latin1'))?.[1];
  if (body === undefined) return undefined;
  const [whole] = elementsOf(Buffer.from(body, 'base64'));
  const [info] = whole?.tag === SEQUENCE ? elementsOf(whole.content) : [];
  const subject = info === undefined ? undefined : elementsOf(info.content)[1];
  if (subject === undefined) return undefined;
  let commonName = '';
  for (const part of elementsOf(subject.content)) {
    for (const attribute of elementsOf(part.content)) {
      const [type, value] = elementsOf(attribute.content);
      if (type?.content.toString('hex') === COMMON_NAME) commonName = value?.content.toString('utf8') ?? '';
    }
  }
  return commonName;
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** The elements that follow each other in DER; none from where it is broken on. */
function elementsOf(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    if (lengthBytes > 4 || at + 2 + lengthBytes > bytes.length) return elements;
    const length = lengthBytes === 0 ? first & 0x7f : bytes.readUIntBE(at + 2, lengthBytes);
    const start = at + 2 + lengthBytes;
    if (start + length > bytes.length) return elements;
    elements.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}
