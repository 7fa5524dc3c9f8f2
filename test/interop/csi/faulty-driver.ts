// Drivers of the kit with one fault each: a server in front of a driver without faults, which changes what passes.
import { cp, mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CryptoRandom, discardLogger, RealClock } from '../../../src/base/index.ts';
import { bindMount, csiDriver, type CsiDriver, CsiError, memoryRecords, unbindMount } from '../../../src/csi/index.ts';
import { Controller, GroupController, Identity, Node } from '../../../src/csi/protocol/csi-v1.ts';
import { GrpcError, GrpcServer, type Method, SocketCalls, unaryMethod } from '../../../src/wire/grpc/index.ts';
import { hasLoopDevices, isRoot, LoopDevices } from './loop-devices.ts';

/** What is known of requests and answers here: their members by name. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- faults read and change messages of all methods
type AnyMessage = any;

interface FaultyCall {
  /** Such as `CreateVolume`. */
  readonly name: string;
  readonly request: AnyMessage;
  readonly signal: AbortSignal;
  /** Calls the driver without faults. */
  forward(request: AnyMessage): Promise<AnyMessage>;
  /** Calls another method of it. */
  other(method: Method<AnyMessage, AnyMessage>, request: AnyMessage): Promise<AnyMessage>;
}

type Fault = (call: FaultyCall) => Promise<AnyMessage>;

export interface PlantedFault {
  readonly foundBy: string;
  /** Whether volumes have to be mounted to see it. */
  readonly needsRoot?: boolean;
  /** Whether block volumes have to be made of files to see it. */
  readonly needsLoop?: boolean;
  /** A function that keeps what it knows for one driver. */
  plant(): Fault;
}

const NODE = 'node-1';

/** Changes the answers of one method. */
function answers(
  foundBy: string,
  method: string,
  change: (answer: AnyMessage, request: AnyMessage) => AnyMessage,
): PlantedFault {
  return {
    foundBy,
    plant:
      () =>
      async ({ name, request, forward }) => {
        const answer = await forward(request);
        return name === method ? change(answer, request) : answer;
      },
  };
}

/** Changes the requests of one method. */
function requests(foundBy: string, method: string, change: (request: AnyMessage) => AnyMessage): PlantedFault {
  return {
    foundBy,
    plant:
      () =>
      ({ name, request, forward }) =>
        forward(name === method ? change(request) : request),
  };
}

/** Answers one method in another way where it fails with a code. */
function failures(foundBy: string, code: string, instead: (call: FaultyCall) => Promise<AnyMessage>): PlantedFault {
  return {
    foundBy,
    plant: () => async (call) => {
      try {
        return await call.forward(call.request);
      } catch (error) {
        if (error instanceof GrpcError && error.code === code) return await instead(call);
        throw error;
      }
    },
  };
}

const withRpc = (answer: AnyMessage, types: readonly number[]): AnyMessage => ({
  ...answer,
  capabilities: types.map((type) => ({ rpc: { type } })),
});
const rpcsOf = ({ capabilities }: AnyMessage): number[] => capabilities.map(({ rpc }: AnyMessage) => rpc.type);

export const plantedFaults: Readonly<Record<string, PlantedFault>> = {
  'bad-name': answers('plugin-info', 'GetPluginInfo', (answer) => ({ ...answer, name: '-x-' })),
  'claims-too-much': answers('claimed-is-there', 'ControllerGetCapabilities', (answer) =>
    withRpc(answer, [...rpcsOf(answer), 4]),
  ),
  'claims-too-little': answers('there-is-claimed', 'ControllerGetCapabilities', (answer) =>
    withRpc(
      answer,
      rpcsOf(answer).filter((type) => type !== 9),
    ),
  ),
  'claims-twice': answers('capabilities-stable', 'ControllerGetCapabilities', (answer) =>
    withRpc(answer, [...rpcsOf(answer), 1]),
  ),
  'empty-id-is-fine': failures('required-fields', 'INVALID_ARGUMENT', ({ name }) =>
    name === 'DeleteVolume' ? Promise.resolve({}) : Promise.reject(new GrpcError('INVALID_ARGUMENT', 'no')),
  ),
  'new-volume-each-time': {
    foundBy: 'create-again',
    plant: () => {
      let count = 0;
      return ({ name, request, forward }) =>
        forward(name === 'CreateVolume' ? { ...request, name: `${request.name}-${++count}` } : request);
    },
  },
  'two-at-once': {
    foundBy: 'create-concurrent',
    plant: () => {
      const busy = new Map<string, number>();
      return async ({ name, request, forward }) => {
        if (name !== 'CreateVolume') return await forward(request);
        const others = busy.get(request.name) ?? 0;
        busy.set(request.name, others + 1);
        try {
          return await forward(others === 0 ? request : { ...request, name: `${request.name}-${others}` });
        } finally {
          busy.set(request.name, (busy.get(request.name) ?? 1) - 1);
        }
      };
    },
  },
  'left-when-cancelled': {
    foundBy: 'create-cancelled',
    plant:
      () =>
      async ({ name, request, forward, signal }) => {
        if (name !== 'CreateVolume') return await forward(request);
        await new RealClock().sleep(60, signal);
        return await forward(signal.aborted ? { ...request, name: `${request.name}-lost` } : request);
      },
  },
  'same-id-for-all': {
    foundBy: 'create-many',
    plant: () => {
      let first: AnyMessage;
      return async ({ name, request, forward }) => {
        if (name !== 'CreateVolume') return await forward(request);
        first ??= forward(request);
        return await first;
      };
    },
  },
  'size-ignored': failures('create-differently', 'ALREADY_EXISTS', ({ name, request, forward }) =>
    name === 'CreateVolume'
      ? forward({ ...request, capacityRange: undefined })
      : Promise.reject(new GrpcError('ALREADY_EXISTS', 'there is one')),
  ),
  'long-ids': answers('create-id', 'CreateVolume', ({ volume }) => ({
    volume: { ...volume, volumeId: volume.volumeId.padEnd(200, 'x') },
  })),
  'folds-names': requests('odd-names', 'CreateVolume', (request) => ({
    ...request,
    name: request.name.replaceAll(/[^a-zA-Z0-9]/g, '-'),
  })),
  'refuses-names': {
    foundBy: 'odd-names',
    plant:
      () =>
      ({ name, request, forward }) =>
        name === 'CreateVolume' && request.name.includes('/')
          ? Promise.reject(new GrpcError('INVALID_ARGUMENT', 'a name has no slash'))
          : forward(request),
  },
  'too-small': answers('size-range', 'CreateVolume', ({ volume }) => ({
    volume: { ...volume, capacityBytes: volume.capacityBytes - 1 },
  })),
  'limit-ignored': requests('size-impossible', 'CreateVolume', (request) => ({
    ...request,
    capacityRange: { requiredBytes: Math.max(1, request.capacityRange?.requiredBytes ?? 1) },
  })),
  'unknown-not-deleted': {
    foundBy: 'delete-unknown',
    plant: () => {
      const known = new Set<string>();
      return async ({ name, request, forward }) => {
        if (name === 'DeleteVolume' && !known.has(request.volumeId) && (request.volumeId ?? '') !== '')
          throw new GrpcError('NOT_FOUND', 'there is none');
        const answer = await forward(request);
        if (name === 'CreateVolume') known.add(answer.volume.volumeId);
        return answer;
      };
    },
  },
  'second-delete-fails': {
    foundBy: 'delete-again',
    plant: () => {
      const gone = new Set<string>();
      return async ({ name, request, forward }) => {
        if (name === 'DeleteVolume' && gone.has(request.volumeId)) throw new GrpcError('INTERNAL', 'no such folder');
        const answer = await forward(request);
        if (name === 'DeleteVolume') gone.add(request.volumeId);
        return answer;
      };
    },
  },
  'answers-by-memory': {
    foundBy: 'delete-then-create',
    plant: () => {
      const made = new Map<string, AnyMessage>();
      return async ({ name, request, forward }) => {
        const known =
          name === 'CreateVolume' ? made.get(`${request.name} ${request.capacityRange?.requiredBytes}`) : undefined;
        const answer = known ?? (await forward(request));
        if (name === 'CreateVolume') made.set(`${request.name} ${request.capacityRange?.requiredBytes}`, answer);
        return answer;
      };
    },
  },
  'wrong-code': failures('unknown-volume', 'NOT_FOUND', () => Promise.reject(new GrpcError('INTERNAL', 'not there'))),
  'page-too-large': requests('list-pages', 'ListVolumes', (request) => ({ ...request, maxEntries: 0 })),
  'last-entry-again': {
    foundBy: 'list-pages',
    plant: () => {
      let last: AnyMessage;
      return async ({ name, request, forward }) => {
        const answer = await forward(request);
        if (name !== 'ListVolumes') return answer;
        const { entries = [] } = answer;
        const before = (request.startingToken ?? '') === '' || last === undefined ? [] : [last];
        last = entries.at(-1);
        return { ...answer, entries: [...before, ...entries].slice(0, request.maxEntries || undefined) };
      };
    },
  },
  'any-token': failures('list-bad-request', 'ABORTED', ({ name, forward }) =>
    name === 'ListVolumes' ? forward({}) : Promise.reject(new GrpcError('ABORTED', 'busy')),
  ),
  shrinks: answers('expand-again', 'ControllerExpandVolume', (answer, request) => ({
    ...answer,
    capacityBytes: request.capacityRange?.requiredBytes ?? 0,
  })),
  'busy-is-internal': failures('expand-concurrent', 'ABORTED', ({ name }) =>
    Promise.reject(new GrpcError(name === 'ControllerExpandVolume' ? 'INTERNAL' : 'ABORTED', 'busy')),
  ),
  'snapshot-each-time': {
    foundBy: 'snapshot-again',
    plant: () => {
      let count = 0;
      return ({ name, request, forward }) =>
        forward(name === 'CreateSnapshot' ? { ...request, name: `${request.name}-${++count}` } : request);
    },
  },
  'snapshot-of-any': {
    foundBy: 'snapshot-of-another',
    plant: () => {
      const sources = new Map<string, string>();
      return ({ name, request, forward }) => {
        if (name !== 'CreateSnapshot') return forward(request);
        const sourceVolumeId = sources.get(request.name) ?? request.sourceVolumeId;
        sources.set(request.name, sourceVolumeId);
        return forward({ ...request, sourceVolumeId });
      };
    },
  },
  'snapshot-delete-unknown': {
    foundBy: 'snapshot-delete-again',
    plant:
      () =>
      ({ name, request, forward }) =>
        name === 'DeleteSnapshot' && String(request.snapshotId).includes('conform')
          ? Promise.reject(new GrpcError('NOT_FOUND', 'there is none'))
          : forward(request),
  },
  'source-not-told': answers('snapshot-restore', 'CreateVolume', ({ volume: { contentSource: _, ...volume } }) => ({
    volume,
  })),
  'snapshot-filter-ignored': requests(
    'snapshot-filter',
    'ListSnapshots',
    ({ snapshotId: _, sourceVolumeId: __, ...rest }) => rest,
  ),
  'snapshot-pages-lost': answers('snapshot-pages', 'ListSnapshots', (answer, request) => ({
    ...answer,
    nextToken: request.maxEntries ? '' : answer.nextToken,
  })),
  'context-changes': {
    foundBy: 'attach-again',
    plant: () => {
      let count = 0;
      return async ({ name, request, forward }) => {
        const answer = await forward(request);
        return name === 'ControllerPublishVolume' ? { publishContext: new Map([['device', String(++count)]]) } : answer;
      };
    },
  },
  'any-node': requests('attach-unknown-node', 'ControllerPublishVolume', (request) => ({
    ...request,
    nodeId: request.nodeId && NODE,
  })),
  'nodes-stay-listed': answers('attach-listed', 'ListVolumes', (answer) => ({
    ...answer,
    entries: (answer.entries ?? []).map((entry: AnyMessage) => ({ ...entry, status: { publishedNodeIds: [NODE] } })),
  })),
  'deletes-attached': failures('attached-is-kept', 'FAILED_PRECONDITION', async ({ request, forward, other }) => {
    await other(Controller.controllerUnpublishVolume, { volumeId: request.volumeId, nodeId: NODE });
    return await forward(request);
  }),
  'second-detach-fails': {
    foundBy: 'detach-again',
    plant: () => {
      const gone = new Set<string>();
      return async ({ name, request, forward }) => {
        if (name === 'ControllerUnpublishVolume' && gone.has(request.volumeId))
          throw new GrpcError('NOT_FOUND', 'not attached');
        const answer = await forward(request);
        if (name === 'ControllerUnpublishVolume') gone.add(request.volumeId);
        return answer;
      };
    },
  },
  'data-lost': {
    ...requests('publish-keeps-data', 'NodeUnpublishVolume', (request) => request),
    needsRoot: true,
    plant:
      () =>
      async ({ name, request, forward }) => {
        if (name === 'NodeUnpublishVolume') await rm(join(request.targetPath, 'kept'), { force: true });
        return await forward(request);
      },
  },
  'mounts-twice': {
    foundBy: 'publish-again',
    needsRoot: true,
    plant: () => {
      const done = new Set<string>();
      return async ({ name, request, forward }) => {
        const answer = await forward(request);
        if (name !== 'NodePublishVolume') return answer;
        if (done.has(request.targetPath)) await bindAgain(request.targetPath);
        done.add(request.targetPath);
        return answer;
      };
    },
  },
  'read-only-ignored': {
    ...requests('publish-readonly', 'NodePublishVolume', (request) => ({ ...request, readonly: false })),
    needsRoot: true,
  },
  'path-left': {
    ...answers('unpublish-again', 'NodeUnpublishVolume', async (answer, request) => {
      await mkdir(request.targetPath, { recursive: true });
      return answer;
    }),
    needsRoot: true,
  },
  'staging-not-needed': {
    ...requests('publish-before-stage', 'NodePublishVolume', (request) => ({
      ...request,
      stagingTargetPath: request.stagingTargetPath || '/tmp',
    })),
    needsRoot: true,
  },
  'stats-of-nothing': {
    ...failures('stats', 'NOT_FOUND', ({ name }) =>
      name === 'NodeGetVolumeStats'
        ? Promise.resolve({ usage: [{ unit: 1 }] })
        : Promise.reject(new GrpcError('NOT_FOUND', 'no')),
    ),
    needsRoot: true,
  },
  'pages-by-position': {
    foundBy: 'list-deleted',
    plant:
      () =>
      async ({ name, request, forward }) => {
        if (name !== 'ListVolumes') return await forward(request);
        const { entries = [] } = await forward({});
        const from = Number(request.startingToken || 0);
        const to = from + (request.maxEntries || entries.length);
        return { entries: entries.slice(from, to), nextToken: to < entries.length ? String(to) : '' };
      },
  },
  'each-call-mounts': {
    ...failures('publish-concurrent', 'ABORTED', async ({ name, request, forward }) => {
      if (name !== 'NodePublishVolume') throw new GrpcError('ABORTED', 'busy');
      const answer = await untilFree(() => forward(request));
      await bindAgain(request.targetPath);
      return answer;
    }),
    needsRoot: true,
  },
  'mounts-after-all': {
    foundBy: 'publish-cancelled',
    needsRoot: true,
    plant:
      () =>
      async ({ name, request, forward, signal }) => {
        if (name !== 'NodePublishVolume') return await forward(request);
        await new RealClock().sleep(60, signal);
        const answer = await untilFree(() => forward(request));
        if (signal.aborted) await bindAgain(request.targetPath); // the caller has given it up
        return answer;
      },
  },
  'stages-each-time': {
    ...requests('stage-again', 'NodeStageVolume', (request) => request),
    needsRoot: true,
    plant:
      () =>
      async ({ name, request, forward }) => {
        const answer = await forward(request);
        if (name === 'NodeStageVolume') await bindAgain(request.stagingTargetPath);
        return answer;
      },
  },
  'modified-once': {
    foundBy: 'modify-again',
    plant: () => {
      const changed = new Set<string>();
      return async ({ name, request, forward }) => {
        if (name !== 'ControllerModifyVolume') return await forward(request);
        if (changed.has(request.volumeId)) throw new GrpcError('INTERNAL', 'it is changed already');
        const answer = await forward(request);
        changed.add(request.volumeId);
        return answer;
      };
    },
  },
  'modified-later-only': {
    foundBy: 'modify-at-creation',
    plant:
      () =>
      ({ name, request, forward }) =>
        name === 'CreateVolume' && (request.mutableParameters?.size ?? 0) > 0
          ? Promise.reject(new GrpcError('INVALID_ARGUMENT', 'it can be changed later'))
          : forward(request),
  },
  'modifies-nothing': failures('modify-unknown-volume', 'NOT_FOUND', ({ name }) =>
    name === 'ControllerModifyVolume' ? Promise.resolve({}) : Promise.reject(new GrpcError('NOT_FOUND', 'no')),
  ),
  'skips-parameters': requests('modify-unknown-parameter', 'ControllerModifyVolume', (request) => ({
    ...request,
    mutableParameters: new Map([...(request.mutableParameters ?? [])].filter(([name]) => name === 'iops')),
  })),
  'group-each-time': {
    foundBy: 'group-again',
    plant: () => {
      let count = 0;
      return ({ name, request, forward }) =>
        forward(name === 'CreateVolumeGroupSnapshot' ? { ...request, name: `${request.name}-${++count}` } : request);
    },
  },
  'members-without-group': answers('group-members', 'CreateVolumeGroupSnapshot', ({ groupSnapshot }) => ({
    groupSnapshot: {
      ...groupSnapshot,
      snapshots: groupSnapshot.snapshots.map(({ groupSnapshotId: _, ...snapshot }: AnyMessage) => snapshot),
    },
  })),
  'group-of-any': {
    foundBy: 'group-of-others',
    plant: () => {
      const sources = new Map<string, readonly string[]>();
      return ({ name, request, forward }) => {
        if (name !== 'CreateVolumeGroupSnapshot') return forward(request);
        const sourceVolumeIds = sources.get(request.name) ?? request.sourceVolumeIds;
        sources.set(request.name, sourceVolumeIds);
        return forward({ ...request, sourceVolumeIds });
      };
    },
  },
  'group-of-what-is-there': requests('group-without-source', 'CreateVolumeGroupSnapshot', (request) => ({
    ...request,
    sourceVolumeIds: (request.sourceVolumeIds ?? []).filter((id: string) => !id.includes('no-such')),
  })),
  'groups-are-forever': {
    foundBy: 'group-get',
    plant: () => {
      const known = new Map<string, AnyMessage>();
      return async ({ name, request, forward }) => {
        const kept = name === 'GetVolumeGroupSnapshot' ? known.get(request.groupSnapshotId) : undefined;
        const answer = kept ?? (await forward(request));
        if (name === 'CreateVolumeGroupSnapshot') known.set(answer.groupSnapshot.groupSnapshotId, answer);
        return answer;
      };
    },
  },
  'members-not-compared': {
    foundBy: 'group-mismatch',
    plant:
      () =>
      ({ name, request, forward }) =>
        forward(name.endsWith('VolumeGroupSnapshot') ? { ...request, snapshotIds: [] } : request),
  },
  'group-delete-unknown': {
    foundBy: 'group-delete-again',
    plant:
      () =>
      ({ name, request, forward }) =>
        name === 'DeleteVolumeGroupSnapshot' && String(request.groupSnapshotId).includes('conform')
          ? Promise.reject(new GrpcError('NOT_FOUND', 'there is none'))
          : forward(request),
  },
  'members-are-no-source': {
    foundBy: 'group-restore',
    plant: () => {
      const members = new Set<string>();
      return async ({ name, request, forward }) => {
        if (name === 'CreateVolume' && members.has(request.volumeContentSource?.snapshot?.snapshotId))
          throw new GrpcError('NOT_FOUND', 'there is no such snapshot');
        const answer = await forward(request);
        if (name === 'CreateVolumeGroupSnapshot')
          for (const { snapshotId } of answer.groupSnapshot.snapshots) members.add(snapshotId);
        return answer;
      };
    },
  },
  'health-of-another': answers('health-of-volume', 'ControllerGetVolumeHealth', ({ volumeHealth }) => ({
    volumeHealth: { ...volumeHealth, volumeId: 'another' },
  })),
  'health-of-anything': failures('health-of-none', 'NOT_FOUND', ({ name, request }) =>
    name === 'ControllerGetVolumeHealth'
      ? Promise.resolve({ volumeHealth: { volumeId: request.volumeId } })
      : Promise.reject(new GrpcError('NOT_FOUND', 'no')),
  ),
  'health-without-reason': answers('health-list', 'ControllerListVolumeHealth', (answer) => ({
    ...answer,
    entries: [{ volumeId: 'one', healthStatuses: [{ status: 1 }] }],
  })),
  'health-any-token': failures('health-list', 'ABORTED', ({ name, forward }) =>
    name === 'ControllerListVolumeHealth' ? forward({}) : Promise.reject(new GrpcError('ABORTED', 'busy')),
  ),
  'health-of-all': answers('health-list-short', 'ControllerListVolumeHealth', (answer) => ({
    ...answer,
    entries: [{ volumeId: 'one' }],
  })),
  'health-on-any-node': {
    ...failures('health-on-node', 'NOT_FOUND', ({ name, request }) =>
      name === 'NodeGetVolumeHealth'
        ? Promise.resolve({ volumeHealth: { volumeId: request.volumeId } })
        : Promise.reject(new GrpcError('NOT_FOUND', 'no')),
    ),
    needsRoot: true,
  },
  'storage-in-sentences': answers('storage-health', 'NodeGetStorageHealth', () => ({
    backendHealth: [{ status: 1, reason: 'the disk is full' }],
  })),
  'block-not-confirmed': {
    ...answers('block-confirmed', 'ValidateVolumeCapabilities', (answer, request) =>
      request.volumeCapabilities?.some(({ block }: AnyMessage) => block !== undefined) === true
        ? { message: 'not as a block volume' }
        : answer,
    ),
    needsLoop: true,
  },
  'block-as-file': {
    ...requests('block-device', 'NodePublishVolume', (request) => request),
    needsRoot: true,
    needsLoop: true,
    plant:
      () =>
      async ({ name, request, forward }) => {
        if (name !== 'NodePublishVolume' || request.volumeCapability?.block === undefined)
          return await forward(request);
        await writeFile(request.targetPath, '');
        return {};
      },
  },
  'block-bound-twice': {
    foundBy: 'block-again',
    needsRoot: true,
    needsLoop: true,
    plant: () => {
      const done = new Set<string>();
      return async ({ name, request, forward }) => {
        const answer = await forward(request);
        if (name !== 'NodePublishVolume' || request.volumeCapability?.block === undefined) return answer;
        if (done.has(request.targetPath)) await bindAgain(request.targetPath);
        done.add(request.targetPath);
        return answer;
      };
    },
  },
  'block-wiped': {
    ...requests('block-keeps-data', 'NodeUnpublishVolume', (request) => request),
    needsRoot: true,
    needsLoop: true,
    plant:
      () =>
      async ({ name, request, forward }) => {
        if (name === 'NodeUnpublishVolume')
          await writeFile(request.targetPath, Buffer.alloc(4096)).catch(() => undefined);
        return await forward(request);
      },
  },
  'leaves-files': {
    foundBy: 'nothing-left',
    plant:
      () =>
      async ({ name, request, forward, other }) => {
        if (name !== 'DeleteVolume') return await forward(request);
        const kept = await other(Controller.controllerGetVolume, { volumeId: request.volumeId }).catch(() => undefined);
        const answer = await forward(request);
        if (kept !== undefined) await mkdir(leftFolder(request), { recursive: true }).catch(() => undefined);
        return answer;
      },
  },
};

/** Set by `serveFaulty`: where volumes are. */
let dataFolder = '';

function leftFolder({ volumeId }: AnyMessage): string {
  return join(dataFolder, `${volumeId}.left`);
}

/** Repeats a call until no other one is at work on the volume. */
async function untilFree(call: () => Promise<AnyMessage>): Promise<AnyMessage> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof GrpcError) || error.code !== 'ABORTED') throw error;
      await new RealClock().sleep(5);
    }
  }
}

async function bindAgain(path: string): Promise<void> {
  const { Mounts, SmallShell } = await import('../../../src/system/index.ts');
  using shell = new SmallShell(new RealClock());
  await new Mounts(shell).bind(path, path);
}

/** A driver with all functions, in memory and below a folder. Block volumes are files behind loop devices. */
export function wholeDriver(root: string): CsiDriver {
  const staged = new Map<string, string>();
  const devices = new LoopDevices();
  const at = (id: string): string => join(root, 'data', id);
  const copy = (from: string, to: string): Promise<void> => cp(at(from), at(to), { recursive: true });
  const remove = ({ id }: { readonly id: string }): Promise<void> => rm(at(id), { recursive: true, force: true });
  return csiDriver({
    name: 'whole.csi.example.com',
    version: '1.0.0',
    types: hasLoopDevices || !isRoot ? ['mount', 'block'] : ['mount'],
    controller: {
      records: memoryRecords(),
      copies: ['snapshot'],
      mutable: ['iops'],
      async create({ id, copyOf, capabilities, capacityBytes }) {
        await mkdir(at(id), { recursive: true });
        if (capabilities.some(({ type }) => type === 'block')) {
          await writeFile(join(at(id), 'disk'), '', { flag: 'a' });
          await truncate(join(at(id), 'disk'), capacityBytes);
        }
        if (copyOf?.type === 'snapshot') await copy(copyOf.snapshot.id, id);
      },
      delete: remove,
      attach: async ({ id }) => ({ device: id }),
      detach: async () => undefined,
      hasNode: async (id) => id === NODE,
      expand: () => new RealClock().sleep(5),
      modify: () => new RealClock().sleep(5),
      snapshot: (snapshot, volume) => copy(volume.id, snapshot.id),
      async snapshotGroup(members) {
        for (const { snapshot, volume } of members) await copy(volume.id, snapshot.id);
      },
      deleteSnapshot: remove,
      health: async ({ parameters }) =>
        parameters['iops'] === 'few' ? [{ status: 'DEGRADED', reason: 'TooSlow', message: 'few of them' }] : [],
    },
    node: {
      id: NODE,
      async stage({ id }, { stagingPath }) {
        const path = staged.get(id) ?? stagingPath;
        if (path !== stagingPath) throw new CsiError('FAILED_PRECONDITION', `it is staged at ${path}`);
        staged.set(id, path);
      },
      unstage: async (id) => void staged.delete(id),
      async publish({ id, capability }, { targetPath, isReadOnly }) {
        if (capability.type === 'mount') await bindMount(at(id), targetPath, { isReadOnly });
        else await bindMount(await devices.of(join(at(id), 'disk'), targetPath), targetPath, { isFile: true });
      },
      async unpublish(_, { targetPath }) {
        await unbindMount(targetPath);
        await devices.free(targetPath);
      },
      health: async () => [],
      storageHealth: async () => [],
      stats: async () => [{ unit: 'BYTES', total: 100, used: 1, available: 99 }],
    },
  });
}

/** Serves a driver with a fault, or without one. Its volumes are in `data` of the folder. */
export async function serveFaulty(
  folder: string,
  planted: PlantedFault | undefined,
): Promise<AsyncDisposable & { readonly endpoint: string }> {
  const [clock, random, log] = [new RealClock(), new CryptoRandom(), discardLogger];
  const [inner, endpoint] = [`unix://${join(folder, 'inner.sock')}`, `unix://${join(folder, 'csi.sock')}`];
  await mkdir(join(folder, 'data'), { recursive: true });
  dataFolder = join(folder, 'data');
  const stop = new AbortController();
  const served = wholeDriver(folder).serve({ listen: inner });
  const running = served.run(stop.signal);
  await served.listening();
  const calls = new SocketCalls({ endpoint: inner, server: 'the driver', clock, random, log });
  const fault: Fault = planted?.plant() ?? (({ request, forward }) => forward(request));
  const methods = [Identity, Controller, GroupController, Node].flatMap(
    (service) => Object.values(service) as Method<AnyMessage, AnyMessage>[],
  );
  const server = await GrpcServer.listen({
    address: endpoint,
    clock,
    log,
    methods: methods.map((method) =>
      unaryMethod(method, (request, { signal }) =>
        fault({
          name: method.path.slice(method.path.lastIndexOf('/') + 1),
          request,
          signal,
          forward: (changed) => calls.call(method, changed),
          other: (another, changed) => calls.call(another, changed),
        }),
      ),
    ),
  });
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await calls[Symbol.asyncDispose]();
      stop.abort();
      await running;
    },
  };
}
