import type { Random } from '../../../src/base/index.ts';
import type { PodSpec } from '../../../src/api/types/core/v1.d.ts';
import type {
  Device,
  DeviceClassSpec,
  DeviceRequest,
  DeviceSelector,
  DeviceTaint,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaimSpec,
  ResourceSliceSpec,
} from '../../../src/api/types/resource/v1.d.ts';

export interface Named<Spec> {
  readonly name: string;
  readonly spec: Spec;
}

export interface RandomDeviceNode {
  readonly name: string;
  readonly zone: string;
  /** Devices that a device plugin provides. */
  readonly plugged: string | undefined;
}

/** A pod with the claims that are made for it; it may use one of an earlier pod as well. */
export interface RandomDevicePod {
  readonly name: string;
  readonly claims: readonly Named<ResourceClaimSpec>[];
  readonly spec: Partial<PodSpec>;
}

const GPU = 'gpu.example.com';
const NIC = 'nic.example.com';
const MIG = 'mig.example.com';
const NODES = 5;

const cel = (expression: string): DeviceSelector => ({ cel: { expression } });

/** Classes, slices and claims that differ in all that allocation looks at. */
export class RandomDevices {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  classes(): Named<DeviceClassSpec>[] {
    const opaque = (level: string): DeviceClassSpec['config'] => [
      { opaque: { driver: GPU, parameters: { kind: 'Setting', level } } },
    ];
    return [
      { name: 'gpu', spec: { selectors: [cel(`device.driver == "${GPU}"`)], extendedResourceName: 'example.com/gpu' } },
      { name: 'nic', spec: { selectors: [cel(`device.driver == "${NIC}"`)], config: opaque('nic') } },
      { name: 'mig', spec: { selectors: [cel(`device.driver == "${MIG}"`)] } },
      { name: 'any', spec: { config: opaque('any') } },
      {
        name: 'big',
        spec: {
          selectors: [
            cel(`device.driver == "${GPU}"`),
            cel(`device.capacity["${GPU}"].memory.compareTo(quantity("16Gi")) >= 0`),
          ],
          config: opaque('big'),
        },
      },
      { name: 'shared', spec: { selectors: [cel('device.allowMultipleAllocations')] } },
    ];
  }

  nodes(): RandomDeviceNode[] {
    return Array.from({ length: NODES }, (_, at) => ({
      name: `n${at}`,
      zone: this.#oneOf('a', 'b'),
      plugged: this.#chance(0.15) ? '2' : undefined,
    }));
  }

  slices(nodes: readonly RandomDeviceNode[]): Named<ResourceSliceSpec>[] {
    const local = nodes.flatMap(({ name }) => [
      ...(this.#chance(0.85) ? this.#gpuPool(name) : []),
      ...(this.#chance(0.5) ? this.#partitionedPool(name) : []),
    ]);
    return [...local, ...this.#networkPools(nodes)];
  }

  pods(count: number): RandomDevicePod[] {
    return Array.from({ length: count }, (_, at) => this.#pod(at));
  }

  #gpuPool(nodeName: string): Named<ResourceSliceSpec>[] {
    const count = this.#oneOf(1, 1, 2);
    const generation = this.#oneOf(1, 2, 7);
    const slices = Array.from({ length: count }, (_, at) => ({
      name: `gpu-${nodeName}-${this.#oneOf('x', 'y', 'z')}${at}`,
      spec: {
        driver: GPU,
        nodeName,
        // some pools are about to be replaced, so that slices are missing
        pool: { name: nodeName, generation, resourceSliceCount: count + (this.#chance(0.04) ? 1 : 0) },
        devices: Array.from({ length: this.#oneOf(1, 2, 3, 4) }, (__, device) => this.#gpu(`gpu-${at}-${device}`)),
      },
    }));
    const stale = {
      name: `gpu-${nodeName}-old`,
      spec: { ...slices[0]!.spec, pool: { name: nodeName, generation: 0, resourceSliceCount: 1 } },
    };
    return this.#chance(0.15) ? [...slices, stale] : slices;
  }

  #gpu(name: string): Device {
    const isShared = this.#chance(0.25);
    const memory = this.#oneOf('8Gi', '16Gi', '32Gi');
    const policy = this.#oneOf(
      { default: '2Gi', validRange: { min: '1Gi', step: '1Gi' } },
      { default: '4Gi', validValues: ['2Gi', '4Gi', '8Gi'] },
      { default: '1Gi', validRange: { min: '512Mi', max: '6Gi' } },
      undefined,
    );
    return {
      name,
      attributes: {
        model: { string: this.#oneOf('a', 'b', 'c') },
        numa: { int: this.#oneOf(0, 1) },
        [`${GPU}/ecc`]: { bool: this.#chance(0.5) },
        'example.org/version': { version: this.#oneOf('1.0.0', '1.2.3', '2.0.0-beta.1') },
        ...(this.#chance(0.5) ? { 'example.org/root': { string: this.#oneOf('r0', 'r1') } } : {}),
      },
      capacity: {
        ...(this.#chance(0.97)
          ? { memory: { value: memory, ...(isShared && policy ? { requestPolicy: policy } : {}) } }
          : {}),
        ...(this.#chance(0.3) ? { [`${GPU}/cores`]: { value: this.#oneOf('4', '8') } } : {}),
      },
      ...(isShared ? { allowMultipleAllocations: true } : {}),
      ...(this.#chance(0.15) ? { taints: this.#taints() } : {}),
      ...(this.#chance(0.05) ? { bindsToNode: true } : {}),
    };
  }

  #taints(): DeviceTaint[] {
    const timeAdded = '2026-01-01T00:00:00Z';
    const taint = (): DeviceTaint => ({
      key: this.#oneOf('example.com/broken', 'example.com/slow'),
      value: this.#oneOf('yes', 'no'),
      effect: this.#oneOf('NoSchedule', 'NoExecute', 'None'),
      timeAdded,
    });
    return this.#chance(0.8) ? [taint()] : [taint(), taint()];
  }

  #partitionedPool(nodeName: string): Named<ResourceSliceSpec>[] {
    const pool = { name: `${nodeName}-mig`, generation: 1, resourceSliceCount: 2 };
    const counters = { memory: { value: '40Gi' }, engines: { value: '7' } };
    const sizes = [
      { memory: { value: '40Gi' }, engines: { value: '7' } },
      { memory: { value: '20Gi' }, engines: { value: '3' } },
      { memory: { value: '20Gi' }, engines: { value: '4' } },
      { memory: { value: '10Gi' }, engines: { value: '2' } },
      { memory: { value: '10Gi' }, engines: { value: '1' } },
    ];
    const names = this.#shuffled(sizes.map((_, at) => at)).slice(0, this.#oneOf(2, 3, 5));
    return [
      {
        name: `mig-${nodeName}-counters`,
        spec: { driver: MIG, nodeName, pool, sharedCounters: [{ name: 'card', counters }] },
      },
      {
        name: `mig-${nodeName}-devices`,
        spec: {
          driver: MIG,
          nodeName,
          pool,
          devices: names.map((at) => ({
            name: `part-${at}`,
            attributes: { size: { string: sizes[at]!.memory.value }, numa: { int: at % 2 } },
            consumesCounters: [{ counterSet: 'card', counters: sizes[at]! }],
          })),
        },
      },
    ];
  }

  #networkPools(nodes: readonly RandomDeviceNode[]): Named<ResourceSliceSpec>[] {
    const nic = (name: string): Device => ({
      name,
      attributes: { numa: { int: this.#oneOf(0, 1) }, speed: { int: this.#oneOf(10, 25, 100) } },
    });
    const inZone = (zone: string): ResourceSliceSpec['nodeSelector'] => ({
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }],
    });
    const pool = (name: string): ResourceSliceSpec['pool'] => ({ name, generation: 1, resourceSliceCount: 1 });
    const pools: Named<ResourceSliceSpec>[] = [
      {
        name: 'nic-zone',
        spec: { driver: NIC, pool: pool('zone-a'), nodeSelector: inZone('a'), devices: [nic('nic-0'), nic('nic-1')] },
      },
      { name: 'nic-all', spec: { driver: NIC, pool: pool('everywhere'), allNodes: true, devices: [nic('nic-0')] } },
      {
        name: 'nic-each',
        spec: {
          driver: NIC,
          pool: pool('each'),
          perDeviceNodeSelection: true,
          devices: [
            { ...nic('nic-0'), nodeName: nodes[0]!.name },
            { ...nic('nic-1'), nodeSelector: inZone('b') },
            { ...nic('nic-2'), allNodes: true },
          ],
        },
      },
    ];
    return pools.filter(() => this.#chance(0.6));
  }

  #pod(at: number): RandomDevicePod {
    const name = `p${at}`;
    const extended = this.#chance(0.1);
    const count = extended && this.#chance(0.7) ? 0 : this.#oneOf(1, 1, 1, 2);
    const claims = Array.from({ length: count }, (_, claim) => ({ name: `${name}-c${claim}`, spec: this.#claim() }));
    const requests = extended
      ? { [this.#oneOf('example.com/gpu', 'deviceclass.resource.kubernetes.io/nic')]: this.#oneOf('1', '2') }
      : {};
    const pinned = this.#chance(0.4)
      ? { nodeSelector: { 'kubernetes.io/hostname': `n${this.#random.int(NODES)}` } }
      : {};
    return {
      name,
      claims,
      spec: {
        ...pinned,
        containers: [{ name: 'c', image: 'i', resources: { requests, limits: requests } }],
        ...(claims.length === 0
          ? {}
          : { resourceClaims: claims.map((claim, index) => ({ name: `c${index}`, resourceClaimName: claim.name })) }),
      },
    };
  }

  #claim(): ResourceClaimSpec {
    const requests = Array.from({ length: this.#oneOf(1, 1, 2) }, (_, at) => this.#request(`r${at}`));
    const constraint = this.#oneOf(
      { matchAttribute: `${GPU}/numa` },
      { matchAttribute: `${GPU}/model` },
      { matchAttribute: 'example.org/root' },
      { distinctAttribute: `${GPU}/model` },
      { distinctAttribute: `${GPU}/numa`, requests: ['r0'] },
      { matchAttribute: `${MIG}/numa`, requests: ['r0'] },
    );
    const names = requests.map(({ name }) => name);
    return {
      devices: {
        requests,
        ...(this.#chance(0.25) ? { constraints: [constraint] } : {}),
        ...(this.#chance(0.2)
          ? {
              config: [
                {
                  ...(this.#chance(0.5) ? { requests: names } : {}),
                  opaque: { driver: GPU, parameters: { kind: 'Setting', level: 'claim' } },
                },
              ],
            }
          : {}),
      },
    };
  }

  #request(name: string): DeviceRequest {
    if (this.#chance(0.8)) return { name, exactly: this.#exact(true) };
    const alternatives = Array.from({ length: this.#oneOf(2, 3) }, (_, at) => ({
      name: `s${at}`,
      ...this.#exact(false),
    }));
    return { name, firstAvailable: alternatives };
  }

  #exact(mayWatch: boolean): ExactDeviceRequest {
    const deviceClassName = this.#oneOf('gpu', 'gpu', 'gpu', 'nic', 'mig', 'mig', 'any', 'big', 'shared', 'missing');
    const isMissing = deviceClassName === 'missing' && this.#chance(0.8);
    const all = this.#chance(0.12);
    const selectors = this.#chance(0.35) ? [this.#selector(deviceClassName)] : undefined;
    return {
      deviceClassName: isMissing ? 'gpu' : deviceClassName,
      ...(all
        ? { allocationMode: 'All' as const }
        : { allocationMode: 'ExactCount' as const, count: this.#oneOf(1, 1, 1, 2, 3) }),
      ...(selectors === undefined ? {} : { selectors }),
      ...(this.#chance(0.2) ? { tolerations: [this.#toleration()] } : {}),
      ...(mayWatch && this.#chance(0.07) ? { adminAccess: true } : {}),
      ...(deviceClassName === 'shared' || this.#chance(0.05)
        ? { capacity: { requests: { memory: this.#oneOf('1Gi', '1500Mi', '3Gi', '5Gi', '9Gi') } } }
        : {}),
    };
  }

  #selector(deviceClassName: string): DeviceSelector {
    if (deviceClassName === 'nic') return cel(`device.attributes["${NIC}"].speed >= ${this.#oneOf(25, 100)}`);
    if (deviceClassName === 'mig')
      return cel(`device.attributes["${MIG}"].size == "${this.#oneOf('10Gi', '20Gi', '40Gi')}"`);
    return cel(
      this.#oneOf(
        `device.attributes["${GPU}"].model == "${this.#oneOf('a', 'b')}"`,
        `device.attributes["${GPU}"].?model.orValue("") in ["a", "c"]`,
        `device.attributes["${GPU}"].ecc`,
        `device.attributes["example.org"].version.isGreaterThan(semver("1.1.0"))`,
        `device.attributes["example.org"].root == "r0"`,
        `!device.allowMultipleAllocations`,
        `device.capacity["${GPU}"].memory.isGreaterThan(quantity("10Gi"))`,
      ),
    );
  }

  #toleration(): DeviceToleration {
    return this.#oneOf<DeviceToleration>(
      { operator: 'Exists' },
      { key: 'example.com/broken', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'example.com/slow', operator: 'Equal', value: 'yes' },
      { key: 'example.com/broken', operator: 'Equal', value: 'no', effect: 'NoExecute' },
    );
  }

  #chance(probability: number): boolean {
    return this.#random.int(1000) < probability * 1000;
  }

  #oneOf<T>(...values: readonly T[]): T {
    return values[this.#random.int(values.length)] as T;
  }

  #shuffled<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, key: this.#random.int(1_000_000) }))
      .toSorted((left, right) => left.key - right.key)
      .map(({ value }) => value);
  }
}
