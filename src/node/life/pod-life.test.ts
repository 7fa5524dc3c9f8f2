import { describe, expect, test } from 'vitest';
import { START_MS, type ViewSketch, viewOf } from '../testing/pod-views.ts';
import { crashKey, pullKey } from './back-off.ts';
import { planPod, type PodAction } from './pod-life.ts';

const SANDBOX = 'SANDBOX_READY';
const RUNNING = 'CONTAINER_RUNNING';
const EXITED = 'CONTAINER_EXITED';
const web = { name: 'web', image: 'nginx' };
const started = { isStarted: true, isReady: true };

/** An action in a few words. */
function words(action: PodAction): string {
  switch (action.type) {
    case 'run sandbox':
      return `run sandbox ${action.attempt}`;
    case 'start container':
      return `start ${action.container.name} ${action.attempt}`;
    case 'hold back':
      return `hold back ${action.container.name}: ${action.failure.reason}`;
    case 'stop container':
      return `stop ${action.container.metadata.name} in ${action.graceSeconds} s`;
    case 'remove container':
      return `remove ${action.container.metadata.name}`;
    case 'resize pod':
    case 'stop sandbox':
    case 'release':
    case 'delete pod':
      return action.type;
  }
}

interface Case extends ViewSketch {
  readonly title: string;
  readonly does: readonly string[];
  readonly phase: string;
  readonly stage?: string;
  /** Seconds after `START_MS`. */
  readonly wakesAt?: number;
}

const cases: readonly Case[] = [
  { title: 'a new pod gets a sandbox and its containers', does: ['run sandbox 0', 'start web 0'], phase: 'Pending' },
  {
    title: 'all containers are started together',
    spec: { containers: [web, { name: 'side' }] },
    does: ['run sandbox 0', 'start web 0', 'start side 0'],
    phase: 'Pending',
  },
  {
    title: 'with init containers only the first one is started',
    spec: { initContainers: [{ name: 'a' }, { name: 'b' }], containers: [web] },
    does: ['run sandbox 0', 'start a 0'],
    phase: 'Pending',
  },
  {
    title: 'the next init container waits for the one before',
    spec: { initContainers: [{ name: 'a' }, { name: 'b' }], containers: [web] },
    sandbox: SANDBOX,
    containers: [{ name: 'a', state: RUNNING }],
    does: [],
    phase: 'Pending',
  },
  {
    title: 'the next init container follows one that succeeded',
    spec: { initContainers: [{ name: 'a' }, { name: 'b' }], containers: [web] },
    sandbox: SANDBOX,
    containers: [{ name: 'a', state: EXITED }],
    does: ['start b 0'],
    phase: 'Pending',
  },
  {
    title: 'the containers follow the last init container',
    spec: { initContainers: [{ name: 'a' }], containers: [web] },
    sandbox: SANDBOX,
    containers: [{ name: 'a', state: EXITED }],
    does: ['start web 0'],
    phase: 'Pending',
  },
  {
    title: 'a failed init container is tried again',
    spec: { initContainers: [{ name: 'a' }], containers: [web] },
    sandbox: SANDBOX,
    containers: [{ name: 'a', state: EXITED, exitCode: 1 }],
    does: ['start a 1'],
    phase: 'Pending',
  },
  {
    title: 'a failed init container fails a pod that never restarts',
    spec: { restartPolicy: 'Never', initContainers: [{ name: 'a' }], containers: [web] },
    sandbox: SANDBOX,
    containers: [{ name: 'a', state: EXITED, exitCode: 1 }],
    does: ['stop sandbox'],
    phase: 'Pending',
    stage: 'ending',
  },
  {
    title: 'a sidecar has to have started, not to end, before the next',
    spec: { initContainers: [{ name: 's', restartPolicy: 'Always' }, { name: 'b' }], containers: [web] },
    sandbox: SANDBOX,
    containers: [{ name: 's', state: RUNNING, probe: started }],
    does: ['start b 0'],
    phase: 'Pending',
  },
  {
    title: 'a sidecar that has not started holds up the next',
    spec: { initContainers: [{ name: 's', restartPolicy: 'Always' }, { name: 'b' }], containers: [web] },
    sandbox: SANDBOX,
    containers: [
      { name: 's', state: RUNNING, probe: { isStarted: false, isReady: false, changesAtMs: START_MS + 130_000 } },
    ],
    does: [],
    phase: 'Pending',
    wakesAt: 130,
  },
  {
    title: 'a sidecar that ends is restarted beside the running containers',
    spec: { initContainers: [{ name: 's', restartPolicy: 'Always' }], containers: [web] },
    sandbox: SANDBOX,
    containers: [
      { name: 'web', state: RUNNING },
      { name: 's', state: EXITED, exitCode: 1 },
    ],
    does: ['start s 1'],
    phase: 'Running',
  },
  {
    title: 'a running pod needs nothing',
    sandbox: SANDBOX,
    containers: [{ name: 'web', state: RUNNING }],
    does: [],
    phase: 'Running',
  },
  {
    title: 'a pod is looked at again when a probe may change',
    sandbox: SANDBOX,
    containers: [
      { name: 'web', state: RUNNING, probe: { isStarted: true, isReady: false, changesAtMs: START_MS + 105_000 } },
    ],
    does: [],
    phase: 'Running',
    wakesAt: 105,
  },
  {
    title: 'a container that ended is restarted at once the first time',
    sandbox: SANDBOX,
    containers: [{ name: 'web', state: EXITED, exitCode: 1, finishedAt: 99 }],
    does: ['start web 1'],
    phase: 'Running',
  },
  {
    title: 'a container that ended again is held back',
    sandbox: SANDBOX,
    containers: [{ name: 'web', state: EXITED, exitCode: 1, finishedAt: 99 }],
    memory: { backOffs: new Map([[crashKey('web'), { delayMs: 10_000, updatedAtMs: START_MS + 90_000 }]]) },
    does: ['hold back web: CrashLoopBackOff'],
    phase: 'Running',
    wakesAt: 109,
  },
  {
    title: 'a container is restarted when its back-off is over',
    sandbox: SANDBOX,
    containers: [{ name: 'web', state: EXITED, exitCode: 1, finishedAt: 90 }],
    memory: { backOffs: new Map([[crashKey('web'), { delayMs: 10_000, updatedAtMs: START_MS + 80_000 }]]) },
    does: ['start web 1'],
    phase: 'Running',
  },
  {
    title: 'a container that ran for more than ten minutes starts again without back-off',
    sandbox: SANDBOX,
    now: 1000,
    containers: [{ name: 'web', state: EXITED, exitCode: 1, finishedAt: 999 }],
    memory: { backOffs: new Map([[crashKey('web'), { delayMs: 300_000, updatedAtMs: START_MS + 398_000 }]]) },
    does: ['start web 1'],
    phase: 'Running',
  },
  {
    title: 'an image that could not be pulled holds its container back',
    sandbox: SANDBOX,
    memory: { backOffs: new Map([[pullKey('nginx'), { delayMs: 20_000, updatedAtMs: START_MS + 90_000 }]]) },
    does: ['hold back web: ImagePullBackOff'],
    phase: 'Pending',
    wakesAt: 110,
  },
  {
    title: 'a pod that restarts on failure succeeds when its container does',
    spec: { restartPolicy: 'OnFailure', containers: [web] },
    status: { phase: 'Running' },
    sandbox: SANDBOX,
    containers: [{ name: 'web', state: EXITED }],
    does: ['stop sandbox'],
    phase: 'Running',
    stage: 'ending',
  },
  {
    title: 'a pod that never restarts fails with its container',
    spec: { restartPolicy: 'Never', containers: [web] },
    status: { phase: 'Running' },
    sandbox: 'SANDBOX_NOTREADY',
    containers: [{ name: 'web', state: EXITED, exitCode: 3 }],
    does: [],
    phase: 'Failed',
    stage: 'ended',
  },
  {
    title: 'one container that ended leaves the other running',
    spec: { restartPolicy: 'Never', containers: [web, { name: 'other' }] },
    sandbox: SANDBOX,
    containers: [
      { name: 'web', state: EXITED },
      { name: 'other', state: RUNNING },
    ],
    does: [],
    phase: 'Running',
  },
  {
    title: 'sidecars are stopped, the last first, when the containers are done',
    spec: {
      restartPolicy: 'Never',
      initContainers: [
        { name: 's1', restartPolicy: 'Always' },
        { name: 's2', restartPolicy: 'Always' },
      ],
      containers: [web],
    },
    sandbox: SANDBOX,
    status: { phase: 'Running' },
    containers: [
      { name: 'web', state: EXITED },
      { name: 's2', state: RUNNING },
      { name: 's1', state: RUNNING },
    ],
    does: ['stop s2 in 30 s'],
    phase: 'Running',
    stage: 'ending',
  },
  {
    title: 'a deleted pod is stopped in the time it is given',
    metadata: { deletionTimestamp: '2026-01-01T00:02:00Z', deletionGracePeriodSeconds: 12 },
    sandbox: SANDBOX,
    status: { phase: 'Running' },
    containers: [{ name: 'web', state: RUNNING }],
    does: ['stop web in 12 s', 'stop sandbox'],
    phase: 'Running',
    stage: 'ending',
  },
  {
    title: 'what a deleted pod has taken already is no longer there to take',
    metadata: { deletionTimestamp: '2026-01-01T00:02:00Z', deletionGracePeriodSeconds: 30 },
    spec: { initContainers: [{ name: 's', restartPolicy: 'Always' }], containers: [web] },
    memory: { terminatingSinceMs: START_MS + 80_000 },
    sandbox: SANDBOX,
    containers: [
      { name: 'web', state: EXITED, exitCode: 137 },
      { name: 's', state: RUNNING },
    ],
    does: ['stop s in 10 s', 'stop sandbox'],
    phase: 'Running',
    stage: 'ending',
  },
  {
    title: 'a deleted pod is removed when all of it has stopped',
    metadata: { deletionTimestamp: '2026-01-01T00:02:00Z', deletionGracePeriodSeconds: 30 },
    status: { phase: 'Running' },
    sandbox: 'SANDBOX_NOTREADY',
    containers: [{ name: 'web', state: EXITED }],
    does: ['delete pod'],
    phase: 'Succeeded',
    stage: 'ended',
  },
  {
    title: 'a pod that is deleted before it ran has failed',
    metadata: { deletionTimestamp: '2026-01-01T00:02:00Z', deletionGracePeriodSeconds: 30 },
    does: ['delete pod'],
    phase: 'Failed',
    stage: 'ended',
  },
  {
    title: 'a pod past its deadline is stopped',
    spec: { activeDeadlineSeconds: 60, containers: [web] },
    status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
    sandbox: SANDBOX,
    containers: [{ name: 'web', state: RUNNING }],
    does: ['stop web in 30 s', 'stop sandbox'],
    phase: 'Running',
    stage: 'ending',
  },
  {
    title: 'a pod is looked at again at its deadline',
    spec: { activeDeadlineSeconds: 160, containers: [web] },
    status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
    sandbox: SANDBOX,
    containers: [{ name: 'web', state: RUNNING }],
    does: [],
    phase: 'Running',
    wakesAt: 160,
  },
  {
    title: 'a pod that is over stays as it is after a restart of the node',
    status: { phase: 'Succeeded' },
    does: [],
    phase: 'Succeeded',
    stage: 'ended',
  },
  {
    title: 'a rule on an exit code restarts a container that would not be',
    spec: {
      restartPolicy: 'Never',
      containers: [
        {
          ...web,
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
        },
      ],
    },
    sandbox: SANDBOX,
    containers: [{ name: 'web', state: EXITED, exitCode: 42 }],
    does: ['start web 1'],
    phase: 'Running',
  },
  {
    title: 'a rule that restarts all stops the others first',
    spec: {
      restartPolicy: 'Never',
      containers: [
        {
          ...web,
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
        },
        { name: 'other' },
      ],
    },
    sandbox: SANDBOX,
    containers: [
      { name: 'web', state: EXITED, exitCode: 42 },
      { name: 'other', state: RUNNING },
    ],
    does: ['stop other in 30 s'],
    phase: 'Running',
  },
  {
    title: 'a rule that restarts all then removes them',
    spec: {
      restartPolicy: 'Never',
      containers: [
        {
          ...web,
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
        },
        { name: 'other' },
      ],
    },
    sandbox: SANDBOX,
    containers: [
      { name: 'web', state: EXITED, exitCode: 42 },
      { name: 'other', state: EXITED, exitCode: 143 },
    ],
    does: ['remove web', 'remove other'],
    phase: 'Running',
  },
  {
    title: 'an ephemeral container is started once',
    spec: { containers: [web], ephemeralContainers: [{ name: 'debug', image: 'busybox' }] },
    sandbox: SANDBOX,
    containers: [{ name: 'web', state: RUNNING }],
    does: ['start debug 0'],
    phase: 'Running',
  },
  {
    title: 'a pod that the node refuses has failed',
    memory: { rejection: { reason: 'OutOfcpu', message: 'too much' } },
    does: [],
    phase: 'Failed',
    stage: 'ended',
  },
  {
    title: 'a sandbox that could not be made is not tried again at once',
    memory: { sandboxFailure: { retryAtMs: START_MS + 110_000 } },
    does: [],
    phase: 'Pending',
    wakesAt: 110,
  },
];

describe('the life of a pod', () => {
  for (const { title, does, phase, stage = 'running', wakesAt, ...sketch } of cases) {
    test(title, () => {
      const plan = planPod(viewOf(sketch));
      const wakes = plan.wakeAtMs === undefined ? undefined : (plan.wakeAtMs - START_MS) / 1000;
      expect({ does: plan.actions.map(words), phase: plan.status.phase, stage: plan.stage, wakesAt: wakes }).toEqual({
        does,
        phase,
        stage,
        wakesAt,
      });
    });
  }

  test('restarts wait 10 s, then twice as long each time, up to 5 minutes', () => {
    const delays: (number | undefined)[] = [];
    const memory = { backOffs: new Map() };
    for (let attempt = 0; attempt < 8; attempt++) {
      const now = 100 + attempt * 301;
      const containers = [{ name: 'web', state: EXITED, exitCode: 1, attempt, finishedAt: now - 300 } as const];
      const [action] = planPod(viewOf({ sandbox: SANDBOX, containers, memory, now })).actions;
      if (action?.type !== 'start container' || action.backOff === undefined) throw new Error('it was not started');
      memory.backOffs.set(crashKey('web'), action.backOff);
      delays.push(action.backOff.delayMs / 1000);
    }
    expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
  });
});
