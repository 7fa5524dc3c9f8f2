import { Buffer } from 'node:buffer';
import { type Clock, type DeepReadonly, messageOf, type Random } from '../../base/index.ts';
import { attachmentName, type DriverHandle, isAttachRequired } from '../../api/meaning/index.ts';
import { type Client, hasReason, type Observed, type Pod } from '../../client/index.ts';
import type { CSIDriver } from '../../api/types/storage/v1.d.ts';
import { ServiceAccountTokens } from '../../node/index.ts';

type Texts = Readonly<Record<string, string>>;
type Driver = DeepReadonly<CSIDriver>;

/** Reads what the cluster says about a driver and its volumes. */
export class DriverObjects {
  readonly #client: Client;
  readonly #node: string;
  readonly #tokens: ServiceAccountTokens;

  constructor(client: Client, { node, ...tools }: { node: string; readonly clock: Clock; readonly random: Random }) {
    this.#client = client;
    this.#node = node;
    this.#tokens = new ServiceAccountTokens(client, tools);
  }

  /** What the cluster knows of a driver; undefined where there is no CSIDriver of that name. */
  async driver(name: string, signal?: AbortSignal): Promise<Driver | undefined> {
    try {
      return await this.#client.storage.v1.csidrivers.get(name, signal === undefined ? {} : { signal });
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Throws when a volume that has to be attached is not attached to this node. */
  async checkAttachment(handle: DriverHandle, driver: Driver | undefined, signal: AbortSignal): Promise<void> {
    if (!isAttachRequired(driver)) return;
    const { volumeHandle } = handle;
    const name = this.attachmentName(handle);
    const { volumeattachments } = this.#client.storage.v1;
    const { metadata, status } = await volumeattachments.get(name, { signal }).catch((error: unknown) => {
      const words = `volume ${volumeHandle} has GET error for volume attachment ${name}`;
      throw new Error(`${words}: ${messageOf(error)}`, { cause: error });
    });
    if (metadata.deletionTimestamp !== undefined) throw new Error('volume attachment is being deleted');
    if (status?.attached === true) return;
    if (status?.attachError !== undefined) throw new Error(status.attachError.message ?? '');
    throw new Error(`volume ${volumeHandle} is not attached for volume attachment ${name}`);
  }

  /** What attaching the volume has returned; empty for volumes that are not attached. */
  async publishContext(handle: DriverHandle, driver: Driver | undefined, signal: AbortSignal): Promise<Texts> {
    if (!isAttachRequired(driver)) return {};
    const { volumeattachments } = this.#client.storage.v1;
    const { status } = await volumeattachments.get(this.attachmentName(handle), { signal });
    return status?.attachmentMetadata ?? {};
  }

  attachmentName(handle: DriverHandle): string {
    return attachmentName(handle, this.#node);
  }

  /** The data of a secret; empty where no secret is named. `what` is the field that names it. */
  async secret(
    ref: { readonly namespace?: string; readonly name?: string } | undefined,
    what: string,
    signal: AbortSignal,
  ): Promise<Texts> {
    if (ref === undefined) return {};
    const { namespace = '', name = '' } = ref;
    try {
      const { data = {} } = await this.#client.core.v1.secrets.namespace(namespace).get(name, { signal });
      return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
      );
    } catch (error) {
      throw new Error(`fetching ${what} ${namespace}/${name} failed: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The pod is gone. */
  forgetPod(podUid: string): void {
    this.#tokens.forget(podUid);
  }

  /** Tokens of the pod's service account for the audiences that the driver asks for, as one text. */
  async tokens(pod: Observed<Pod>, driver: Driver | undefined): Promise<Texts> {
    const requests = driver?.spec?.tokenRequests ?? [];
    if (requests.length === 0) return {};
    const tokens: Record<string, { token: string; expirationTimestamp: string }> = {};
    for (const { audience, expirationSeconds } of requests) {
      const source = { audience, ...(expirationSeconds === undefined ? {} : { expirationSeconds }) };
      const { token, expirationTimestamp } = await this.#tokens.issued(pod, source);
      tokens[audience] = { token, expirationTimestamp };
    }
    return { 'csi.storage.k8s.io/serviceAccount.tokens': JSON.stringify(sorted(tokens)) };
  }
}

/** What a driver with `podInfoOnMount` gets to know of the pod. */
export function podInfo({ metadata, spec }: Observed<Pod>, isEphemeral: boolean): Texts {
  return {
    'csi.storage.k8s.io/pod.name': metadata.name,
    'csi.storage.k8s.io/pod.namespace': metadata.namespace ?? '',
    'csi.storage.k8s.io/pod.uid': metadata.uid,
    'csi.storage.k8s.io/serviceAccount.name': spec?.serviceAccountName ?? '',
    'csi.storage.k8s.io/ephemeral': String(isEphemeral),
  };
}

/** Go writes maps in the order of their keys. */
function sorted<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
