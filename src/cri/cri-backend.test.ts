import { afterEach } from 'vitest';
import { settle } from '../base/index.ts';
import { FileLogs, NetworkActions, type OpenNodeBackend, RuntimeUsage } from '../node/index.ts';
import { describeNodeBackend } from '../node/testing/describe-node-backend.ts';
import { MemoryMachine } from '../node/testing/memory-backend.ts';
import { runtimeStatus } from '../node/testing/test-machine.ts';
import { criRuntime } from './index.ts';
import { RuntimeBehindSocket } from './testing/served-runtime.ts';

/** How long nodes wait between looks at the runtime, as on a machine. */
const POLLING = { relistEvery: 60_000, checkEvery: 10_000 };

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]();
});

describeNodeBackend(
  'a runtime written with the kit, behind a socket',
  { networkSwitch: true, deviceEdits: true, mountedVolumes: true },
  () => {
    const machine = new MemoryMachine();
    /** By pod: ends its program. */
    const endings = new Map<string, (code: number) => void>();
    let behind: RuntimeBehindSocket | undefined;
    const backend: OpenNodeBackend = async (node, context) => {
      const { clock, random } = context;
      const own = await machine.open(node, context);
      const written = criRuntime({
        name: 'echo',
        version: '1.0',
        run: ({ pod }, { signal }) =>
          new Promise((resolve) => {
            endings.set(pod.config.metadata.name, resolve);
            signal.addEventListener('abort', () => resolve(0), { once: true });
          }),
        exec: async (_, [program, ...words], { stdout }) => {
          if (program !== 'echo') return 127;
          await stdout(`${words.join(' ')}\n`);
          return 0;
        },
        clock,
        random,
      });
      const status = async (): ReturnType<typeof written.runtime.status> => runtimeStatus(machine.isNetworkReady);
      if (behind === undefined) {
        behind = await RuntimeBehindSocket.serve(
          { ...written, runtime: Object.assign(written.runtime, { status }) },
          clock,
        );
        open.push(behind);
      }
      const { runtime, images, calls } = behind.connect('echo');
      const isRunning = async (id: string): Promise<boolean> =>
        (await runtime.containerStatus(id)).state === 'CONTAINER_RUNNING';
      return {
        ...own,
        machine: { ...own.machine, folders: { ...own.machine.folders, podLogs: behind.podLogs } },
        runtime,
        images,
        logs: new FileLogs(clock, isRunning),
        actions: new NetworkActions(runtime, clock),
        usage: new RuntimeUsage(runtime),
        polling: POLLING,
        [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
      };
    };
    return {
      open: backend,
      settle: () => (behind === undefined ? settle() : behind.settle()),
      exit: async (cluster, pod, code) => {
        endings.get(pod)?.(code);
        await cluster.settle();
      },
      rest: async ({ runtime }) => [
        ...(await runtime.listPodSandbox()).map(({ id }) => id),
        ...(await runtime.listContainers()).map(({ id }) => id),
        ...machine.files.keys(),
      ],
      setNetworkReady: (isReady) => {
        machine.isNetworkReady = isReady;
      },
      setEdits: (edits) => {
        machine.edits = edits;
      },
    };
  },
);
