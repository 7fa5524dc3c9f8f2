import { Buffer } from 'node:buffer';

/** The service account of the pod whose image is pulled (KEP-4412). */
export interface RequestingAccount {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** A token of the account for the audience that the node's configuration names, to be exchanged for credentials of the registry. */
  readonly token: string;
  /** The annotations of the account that the node's configuration names. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** An image that a node is about to pull. */
export interface CredentialRequest {
  /** Without tag and digest: `registry.example.com:5000/team/app`. */
  readonly image: string;
  /** Host and port: `registry.example.com:5000`. */
  readonly registry: string;
  /** Undefined where the node's configuration has no `tokenAttributes`, or the pod has no account. */
  readonly account: RequestingAccount | undefined;
  /** Aborts when the node no longer waits for the answer. */
  readonly signal: AbortSignal;
}

const GROUP = 'credentialprovider.kubelet.k8s.io';
const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${GROUP}/${version}`);

interface WrittenRequest {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly image?: unknown;
  readonly serviceAccountToken?: unknown;
  readonly serviceAccountAnnotations?: Readonly<Record<string, string>> | null;
}

/** Reads a CredentialProviderRequest. The answer has to be of the same version. */
export function readCredentialRequest(
  text: string,
  signal: AbortSignal,
): { readonly request: CredentialRequest; readonly apiVersion: string } {
  const { kind, apiVersion, image, serviceAccountToken, serviceAccountAnnotations } = parsed(text);
  if (kind !== 'CredentialProviderRequest' || typeof apiVersion !== 'string' || !VERSIONS.includes(apiVersion))
    throw new Error(
      `Cannot answer a ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}: need a CredentialProviderRequest of ${VERSIONS.join(', ')}`,
    );
  if (typeof image !== 'string' || image === '')
    throw new Error(`Cannot answer a request with the image ${JSON.stringify(image)}`);
  const [registry = ''] = image.split('/');
  const account =
    typeof serviceAccountToken === 'string' && serviceAccountToken !== ''
      ? accountOf(serviceAccountToken, serviceAccountAnnotations ?? {})
      : undefined;
  return { request: { image, registry, account, signal }, apiVersion };
}

function parsed(text: string): WrittenRequest {
  try {
    return (JSON.parse(text) as WrittenRequest | null) ?? {};
  } catch (cause) {
    throw new Error('Cannot read the request from stdin: it is no JSON', { cause });
  }
}

/** The claims of the token say whose it is. They are not verified here: the registry's side does that when the token is exchanged. */
function accountOf(token: string, annotations: Readonly<Record<string, string>>): RequestingAccount {
  const [, payload = ''] = token.split('.');
  const claims = claimsOf(payload)['kubernetes.io'] ?? {};
  const { namespace = '', serviceaccount: { name = '', uid = '' } = {} } = claims;
  return { namespace, name, uid, token, annotations };
}

interface Claims {
  readonly 'kubernetes.io'?: {
    readonly namespace?: string;
    readonly serviceaccount?: { readonly name?: string; readonly uid?: string };
  };
}

function claimsOf(payload: string): Claims {
  try {
    return (JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Claims | null) ?? {};
  } catch (cause) {
    throw new Error('Cannot read the token of the service account', { cause });
  }
}
