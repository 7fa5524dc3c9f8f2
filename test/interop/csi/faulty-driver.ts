// Drivers of the kit with one fault each: a server in front of a driver without faults, which changes what passes.
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CryptoRandom, discardLogger, RealClock } from '../../../src/base/index.ts';
import { bindMount, csiDriver, type CsiDriver, memoryRecords, unbindMount } from '../../../src/csi/index.ts';
import { Controller, Identity, Node } from '../../../src/csi/protocol/csi-v1.ts';
import { GrpcError, GrpcServer, type Method, SocketCalls, unaryMethod } from '../../../src/wire/grpc/index.ts';

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
    withRpc(answer, [...rpcsOf(answer), 14]),
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

async function bindAgain(path: string): Promise<void> {
  const { Mounts, SmallShell } = await import('../../../src/system/index.ts');
  using shell = new SmallShell(new RealClock());
  await new Mounts(shell).bind(path, path);
}

/** A driver with attachments, staging, snapshots and statistics, in memory and below a folder. */
export function wholeDriver(root: string): CsiDriver {
  const at = (id: string): string => join(root, 'data', id);
  const copy = (from: string, to: string): Promise<void> => cp(at(from), at(to), { recursive: true });
  const remove = ({ id }: { readonly id: string }): Promise<void> => rm(at(id), { recursive: true, force: true });
  return csiDriver({
    name: 'whole.csi.example.com',
    version: '1.0.0',
    controller: {
      records: memoryRecords(),
      copies: ['snapshot'],
      async create({ id, copyOf }) {
        await mkdir(at(id), { recursive: true });
        if (copyOf?.type === 'snapshot') await copy(copyOf.snapshot.id, id);
      },
      delete: remove,
      attach: async ({ id }) => ({ device: id }),
      detach: async () => undefined,
      hasNode: async (id) => id === NODE,
      expand: () => new RealClock().sleep(5),
      snapshot: (snapshot, volume) => copy(volume.id, snapshot.id),
      deleteSnapshot: remove,
    },
    node: {
      id: NODE,
      stage: async () => undefined,
      unstage: async () => undefined,
      publish: ({ id }, { targetPath, isReadOnly }) => bindMount(at(id), targetPath, { isReadOnly }),
      unpublish: (_, { targetPath }) => unbindMount(targetPath),
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
  const methods = [Identity, Controller, Node].flatMap(
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
