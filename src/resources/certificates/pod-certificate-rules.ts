import { constants, type KeyObject, verify } from 'node:crypto';
import {
  asJson,
  dns1123SubdomainProblems,
  type FieldError,
  invalidValue,
  invalidWhole,
  tooLong,
} from '../../api/index.ts';
import type { PodCertificateRequest, PodCertificateRequestSpec } from '../../api/types/certificates/v1beta1.d.ts';
import {
  isReadable,
  keyProblem,
  publicKeyOf,
  readSigningRequest,
  type SigningRequest,
} from '../../api/meaning/index.ts';
import { checkUserAnnotations } from '../core/user-annotation-rules.ts';
import type { Whole } from '../kind.ts';
import { checkSignerName, isSignerOfKubernetes } from '../signer-name-rules.ts';

type Spec = PodCertificateRequestSpec;

const NAMED = [
  ['podName', 'podUID'],
  ['serviceAccountName', 'serviceAccountUID'],
  ['nodeName', 'nodeUID'],
] as const;

export function checkPodCertificateRequest({ spec }: Whole<PodCertificateRequest>): FieldError[] {
  const { signerName = '', unverifiedUserAnnotations: annotations = {} } = spec;
  return [
    ...checkSignerName(signerName, 'spec.signerName'),
    ...checkUserAnnotations(annotations, 'spec.unverifiedUserAnnotations'),
    ...NAMED.flatMap(([name, uid]) => [...checkName(spec, name), ...checkUid(spec, uid)]),
    ...checkLifetime(spec),
    ...checkProof(spec),
  ];
}

function checkName(spec: Spec, member: (typeof NAMED)[number][0]): FieldError[] {
  const name = spec[member] ?? '';
  const quoted = member === 'nodeName' ? asJson(name) : name;
  return dns1123SubdomainProblems(name).map((problem) => invalidValue(`spec.${member}`, quoted, problem));
}

const MAX_UID_BYTES = 128;

function checkUid(spec: Spec, member: (typeof NAMED)[number][1]): FieldError[] {
  const uid = spec[member] ?? '';
  const field = `spec.${member}`;
  if (uid === '') return [invalidValue(field, uid, 'must not be empty')];
  return Buffer.byteLength(uid) > MAX_UID_BYTES ? [tooLong(field, MAX_UID_BYTES)] : [];
}

const MIN_SECONDS = 3600;
const MAX_SECONDS = 7_862_400;
const MAX_SECONDS_OF_KUBERNETES = 86_400;

function checkLifetime({ signerName = '', maxExpirationSeconds: seconds = 0 }: Spec): FieldError[] {
  const most = isSignerOfKubernetes(signerName) ? MAX_SECONDS_OF_KUBERNETES : MAX_SECONDS;
  if (seconds >= MIN_SECONDS && seconds <= most) return [];
  return [invalidValue('spec.maxExpirationSeconds', seconds, `must be in the range [${MIN_SECONDS}, ${most}]`)];
}

/** The key comes in a request that is signed with it, or by itself with a signature of the pod's identifier. */
function checkProof(spec: Spec): FieldError[] {
  const [stub, key, proof] = [spec.stubPKCS10Request || '', spec.pkixPublicKey || '', spec.proofOfPossession || ''];
  if (stub !== '' && key === '' && proof === '') return checkStub(Buffer.from(stub, 'base64'));
  if (stub === '' && key !== '' && proof !== '') return checkKey(key, proof, spec.podUID ?? '');
  const detail = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
  return [invalidWhole('spec', detail)];
}

const MAX_BYTES = 10 * 1024;
const STUB = 'spec.stubPKCS10Request';

function checkStub(der: Buffer): FieldError[] {
  if (der.length > MAX_BYTES) return [tooLong(STUB, MAX_BYTES)];
  const request = stubOf(der);
  if (request === undefined) return [invalidWhole(STUB, 'must be a valid PKCS#10 CSR')];
  const problem = keyProblem(request.publicKey, 'P256, P384, or P521');
  if (problem !== undefined) {
    const { quoted, detail } = problem;
    return [quoted === undefined ? invalidWhole(STUB, detail) : invalidValue(STUB, quoted, detail)];
  }
  return request.signatureProblem === undefined ? [] : [invalidWhole(STUB, 'invalid signature')];
}

/** The request in DER; undefined if it is malformed. */
export function stubOf(der: Buffer): SigningRequest | undefined {
  try {
    const request = readSigningRequest(der);
    return isReadable(request.publicKey) ? request : undefined;
  } catch {
    return undefined; // upstream does not give the reason either
  }
}

const KEY = 'spec.pkixPublicKey';
const PROOF = 'spec.proofOfPossession';

function checkKey(encodedKey: string, encodedProof: string, podUid: string): FieldError[] {
  const [der, proof] = [Buffer.from(encodedKey, 'base64'), Buffer.from(encodedProof, 'base64')];
  if (der.length > MAX_BYTES) return [tooLong(KEY, MAX_BYTES)];
  if (proof.length > MAX_BYTES) return [tooLong(PROOF, MAX_BYTES)];
  const key = publicKeyOf(der);
  if (key === undefined) return [invalidValue(KEY, encodedKey, 'must be a valid PKIX-serialized public key')];
  const problem = keyProblem(key, 'P256 or P384');
  if (problem !== undefined) return [invalidValue(KEY, problem.quoted ?? encodedKey, problem.detail)];
  return isProof(key, proof, podUid) ? [] : [invalidWhole(PROOF, 'could not verify proof-of-possession signature')];
}

function isProof(key: KeyObject, proof: Buffer, podUid: string): boolean {
  const signed = Buffer.from(podUid);
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return verify(null, signed, key, proof);
    case 'ec':
      return verify('sha256', signed, { key, dsaEncoding: 'der' }, proof);
    default: {
      const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
      return verify('sha256', signed, { key, ...padding }, proof);
    }
  }
}
