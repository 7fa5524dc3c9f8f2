import { podReferences } from '../../api/meaning/index.ts';
import { type Client, hasReason, type Observed, type Pod } from '../../client/index.ts';

/** A ConfigMap or a Secret. */
export interface PodObject {
  readonly metadata: { readonly resourceVersion: string };
  /** Text of a ConfigMap, base64 of a Secret. */
  readonly data?: Readonly<Record<string, string>>;
  /** Base64; of ConfigMaps alone. */
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

export interface ObjectReference {
  readonly kind: 'configmap' | 'secret';
  readonly namespace: string;
  readonly name: string;
}

/** The ConfigMaps and Secrets that pods of a node refer to. */
export interface PodObjects extends AsyncDisposable {
  /** Undefined when there is no such object. */
  get(reference: ObjectReference): Promise<PodObject | undefined>;
  /** The pod runs on the node: what it refers to is kept ready until `release`. Called again for each version of the pod. */
  use(pod: Observed<Pod>): void;
  release(podUid: string): void;
}

/** `secret default/web`. */
export function referenceKey({ kind, namespace, name }: ObjectReference): string {
  return `${kind} ${namespace}/${name}`;
}

/** What a pod refers to, each object once, by key. */
export function referencesOf(pod: Observed<Pod>): ReadonlyMap<string, ObjectReference> {
  const { namespace = '' } = pod.metadata;
  const { secrets, configMaps } = podReferences(pod);
  const all: readonly ObjectReference[] = [
    ...configMaps.map((name) => ({ kind: 'configmap', namespace, name }) as const),
    ...secrets.map((name) => ({ kind: 'secret', namespace, name }) as const),
  ];
  return new Map(all.map((reference) => [referenceKey(reference), reference]));
}

/** Reads an object from the server. */
export async function fetchObject(
  client: Client,
  { kind, namespace, name }: ObjectReference,
): Promise<PodObject | undefined> {
  const { configmaps, secrets } = client.core.v1;
  try {
    return await (kind === 'secret' ? secrets : configmaps).namespace(namespace).get(name);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
