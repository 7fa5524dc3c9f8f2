// Short notation for pods and their containers, for tests of the state machine.
import type { Observed, Pod } from '../../client/index.ts';
import type { PodMemory, PodView, ProbeResult } from '../life/index.ts';
import type { ContainerState, PodSandboxState } from '../runtime/index.ts';

/** 2026-01-01T00:00:00Z */
export const START_MS = Date.UTC(2026, 0, 1);

export interface ContainerSketch {
  readonly name: string;
  readonly state: ContainerState;
  readonly attempt?: number;
  readonly exitCode?: number;
  /** Seconds after `START_MS`. */
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly probe?: ProbeResult;
}

export interface ViewSketch {
  readonly spec?: NonNullable<Pod['spec']>;
  readonly metadata?: Pod['metadata'];
  readonly status?: NonNullable<Pod['status']>;
  readonly sandbox?: PodSandboxState;
  /** Newest first. */
  readonly containers?: readonly ContainerSketch[];
  readonly memory?: Partial<PodMemory>;
  /** Seconds after `START_MS`; default 100. */
  readonly now?: number;
}

export function podOf({ spec, metadata, status }: Pick<ViewSketch, 'spec' | 'metadata' | 'status'>): Observed<Pod> {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'u1',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation: 1,
      ...metadata,
    },
    spec: spec ?? { containers: [{ name: 'web', image: 'nginx' }] },
    status: { phase: 'Pending', qosClass: 'BestEffort', ...status },
  };
}

export function viewOf(sketch: ViewSketch): PodView {
  const pod = podOf(sketch);
  const { sandbox, containers = [], memory = {}, now = 100 } = sketch;
  const pods = { name: 'web', namespace: 'default', uid: 'u1', attempt: 0 };
  return {
    pod,
    nowMs: START_MS + now * 1000,
    sandbox:
      sandbox === undefined
        ? undefined
        : {
            id: 's1',
            metadata: pods,
            state: sandbox,
            createdAtMs: START_MS,
            network: { ip: sandbox === 'SANDBOX_READY' ? '10.244.0.2' : '', additionalIps: [] },
            labels: {},
            annotations: {},
          },
    containers: containers.map(({ name, state, attempt = 0, exitCode = 0, startedAt, finishedAt, probe }) => ({
      id: `${name}-${attempt}`,
      podSandboxId: 's1',
      metadata: { name, attempt },
      state,
      createdAtMs: START_MS,
      startedAtMs: startedAt === undefined ? START_MS : START_MS + startedAt * 1000,
      finishedAtMs: state !== 'CONTAINER_EXITED' ? undefined : START_MS + (finishedAt ?? 0) * 1000,
      exitCode,
      image: { image: `docker.io/library/${name}:latest` },
      imageRef: `docker.io/library/${name}@sha256:1`,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      message: '',
      labels: {},
      annotations: {},
      logPath: `${name}/${attempt}.log`,
      probe,
    })),
    hostIps: ['10.0.0.1'],
    runtimeName: 'containerd',
    memory: { status: pod.status ?? {}, failures: new Map(), backOffs: new Map(), ...memory },
  };
}
