import { deepEqual } from '../../../base/index.ts';
import { storageClassNameOf } from '../../../api/meaning/index.ts';
import {
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  StorageClass,
} from '../../../client/index.ts';
import type { Change } from '../../framework/cluster-event.ts';
import type { CycleKey } from '../../framework/cycle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import type { PluginContext } from '../../framework/plugin-context.ts';
import { type Rejection, unresolvable } from '../../framework/rejection.ts';
import { isNamedClaimOfPod } from './claim-hints.ts';

const NAME = 'VolumeZone';
const NO_ZONE = unresolvable(NAME, 'node(s) had no available volume zone');
const BETA = 'failure-domain.beta.kubernetes.io/';
const STABLE = 'topology.kubernetes.io/';
const ZONE_LABELS = [`${BETA}zone`, `${BETA}region`, `${STABLE}zone`, `${STABLE}region`];

/** A topology label of a volume: nodes must have one of its values. */
interface Zone {
  readonly label: string;
  readonly values: ReadonlySet<string>;
}

const zones: CycleKey<readonly Zone[]> = { name: `PreFilter${NAME}` };

/** Filter: a volume labelled with a zone or region is reachable from nodes there only. */
export function volumeZone({ objects }: Pick<PluginContext, 'objects'>): Plugin {
  const volumes = objects(PersistentVolume);
  const claims = objects(PersistentVolumeClaim);
  const classes = objects(StorageClass);

  function zonesFor(pod: Observed<Pod>): Zone[] | Rejection {
    const found: Zone[] = [];
    for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
      if (persistentVolumeClaim === undefined) continue;
      const { claimName } = persistentVolumeClaim;
      const claim = claims.get(`${pod.metadata.namespace}/${claimName}`);
      if (claim === undefined) return notFound('persistentvolumeclaim', claimName);
      const { volumeName = '' } = claim.spec ?? {};
      const problem = volumeName === '' ? whyUnbound(claim) : undefined;
      if (problem !== undefined) return problem;
      if (volumeName === '') continue;
      const volume = volumes.get(volumeName);
      if (volume === undefined) return notFound('persistentvolume', volumeName);
      found.push(...zonesOf(volume));
    }
    return found;
  }

  /** A claim may be unbound only if its class has delayed binding. */
  function whyUnbound(claim: Observed<PersistentVolumeClaim>): Rejection | undefined {
    const name = storageClassNameOf(claim);
    if (name === '') return unresolvable(NAME, 'PersistentVolumeClaim had no pv name and storageClass name');
    const storageClass = classes.get(name);
    if (storageClass === undefined) return notFound('storageclass.storage.k8s.io', name);
    if (storageClass.volumeBindingMode === 'WaitForFirstConsumer') return undefined;
    return unresolvable(NAME, 'PersistentVolume had no name');
  }

  return {
    name: NAME,
    events: [
      {
        resource: 'StorageClass',
        actions: ['Add'],
        isWorthRetry: (_, { now }: Change<StorageClass>) => now?.volumeBindingMode === 'WaitForFirstConsumer',
      },
      { resource: 'Node', actions: ['Add', 'UpdateNodeLabel'] },
      { resource: 'PersistentVolumeClaim', actions: ['Add', 'Update'], isWorthRetry: isNamedClaimOfPod },
      {
        resource: 'PersistentVolume',
        actions: ['Add', 'Update'],
        isWorthRetry: (_, { old, now }: Change<PersistentVolume>) =>
          old === undefined || now === undefined || !deepEqual(zoneLabels(old), zoneLabels(now)),
      },
    ],
    preFilter(cycle) {
      const { pod } = cycle.pod;
      if ((pod.spec?.volumes ?? []).length === 0) return 'skip';
      const found = zonesFor(pod);
      if (!Array.isArray(found)) return found;
      if (found.length === 0) return 'skip';
      cycle.write(zones, found);
      return undefined;
    },
    filter(cycle, { node }) {
      const labels = node?.metadata.labels ?? {};
      if (!ZONE_LABELS.some((label) => labels[label] !== undefined)) return undefined;
      const isThere = ({ label, values }: Zone): boolean => {
        const value = labels[label] ?? labels[label.replace(BETA, STABLE)];
        return value !== undefined && values.has(value);
      };
      return cycle.read(zones).every(isThere) ? undefined : NO_ZONE;
    },
  };
}

function notFound(resource: string, name: string): Rejection {
  return unresolvable(NAME, `${resource} "${name}" not found`);
}

function zoneLabels({ metadata }: Observed<PersistentVolume>): Readonly<Record<string, string>> {
  return Object.fromEntries(ZONE_LABELS.flatMap((label) => toPair(label, metadata.labels?.[label])));
}

function toPair(label: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[label, value]];
}

/** The topology labels of a volume. A label may list several zones; one that does not parse is ignored. */
function zonesOf(volume: Observed<PersistentVolume>): Zone[] {
  return Object.entries(zoneLabels(volume)).flatMap(([label, text]) => {
    const values = text.split('__').map((each) => each.trim());
    return values.includes('') ? [] : [{ label, values: new Set(values) }];
  });
}
