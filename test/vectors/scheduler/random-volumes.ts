import type { Random } from '../../../src/base/index.ts';
import type { PersistentVolumeClaimSpec, PodSpec, Volume } from '../../../src/api/types/core/v1.d.ts';
import type { RandomPod } from './random-cluster.ts';
import type { VolumeObjects } from './recorded-volumes.ts';

const NODES = 6;
const CLAIMS = 34;
const PODS = 60;
const DRIVER = 'csi.example.com';
const COUNTED = 'counted.example.com';
const ZONE = 'topology.kubernetes.io/zone';
const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const BOUND = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };

/** Claims and volumes in all states that the plugins distinguish, nodes that can reach some, and pods that want them. */
export class RandomVolumes {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  objects(): VolumeObjects {
    const nodes = Array.from({ length: NODES }, (_, index) => this.#node(`n${index}`));
    const made = Array.from({ length: CLAIMS }, (_, index) => this.#claim(`c${index}`));
    const free = Array.from({ length: 8 }, (_, index) => this.#freeVolume(`free${index}`));
    return {
      nodes,
      csiNodes: nodes.flatMap(({ metadata }) => this.#csiNode(metadata.name)),
      classes: CLASSES,
      drivers: [
        { metadata: { name: COUNTED }, spec: { storageCapacity: true } },
        { metadata: { name: DRIVER }, spec: { attachRequired: true } },
      ],
      capacities: ['a', 'b'].map((zone) => ({
        metadata: { name: `capacity-${zone}`, namespace: 'default' },
        storageClassName: 'counted',
        nodeTopology: { matchLabels: { [ZONE]: zone } },
        capacity: this.#oneOf('1Gi', '3Gi', '20Gi'),
        ...this.#maybe(0.5, () => ({ maximumVolumeSize: this.#oneOf('1Gi', '2Gi') })),
      })),
      claims: made.map(({ claim }) => claim),
      volumes: [...made.flatMap(({ volume }) => volume ?? []), ...free],
      attachments: ['n0', 'n1'].map((nodeName, index) => ({
        metadata: { name: `attachment-${index}` },
        spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName: `v${this.#random.int(CLAIMS)}` } },
      })),
    };
  }

  pods(): RandomPod[] {
    return Array.from({ length: PODS }, (_, index) => ({ name: `p${index}`, spec: this.#podSpec() }));
  }

  #node(name: string): VolumeObjects['nodes'][number] {
    const allocatable = { cpu: this.#oneOf('4', '8'), memory: '16Gi', pods: '110' };
    const labels = {
      'kubernetes.io/hostname': name,
      ...this.#maybe(0.7, () => ({ [ZONE]: this.#oneOf('a', 'b', 'c') })),
      ...this.#maybe(0.2, () => ({ [BETA_ZONE]: this.#oneOf('a', 'b') })),
    };
    return { metadata: { name, labels }, spec: {}, status: { allocatable, capacity: allocatable } };
  }

  #csiNode(name: string): VolumeObjects['csiNodes'] {
    if (this.#random.float() < 0.3) return [];
    const limit = this.#maybe(0.8, () => ({ allocatable: { count: this.#oneOf(1, 2, 4) } }));
    const drivers = [
      { name: DRIVER, nodeID: name, ...limit },
      { name: 'pd.csi.storage.gke.io', nodeID: name, allocatable: { count: 1 } },
    ];
    return [{ metadata: { name }, spec: { drivers } }];
  }

  #claim(name: string): {
    readonly claim: VolumeObjects['claims'][number];
    readonly volume?: VolumeObjects['volumes'][number];
  } {
    const volumeName = name.replace('c', 'v');
    const storageClassName = this.#oneOf(
      'now',
      'late',
      'late',
      'zoned',
      'local',
      'local',
      'counted',
      'counted',
      'none',
      '',
    );
    const spec: PersistentVolumeClaimSpec = {
      accessModes: [this.#oneOf('ReadWriteOnce', 'ReadWriteOnce', 'ReadWriteOncePod')],
      resources: { requests: { storage: this.#oneOf('1Gi', '2Gi', '5Gi') } },
      storageClassName,
      ...(storageClassName === 'local' ? this.#maybe(0.3, () => ({ selector: { matchLabels: { disk: 'ssd' } } })) : {}),
    };
    const chance = this.#random.float();
    if (chance < 0.4)
      return {
        claim: { metadata: { name, annotations: { ...BOUND } }, spec: { ...spec, volumeName }, phase: 'Bound' },
        volume: this.#boundVolume(volumeName, name, spec),
      };
    if (chance < 0.45) return { claim: { metadata: { name }, spec: { ...spec, volumeName }, phase: 'Lost' } };
    if (chance < 0.5)
      return {
        claim: { metadata: { name, annotations: { ...BOUND } }, spec: { ...spec, volumeName: 'gone' }, phase: 'Bound' },
      };
    const annotations = this.#maybe(0.1, () => ({
      'volume.kubernetes.io/selected-node': `n${this.#random.int(NODES)}`,
    }));
    return { claim: { metadata: { name, annotations }, spec, phase: 'Pending' } };
  }

  #boundVolume(name: string, claim: string, spec: PersistentVolumeClaimSpec): VolumeObjects['volumes'][number] {
    const zone = this.#oneOf('a', 'b', 'c', 'a__b');
    const labels = {
      ...this.#maybe(0.25, () => ({ [ZONE]: zone })),
      ...this.#maybe(0.1, () => ({ [BETA_ZONE]: zone })),
    };
    return {
      metadata: { name, labels },
      spec: {
        accessModes: spec.accessModes ?? [],
        capacity: { storage: '5Gi' },
        storageClassName: spec.storageClassName ?? '',
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { namespace: 'default', name: claim },
        ...this.#source(name),
        ...this.#maybe(0.4, () => this.#affinity()),
      },
      phase: 'Bound',
    };
  }

  #source(name: string): object {
    if (this.#random.float() < 0.7) return { csi: { driver: DRIVER, volumeHandle: name } };
    return this.#random.float() < 0.5
      ? { gcePersistentDisk: { pdName: `disk-${name}` } }
      : { hostPath: { path: '/srv/none' } };
  }

  #freeVolume(name: string): VolumeObjects['volumes'][number] {
    return {
      metadata: { name, labels: this.#maybe(0.5, () => ({ disk: 'ssd' })) },
      spec: {
        accessModes: [this.#oneOf('ReadWriteOnce', 'ReadWriteOnce', 'ReadWriteOncePod')],
        // no two of one size: which of equals is taken differs from run to run
        capacity: { storage: `${Number(name.slice(-1)) + 1}Gi` },
        storageClassName: this.#oneOf('local', 'local', 'local', 'late'),
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: '/srv/none' },
        ...this.#affinity(),
        ...this.#maybe(0.15, () => ({ claimRef: { namespace: 'default', name: `c${this.#random.int(CLAIMS)}` } })),
      },
      phase: this.#oneOf('Available', 'Available', 'Available', 'Released'),
    };
  }

  #affinity(): Pick<VolumeObjects['volumes'][number]['spec'], 'nodeAffinity'> {
    const [key, values] = this.#oneOf<readonly [string, string[]]>(
      [ZONE, ['a', 'b']],
      [ZONE, ['c']],
      ['kubernetes.io/hostname', [`n${this.#random.int(NODES)}`, `n${this.#random.int(NODES)}`]],
    );
    return {
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }] } },
    };
  }

  #podSpec(): PodSpec {
    const count = this.#oneOf(1, 1, 1, 1, 2, 2, 3);
    const volumes = Array.from({ length: count }, (_, index) => this.#volume(`d${index}`));
    const cpu = this.#oneOf('10m', '50m');
    const term = {
      matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [`n${this.#random.int(NODES)}`] }],
    };
    return {
      containers: [{ name: 'c', image: 'image', resources: { requests: { cpu } } }],
      volumes,
      ...this.#maybe(0.15, () => ({
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
      })),
    };
  }

  #volume(name: string): Volume {
    const chance = this.#random.float();
    if (chance < 0.75) return { name, persistentVolumeClaim: { claimName: `c${this.#random.int(CLAIMS + 1)}` } };
    if (chance < 0.79) return { name, ephemeral: { volumeClaimTemplate: { spec: EPHEMERAL } } };
    const readOnly = this.#random.float() < 0.5;
    return this.#oneOf<Volume>(
      { name, gcePersistentDisk: { pdName: this.#oneOf('x', 'y'), readOnly } },
      { name, awsElasticBlockStore: { volumeID: 'vol-1', readOnly } },
      { name, iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2020-01.com.example:a', lun: 0, readOnly } },
      { name, rbd: { monitors: this.#oneOf(['m1', 'm2'], ['m2', 'm3'], ['m4']), image: 'i', pool: 'p', readOnly } },
    );
  }

  #oneOf<const T>(...values: readonly T[]): T {
    return values[this.#random.int(values.length)] as T;
  }

  #maybe<T extends object>(share: number, make: () => T): Partial<T> {
    return this.#random.float() < share ? make() : {};
  }
}

const EPHEMERAL: PersistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
};

const LATE = { volumeBindingMode: 'WaitForFirstConsumer' } as const;
const CLASSES: VolumeObjects['classes'] = [
  { metadata: { name: 'now' }, provisioner: DRIVER, volumeBindingMode: 'Immediate' },
  { metadata: { name: 'late' }, provisioner: DRIVER, ...LATE },
  {
    metadata: { name: 'zoned' },
    provisioner: DRIVER,
    allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['a', 'c'] }] }],
    ...LATE,
  },
  { metadata: { name: 'local' }, provisioner: 'kubernetes.io/no-provisioner', ...LATE },
  { metadata: { name: 'counted' }, provisioner: COUNTED, ...LATE },
];
