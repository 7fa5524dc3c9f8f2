// Pods that attack the node that runs them: the node stays, says what it refuses, and shows them nothing of the machine.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUSYBOX, NAMESPACE, type NodeLife, type Trial, waitingOf } from './node-life.ts';

const VARIABLES = 100_000;
const VARIABLES_OF_A_MAP = 25_000;
const LOG_BYTES = 1_000_000_000;
const LOG_MS = 300_000;
const MAX_AGENT_BYTES = 400 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

type Container = NonNullable<NonNullable<Parameters<NodeLife['pod']>[2]>['spec']>['containers'];

/** A pod makes links in its volume that lead out of it, and asks for what is behind them. */
const links: Trial = {
  name: 'links',
  settings: () => ({}),
  async run(life) {
    const make =
      'ln -s / /data/root; ln -s ../../../../../../.. /data/up; mkdir -p /data/own; ln -s /etc /data/own/etc';
    const paths = ['root/etc', 'up/etc', 'own/etc', 'root', 'up', 'own/etc/ssl'];
    for (const [index, subPath] of paths.entries()) {
      const name = `links-${index}`;
      await life.pod(name, '', {
        emptyDir: {},
        spec: {
          initContainers: [container('make', make, [{ name: 'data', mountPath: '/data' }])],
          containers: [container('main', 'ls /out; sleep 1000', [{ name: 'data', mountPath: '/out', subPath }])],
        },
      });
      await life.until(`a refusal of the link ${subPath}`, async () => {
        const { status } = await life.get(name);
        if (status?.phase === 'Running') throw new Error(`The pod with the link ${subPath} runs`);
        const [waiting = ''] = waitingOf(status);
        return waiting.startsWith('CreateContainerConfigError') ? undefined : `it waits: ${waiting}`;
      });
    }
  },
};

/** Names and paths with dots and slashes: what the API takes is where it belongs, and what leads out is refused. */
const names: Trial = {
  name: 'names',
  settings: () => ({}),
  async run(life) {
    const { configmaps } = life.client.core.v1;
    const data = { '.hidden': '1', 'a..b': '2', '-rf': '3' };
    await configmaps.namespace(NAMESPACE).create({ metadata: { name: 'a.b.c' }, data });
    for (const key of ['..', '.', '..x', 'a/b'])
      await refused(`the key ${key}`, () =>
        configmaps.namespace(NAMESPACE).create({ metadata: { name: 'wrong' }, data: { [key]: 'x' } }),
      );
    await life.pod('a.b-c.d', '', {
      spec: {
        volumes: [{ name: 'data', configMap: { name: 'a.b.c', items: [{ key: 'a..b', path: 'x..y/..z/-rf' }] } }],
        containers: [
          container('main', 'cat "/data/x..y/..z/-rf" > /dev/termination-log', [{ name: 'data', mountPath: '/data' }]),
        ],
      },
    });
    await life.until('a pod that reads a file with dots in its name', async () => {
      const { status } = await life.get('a.b-c.d');
      const message = status?.containerStatuses?.[0]?.state?.terminated?.message;
      return message === data['a..b']
        ? undefined
        : `it is ${status?.phase}: ${waitingOf(status).join()} ${message ?? ''}`;
    });
    await refused('a path out of the volume', () =>
      life.pod('out', 'true', {
        spec: { volumes: [{ name: 'data', configMap: { name: 'a.b.c', items: [{ key: '-rf', path: '../x' }] } }] },
      }),
    );
    await life.pod('expression', '', {
      emptyDir: {},
      spec: {
        containers: [
          {
            ...container('main', 'sleep 1000', [{ name: 'data', mountPath: '/out', subPathExpr: '$(PLACE)' }]),
            env: [{ name: 'PLACE', value: '../../../../../../etc' }],
          },
        ],
      },
    });
    await life.until('a refusal of a path that is expanded', async () => {
      const [waiting = ''] = waitingOf((await life.get('expression')).status);
      return waiting.startsWith('CreateContainerConfigError') ? undefined : `it waits: ${waiting}`;
    });
  },
};

/** A pod with more variables than anyone reads. It runs, or its status says why not. */
const variables: Trial = {
  name: 'variables',
  settings: () => ({}),
  async run(life) {
    const maps = Array.from({ length: VARIABLES / VARIABLES_OF_A_MAP }, (_, index) => `variables-${index}`);
    for (const [map, name] of maps.entries()) {
      const entries = Array.from({ length: VARIABLES_OF_A_MAP }, (_, index) => [
        `V${map * VARIABLES_OF_A_MAP + index}`,
        'x',
      ]);
      await life.client.core.v1.configmaps
        .namespace(NAMESPACE)
        .create({ metadata: { name }, data: Object.fromEntries(entries) as Record<string, string> });
    }
    await life.pod('variables', '', {
      spec: {
        containers: [
          {
            ...container('main', '', []),
            command: ['env'], // a shell would take minutes to read them
            envFrom: maps.map((name) => ({ configMapRef: { name } })),
          },
        ],
      },
    });
    await life.until('a pod with many variables that runs, or says why not', async () => {
      const { status } = await life.get('variables');
      const { terminated, waiting } = status?.containerStatuses?.[0]?.state ?? {};
      if (terminated !== undefined) {
        const shown = (await life.client.text(logPath('variables')))
          .split('\n')
          .filter((line) => line.endsWith('=x')).length;
        console.log(`  ${VARIABLES} variables: ${terminated.reason}, ${shown} in its log`);
        return terminated.exitCode === 0 && shown !== VARIABLES ? 'its log has not all of them' : undefined;
      }
      const isRefused = /^(CreateContainer|RunContainer)(Config)?Error$/.test(waiting?.reason ?? '');
      if (isRefused) console.log(`  ${VARIABLES} variables: ${waiting?.reason}: ${waiting?.message?.slice(0, 300)}`);
      return isRefused ? undefined : `it is ${status?.phase}: ${waitingOf(status).join()}`;
    });
    await stillReady(life);
  },
};

/** A gigabyte without the end of a line: the node stays ready, its agent stays small, and the log can be read. */
const log: Trial = {
  name: 'log',
  settings: () => ({ containerLogMaxSize: '20Mi' }),
  async run(life) {
    await life.pod('log', `head -c ${LOG_BYTES} /dev/zero | tr '\\0' x; while true; do echo; echo end; sleep 1; done`);
    await life.untilRunning('log');
    await life.until(
      'a log that is written',
      async () => {
        await stillReady(life);
        const stats = await life.client.text(`/api/v1/nodes/${life.cluster.node.name}/proxy/pods`);
        if (stats === '') return 'the agent does not answer';
        const bytes = await logBytes(life);
        // the file that was rotated last is not compressed yet
        return bytes < LOG_BYTES && (await hasWritten(life)) ? undefined : `${bytes} bytes of log`;
      },
      { limitMs: LOG_MS },
    );
    await life.until('the end of the log', async () => {
      const tail = await life.client.text(`${logPath('log')}?limitBytes=1000&tailLines=2`);
      return tail.includes('end') ? undefined : `it is ${JSON.stringify(tail.slice(0, 100))}`;
    });
    const peak = await agentPeak(life);
    console.log(`  the agent took at most ${Math.round(peak / MEBIBYTE)} MB`);
    if (peak > MAX_AGENT_BYTES) throw new Error(`The agent took ${peak} bytes`);
  },
};

export const attacks: readonly Trial[] = [links, names, variables, log];

type Mounts = NonNullable<NonNullable<Container>[number]['volumeMounts']>;

function container(name: string, script: string, volumeMounts: Mounts): NonNullable<Container>[number] {
  return { name, image: BUSYBOX, command: ['sh', '-c', script], volumeMounts };
}

async function refused(what: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch {
    return;
  }
  throw new Error(`Not refused: ${what}`);
}

async function stillReady(life: NodeLife): Promise<void> {
  const ready = (await life.conditions()).get('Ready');
  if (ready?.status !== 'True') throw new Error(`The node is not ready: ${ready?.message ?? ''}`);
}

/** What the log files of the pod take. */
async function logBytes(life: NodeLife): Promise<number> {
  const text = await life.client.text(`/api/v1/nodes/${life.cluster.node.name}/proxy/stats/summary`);
  const { pods } = JSON.parse(text) as {
    readonly pods: readonly { podRef: { name: string }; containers: readonly { logs?: { usedBytes: number } }[] }[];
  };
  return pods.find(({ podRef }) => podRef.name === 'log')?.containers[0]?.logs?.usedBytes ?? Infinity;
}

/** Whether the program that writes much has ended: only the one after it is left. */
async function hasWritten(life: NodeLife): Promise<boolean> {
  const before = await logBytes(life);
  await sleep(2000);
  return Math.abs((await logBytes(life)) - before) < 1000;
}

function logPath(pod: string): string {
  return `/api/v1/namespaces/${NAMESPACE}/pods/${pod}/log`;
}

async function agentPeak({ cluster }: NodeLife): Promise<number> {
  const status = await readFile(`/proc/${cluster.node.daemon('agent').pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Infinity) * 1024;
}
