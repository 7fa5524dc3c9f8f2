import { builtInTypes } from '../../src/api/index.ts';
import { protobufStorage, type StorageCodec } from '../../src/apiserver/index.ts';
import type { Observed, Pod, ReplicaSet } from '../../src/client/index.ts';
import { prefixRange, type Store } from '../../src/store/index.ts';
import { NAMESPACE } from './clients.ts';
import type { PodCounter } from './deployments.ts';

const PODS = `/registry/pods/${NAMESPACE}/`;
const REPLICA_SETS = `/registry/replicasets/${NAMESPACE}/`;

/** Reports each change of pods and ReplicaSets to the counter, in etcd's order. */
export async function followPods(
  store: Store,
  { counter, from, signal }: { readonly counter: PodCounter; readonly from: number; readonly signal: AbortSignal },
): Promise<void> {
  const types = builtInTypes();
  const codecOf = (group: string, kind: string): StorageCodec => {
    const type = types.kind({ group, version: 'v1', kind });
    if (type === undefined) throw new Error(`Unreachable: "${kind}" is built in`);
    return protobufStorage(type);
  };
  const [pods, replicaSets] = [codecOf('', 'Pod'), codecOf('apps', 'ReplicaSet')];
  for await (const { events } of store.watch(prefixRange('/registry/'), { from: from + 1, signal })) {
    for (const event of events) {
      const entry = event.type === 'put' ? event.entry : event.previous;
      if (entry?.key.startsWith(PODS) === true)
        counter.pod(pods.decode(entry.value) as Observed<Pod>, event.type === 'delete');
      if (entry?.key.startsWith(REPLICA_SETS) === true && event.type === 'put') {
        const { metadata, spec } = replicaSets.decode(entry.value) as Observed<ReplicaSet>;
        counter.replicaSet(metadata.uid, spec?.replicas ?? 1);
      }
    }
  }
}
