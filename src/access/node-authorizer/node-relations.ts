import { podReferences, volumeSecrets } from '../../api/meaning/index.ts';
import type { PersistentVolume, Pod } from '../../api/types/core/v1.d.ts';
import type { ResourceSlice } from '../../api/types/resource/v1.d.ts';
import type { VolumeAttachment } from '../../api/types/storage/v1.d.ts';
import type { ObjectIndex, ServerObjects } from '../../apiserver/index.ts';

/** Kinds of objects that a node may need because of pods that are bound to it. */
export type RelatedKind = 'secret' | 'configmap' | 'claim' | 'resourceclaim' | 'serviceaccount';

/** Kinds of objects that name their node. */
export type OwnKind = 'pod' | 'volumeattachment' | 'resourceslice';

const MIRROR = 'kubernetes.io/config.mirror';

/**
 * Which objects belong to which node.
 *
 * Pods are indexed by the objects they refer to, together with their node: `n1 secret default/token`. Volumes are found by the secrets they
 * are mounted with, and lead to pods through their claims. The cost of a look-up does not depend on the number of pods. The indexes are
 * built when a node first asks for such an object.
 */
export class NodeRelations {
  readonly #objects: ServerObjects;
  #known: RelationIndexes | undefined;

  constructor(objects: ServerObjects) {
    this.#objects = objects;
  }

  /** Whether a pod on the node refers to the object, directly or through a volume. */
  async isRelated(node: string, kind: RelatedKind, { namespace, name }: ObjectName): Promise<boolean> {
    const { pods, volumes } = await this.#indexes();
    if (pods.get(`${node} ${kind} ${namespace}/${name}`).length > 0) return true;
    if (kind !== 'secret') return false;
    return volumes.get(`secret ${namespace}/${name}`).some((volume) => isClaimed(volume, node, pods));
  }

  /** Whether a pod on the node refers to the claim that the volume is bound to. */
  async hasVolume(node: string, name: string): Promise<boolean> {
    const { pods, volumes } = await this.#indexes();
    return volumes.get(`volume ${name}`).some((volume) => isClaimed(volume, node, pods));
  }

  async isOwn(node: string, kind: OwnKind, { namespace, name }: ObjectName): Promise<boolean> {
    return node === (await this.#nodeNamedBy(kind, namespace, name));
  }

  async #nodeNamedBy(kind: OwnKind, namespace: string, name: string): Promise<string | undefined> {
    switch (kind) {
      case 'pod':
        return (await this.#objects.of<Pod>('', 'pods').get(namespace, name))?.spec?.nodeName;
      case 'volumeattachment':
        return (await this.#objects.of<VolumeAttachment>('storage.k8s.io', 'volumeattachments').get('', name))?.spec
          .nodeName;
      case 'resourceslice':
        return (await this.#objects.of<ResourceSlice>('resource.k8s.io', 'resourceslices').get('', name))?.spec
          .nodeName;
    }
  }

  async #indexes(): Promise<RelationIndexes> {
    this.#known ??= {
      pods: this.#objects.of<Pod>('', 'pods').index('node relations', podKeys),
      volumes: this.#objects.of<PersistentVolume>('', 'persistentvolumes').index('node relations', volumeKeys),
    };
    const { pods, volumes } = this.#known;
    if (!pods.isComplete || !volumes.isComplete) await Promise.all([pods.completed(), volumes.completed()]);
    return this.#known;
  }
}

interface RelationIndexes {
  readonly pods: ObjectIndex<Pod>;
  readonly volumes: ObjectIndex<PersistentVolume>;
}

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

function isClaimed({ spec }: PersistentVolume, node: string, pods: ObjectIndex<Pod>): boolean {
  const { namespace = '', name = '' } = spec?.claimRef ?? {};
  return pods.get(`${node} claim ${namespace}/${name}`).length > 0;
}

/** Mirror pods are skipped: a node creates them itself, and could otherwise reach any object by referring to it. */
function podKeys(pod: Pod): string[] {
  const { nodeName = '', serviceAccountName = '' } = pod.spec ?? {};
  if (nodeName === '' || pod.metadata?.annotations?.[MIRROR] !== undefined) return [];
  const { secrets, configMaps, claims, resourceClaims } = podReferences(pod);
  const keys = (kind: RelatedKind, names: readonly string[]): string[] =>
    names.map((name) => `${nodeName} ${kind} ${pod.metadata?.namespace ?? ''}/${name}`);
  return [
    ...new Set([
      ...keys('secret', secrets),
      ...keys('configmap', configMaps),
      ...keys('claim', claims),
      ...keys('resourceclaim', resourceClaims),
      ...keys('serviceaccount', serviceAccountName === '' ? [] : [serviceAccountName]),
    ]),
  ];
}

function volumeKeys(volume: PersistentVolume): string[] {
  if (volume.spec?.claimRef === undefined) return [];
  const secrets = volumeSecrets(volume).map((secret) => `secret ${secret}`);
  return [`volume ${volume.metadata?.name ?? ''}`, ...new Set(secrets)];
}
