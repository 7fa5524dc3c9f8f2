import { describe, expect, test } from 'vitest';
import { START_MS, viewOf } from '../testing/pod-views.ts';
import type { ContainerUser } from '../runtime/index.ts';
import { planPod } from './pod-life.ts';

const web = { name: 'web', image: 'nginx' };

describe('what a pod reports', () => {
  test('a new pod waits for its containers', () => {
    const { status } = planPod(viewOf({ status: { phase: 'Pending', qosClass: 'BestEffort' } }));
    const at = { observedGeneration: 1, lastTransitionTime: '2026-01-01T00:01:40Z' };
    const unready = { reason: 'ContainersNotReady', message: 'containers with unready status: [web]' };
    expect(status).toEqual({
      observedGeneration: 1,
      phase: 'Pending',
      conditions: [
        { type: 'PodReadyToStartContainers', status: 'False', ...at },
        { type: 'Initialized', status: 'True', ...at },
        { type: 'Ready', status: 'False', ...at, ...unready },
        { type: 'ContainersReady', status: 'False', ...at, ...unready },
        { type: 'PodScheduled', status: 'True', ...at },
      ],
      hostIP: '10.0.0.1',
      hostIPs: [{ ip: '10.0.0.1' }],
      startTime: '2026-01-01T00:01:40Z',
      containerStatuses: [
        {
          name: 'web',
          state: { waiting: { reason: 'ContainerCreating' } },
          lastState: {},
          ready: false,
          restartCount: 0,
          image: 'nginx',
          imageID: '',
          started: false,
        },
      ],
      qosClass: 'BestEffort',
      resources: {},
    });
  });

  test('a running pod has an address, a container id and what it may use', () => {
    const resources = { requests: { cpu: '100m' }, limits: { memory: '64Mi' } };
    const { status } = planPod(
      viewOf({
        spec: {
          containers: [{ ...web, resources, volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }] }],
        },
        sandbox: 'SANDBOX_READY',
        containers: [{ name: 'web', state: 'CONTAINER_RUNNING', startedAt: 10 }],
      }),
    );
    expect(status).toMatchObject({ phase: 'Running', podIP: '10.244.0.2', podIPs: [{ ip: '10.244.0.2' }] });
    expect(status.containerStatuses).toEqual([
      {
        name: 'web',
        state: { running: { startedAt: '2026-01-01T00:00:10Z' } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: 'docker.io/library/web:latest',
        imageID: 'docker.io/library/web@sha256:1',
        containerID: 'containerd://web-0',
        started: true,
        allocatedResources: { cpu: '100m' },
        resources,
        volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true, recursiveReadOnly: 'Disabled' }],
      },
    ]);
    expect(status.resources).toEqual(resources);
    expect(status.allocatedResources).toEqual({ cpu: '100m' });
  });

  test('a container has the user and groups that the runtime says, and none where it says nothing', () => {
    const view = viewOf({ sandbox: 'SANDBOX_READY', containers: [{ name: 'web', state: 'CONTAINER_RUNNING' }] });
    const userWith = (user: ContainerUser | undefined): unknown => {
      const containers = view.containers.map((each) => ({ ...each, user }));
      return planPod({ ...view, containers }).status.containerStatuses?.[0]?.user;
    };
    expect(userWith(undefined)).toBeUndefined();
    expect(userWith({})).toEqual({});
    const linux = { uid: 1000, gid: 0, supplementalGroups: [] };
    expect(userWith({ linux })).toEqual({ linux: { uid: 1000, gid: 0 } });
    expect(userWith({ linux: { ...linux, supplementalGroups: [7] } })).toEqual({
      linux: { ...linux, supplementalGroups: [7] },
    });
  });

  test('a container that is held back tells why, and how it ended last', () => {
    const message = 'back-off 10s restarting failed container=web pod=web_default(u1)';
    const { status } = planPod(
      viewOf({
        sandbox: 'SANDBOX_READY',
        containers: [
          { name: 'web', state: 'CONTAINER_EXITED', attempt: 2, exitCode: 1, startedAt: 90, finishedAt: 99 },
        ],
        memory: { failures: new Map([['web', { reason: 'CrashLoopBackOff', message }]]) },
      }),
    );
    expect(status.containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff', message } },
      lastState: {
        terminated: {
          exitCode: 1,
          reason: 'Error',
          startedAt: '2026-01-01T00:01:30Z',
          finishedAt: '2026-01-01T00:01:39Z',
          containerID: 'containerd://web-2',
        },
      },
      restartCount: 2,
      ready: false,
      started: false,
    });
  });

  test('while init containers run the others wait for the pod', () => {
    const { status } = planPod(
      viewOf({
        spec: { initContainers: [{ name: 'a' }, { name: 'b' }], containers: [web] },
        sandbox: 'SANDBOX_READY',
        containers: [{ name: 'a', state: 'CONTAINER_RUNNING' }],
      }),
    );
    expect(status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
    expect(status.initContainerStatuses?.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(status.conditions?.find(({ type }) => type === 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [a b]',
    });
  });

  test('readiness gates that others answer for hold back Ready, not ContainersReady', () => {
    const sketch = {
      spec: { containers: [web], readinessGates: [{ conditionType: 'example.com/gate' }] },
      sandbox: 'SANDBOX_READY',
      containers: [{ name: 'web', state: 'CONTAINER_RUNNING' }],
    } as const;
    const ready = (status?: string): unknown => {
      const conditions = status === undefined ? [] : [{ type: 'example.com/gate', status }];
      const plan = planPod(
        viewOf({
          ...sketch,
          spec: { ...sketch.spec, containers: [web], readinessGates: [...sketch.spec.readinessGates] },
          containers: [...sketch.containers],
          status: { conditions },
        }),
      );
      const of = (type: string): unknown => plan.status.conditions?.find((each) => each.type === type);
      expect(of('ContainersReady')).toMatchObject({ status: 'True' });
      return of('Ready');
    };
    expect(ready()).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "example.com/gate" does not exist.',
    });
    expect(ready('False')).toMatchObject({
      message: 'the status of pod readiness gate "example.com/gate" is not "True", but False',
    });
    expect(ready('True')).toMatchObject({ status: 'True' });
  });

  test('a condition keeps the time of its last change', () => {
    const old = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:05Z' };
    const { status } = planPod(
      viewOf({
        sandbox: 'SANDBOX_READY',
        containers: [{ name: 'web', state: 'CONTAINER_RUNNING' }],
        status: {
          phase: 'Running',
          conditions: [old, { type: 'Initialized', status: 'False', lastTransitionTime: old.lastTransitionTime }],
        },
      }),
    );
    const times = Object.fromEntries(
      status.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]) ?? [],
    );
    expect(times).toMatchObject({ Ready: '2026-01-01T00:00:05Z', Initialized: '2026-01-01T00:01:40Z' });
  });

  test('a pod past its deadline has failed when it has stopped, and keeps its address', () => {
    const { status } = planPod(
      viewOf({
        spec: { activeDeadlineSeconds: 60, containers: [web] },
        status: {
          phase: 'Running',
          startTime: '2026-01-01T00:00:00Z',
          podIP: '10.244.0.2',
          podIPs: [{ ip: '10.244.0.2' }],
        },
        sandbox: 'SANDBOX_NOTREADY',
        containers: [{ name: 'web', state: 'CONTAINER_EXITED', exitCode: 0 }],
      }),
    );
    expect(status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
      podIP: '10.244.0.2',
    });
    expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ reason: 'PodFailed' });
  });

  test('a pod that was refused reports nothing but that', () => {
    const rejection = {
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 9, used: 0, capacity: 8",
    };
    const { status } = planPod(viewOf({ memory: { rejection } }));
    expect(status).toEqual({
      observedGeneration: 1,
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: `Pod was rejected: ${rejection.message}`,
      startTime: '2026-01-01T00:01:40Z',
      qosClass: 'BestEffort',
    });
  });

  test('a container that never was found has failed when the pod ends', () => {
    const { status } = planPod(
      viewOf({
        metadata: { deletionTimestamp: '2026-01-01T00:02:00Z', deletionGracePeriodSeconds: 30 },
        now: START_MS === 0 ? 0 : 100,
      }),
    );
    expect(status.containerStatuses?.[0]?.state).toEqual({
      terminated: {
        exitCode: 137,
        reason: 'ContainerStatusUnknown',
        message: 'The container could not be located when the pod was terminated',
      },
    });
  });
});
