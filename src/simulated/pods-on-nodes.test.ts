import { describe, expect, test } from 'vitest';
import { mergePatch, type Observed, type Pod } from '../client/index.ts';
import { nodeAgent, nodeNames } from '../node/index.ts';
import { NodeCluster } from '../node/testing/node-cluster.ts';
import { simulatedBackend } from './index.ts';
import { startNodes } from './testing/simulated-nodes.ts';

/** A pod's status as `kubectl get` shows it: phase or waiting reason, and restarts. */
function look({ status }: Observed<Pod>): string {
  const [container] = status?.containerStatuses ?? [];
  const { waiting, terminated } = container?.state ?? {};
  return `${status?.phase} ${waiting?.reason ?? terminated?.reason ?? 'running'} ${container?.restartCount ?? 0}`;
}

describe('a node', () => {
  test('registers itself, becomes Ready, and records events', async () => {
    await using cluster = await startNodes();
    const node = await cluster.client.core.v1.nodes.get('keelson');

    expect(node.metadata.labels).toEqual({
      'beta.kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': 'keelson',
      'kubernetes.io/os': 'linux',
    });
    expect(node.spec?.podCIDR).toBe('10.244.0.0/24');
    expect(node.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual([
      'MemoryPressure=False KubeletHasSufficientMemory',
      'DiskPressure=False KubeletHasNoDiskPressure',
      'PIDPressure=False KubeletHasSufficientPID',
      'Ready=True KubeletReady',
    ]);
    expect(node.metadata.managedFields?.[0]?.manager).toBe('kubelet');
    expect(await cluster.events('keelson')).toEqual([
      'Normal Starting: Starting kubelet.',
      'Normal NodeHasSufficientMemory: Node keelson status is now: NodeHasSufficientMemory',
      'Normal NodeHasNoDiskPressure: Node keelson status is now: NodeHasNoDiskPressure',
      'Normal NodeHasSufficientPID: Node keelson status is now: NodeHasSufficientPID',
      'Normal NodeAllocatableEnforced: Updated Node Allocatable limit across pods',
      'Normal NodeReady: Node keelson status is now: NodeReady',
    ]);
  });

  test('renews its lease about every ten seconds', async () => {
    await using cluster = await startNodes();
    const leases = cluster.client.coordination.v1.leases.namespace('kube-node-lease');
    const first = await leases.get('keelson');
    expect(first.spec).toMatchObject({ holderIdentity: 'keelson', leaseDurationSeconds: 40 });
    expect(first.metadata.ownerReferences).toMatchObject([{ apiVersion: 'v1', kind: 'Node', name: 'keelson' }]);

    const ages: number[] = [];
    for (let minute = 0; minute < 10; minute++) {
      await cluster.advance('60s');
      const { spec } = await leases.get('keelson');
      ages.push(cluster.clock.now() - Date.parse(spec?.renewTime ?? ''));
    }
    expect(Math.max(...ages)).toBeLessThanOrEqual(10_400);
  });

  test('offers an extended resource while its capacity contains it', async () => {
    await using cluster = await startNodes();
    const { nodes } = cluster.client.core.v1;
    const allocatable = async (): Promise<unknown> => (await nodes.get('keelson')).status?.allocatable;
    const before = await allocatable();
    const patchCapacity = async (value: string | null): Promise<void> => {
      const patch = mergePatch({ status: { capacity: { 'example.com/dongle': value } } });
      await nodes.status.patch('keelson', patch);
      await cluster.settle();
    };

    await patchCapacity('4');
    expect(await allocatable()).toEqual({ ...(before as object), 'example.com/dongle': '4' });
    await patchCapacity('2');
    expect(await allocatable()).toEqual({ ...(before as object), 'example.com/dongle': '2' });
    await patchCapacity(null);
    expect(await allocatable()).toEqual(before);
  });

  test('writes its status every five minutes, and at once when another client marks it as not ready', async () => {
    await using cluster = await startNodes();
    const nodes = cluster.client.core.v1.nodes;
    const heartbeat = async (): Promise<number> => {
      const { status } = await nodes.get('keelson');
      return Date.parse(status?.conditions?.find(({ type }) => type === 'Ready')?.lastHeartbeatTime ?? '');
    };
    await cluster.advance('20m');
    expect(cluster.clock.now() - (await heartbeat())).toBeLessThanOrEqual(300_000);

    const node = await nodes.get('keelson');
    const conditions = node.status?.conditions?.map((each) =>
      each.type === 'Ready' ? { ...each, status: 'Unknown', reason: 'NodeStatusUnknown' } : each,
    );
    await nodes.status.update({ ...node, status: { ...node.status, conditions } });
    await cluster.settle();
    const { status } = await nodes.get('keelson');
    expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'True',
      reason: 'KubeletReady',
    });
  });

  test('is one of many that share one watch', async () => {
    await using cluster = await startNodes({ names: nodeNames(300) });
    const { items } = await cluster.client.core.v1.nodes.list();
    expect(items).toHaveLength(300);
    const pod = await cluster.run({
      metadata: { name: 'web' },
      spec: { nodeName: 'keelson-300', containers: [{ name: 'web', image: 'nginx:1' }] },
    });
    expect(pod.status).toMatchObject({ phase: 'Running', podIP: '10.245.43.2', hostIP: '10.0.1.44' });
  });

  test('alone watches only its own pods', async () => {
    await using cluster = await NodeCluster.start(nodeAgent({ backend: simulatedBackend(), name: 'lone' }));
    const mine = await cluster.run({
      metadata: { name: 'mine' },
      spec: { nodeName: 'lone', containers: [{ name: 'web', image: 'nginx:1' }] },
    });
    const other = await cluster.run({
      metadata: { name: 'other' },
      spec: { nodeName: 'elsewhere', containers: [{ name: 'web', image: 'nginx:1' }] },
    });
    expect(mine.status?.phase).toBe('Running');
    expect(other.status?.phase).toBe('Pending');
  });
});

describe('a pod on a simulated node', () => {
  test('goes from Pending to Running in two steps', async () => {
    await using cluster = await startNodes();
    const { states, end } = cluster.follow('web');
    await cluster.run({ metadata: { name: 'web' } });
    await end();
    expect(states.map(look)).toEqual(['Pending running 0', 'Pending ContainerCreating 0', 'Running running 0']);
    expect(states.at(-1)?.status?.containerStatuses?.[0]).toMatchObject({ ready: true, started: true });
    expect(await cluster.events('web')).toEqual([
      'Normal Pulling: Pulling image "nginx:1.29"',
      expect.stringMatching(
        /^Normal Pulled: Successfully pulled image "nginx:1.29" in 0s \(0s including waiting\)\. Image size: \d+ bytes\.$/,
      ),
      'Normal Created: Container created',
      'Normal Started: Container started',
    ]);
  });

  test('finds its image on the node the second time', async () => {
    await using cluster = await startNodes();
    await cluster.run({ metadata: { name: 'first' } });
    await cluster.run({ metadata: { name: 'second' } });
    expect((await cluster.events('second'))[0]).toBe(
      'Normal Pulled: Container image "nginx:1.29" already present on machine and can be accessed by the pod',
    );
  });

  test('crashes in a loop with growing delays', async () => {
    await using cluster = await startNodes();
    const annotations = { 'sim.keelson.dev/exit-code': '1', 'sim.keelson.dev/exit-after': '1s' };
    await cluster.run({ metadata: { name: 'web', annotations } });
    await cluster.advance('2s');
    const crashed = await cluster.pods.get('web');
    const message = `back-off 10s restarting failed container=web pod=web_default(${crashed.metadata.uid})`;
    expect(crashed.status?.phase).toBe('Running');
    expect(crashed.status?.containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff', message } },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
      restartCount: 1,
      ready: false,
    });
    expect(await cluster.events('web')).toContain(
      `Warning BackOff: Back-off restarting failed container web in pod web_default(${crashed.metadata.uid})`,
    );

    const startedAt: number[] = [];
    const { states, end } = cluster.follow('web');
    await cluster.advance('30m');
    await end();
    for (const { status } of states) {
      const at = Date.parse(status?.containerStatuses?.[0]?.state?.running?.startedAt ?? '');
      if (!Number.isNaN(at) && at !== startedAt.at(-1)) startedAt.push(at);
    }
    const gaps = startedAt.slice(1).map((at, index) => (at - (startedAt[index] ?? 0)) / 1000);
    expect(gaps).toEqual([21, 41, 81, 161, 301, 301, 301, 301]);
  });

  test('shows the stages of a crash loop', async () => {
    await using cluster = await startNodes();
    const { states, end } = cluster.follow('web');
    await cluster.run({
      metadata: {
        name: 'web',
        annotations: { 'sim.keelson.dev/exit-code': '1,1,0', 'sim.keelson.dev/exit-after': '5s,5s,never' },
      },
    });
    await cluster.advance('30s');
    await end();
    expect(states.map(look)).toEqual([
      'Pending running 0',
      'Pending ContainerCreating 0',
      'Running running 0',
      'Running Error 0',
      'Running running 1',
      'Running Error 1',
      'Running CrashLoopBackOff 1',
      'Running running 2',
    ]);
  });

  test('whose image cannot be pulled backs off', async () => {
    await using cluster = await startNodes();
    const { states, end } = cluster.follow('web');
    await cluster.run({ metadata: { name: 'web', annotations: { 'sim.keelson.dev/pull-fails': 'not found' } } });
    await cluster.advance('11s');
    await end();
    expect(states.map(look)).toEqual([
      'Pending running 0',
      'Pending ContainerCreating 0',
      'Pending ErrImagePull 0',
      'Pending ImagePullBackOff 0',
      'Pending ErrImagePull 0',
      'Pending ImagePullBackOff 0',
    ]);
    expect(states.at(-1)?.status?.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      'Back-off pulling image "nginx:1.29": ErrImagePull: not found',
    );
    expect(await cluster.events('web')).toEqual([
      'Normal Pulling: Pulling image "nginx:1.29"',
      'Warning Failed: Failed to pull image "nginx:1.29": not found',
      'Warning Failed: Error: ErrImagePull',
      'Normal BackOff: Back-off pulling image "nginx:1.29"',
      'Warning Failed: Error: ImagePullBackOff',
    ]);
  });

  test('runs its init containers first, one after the other', async () => {
    await using cluster = await startNodes();
    const annotations = { 'sim.keelson.dev/exit-after.one': '3s', 'sim.keelson.dev/exit-after.two': '4s' };
    const pod = await cluster.run({
      metadata: { name: 'web', annotations },
      spec: {
        initContainers: [
          { name: 'one', image: 'busybox:1' },
          { name: 'two', image: 'busybox:1' },
        ],
        containers: [{ name: 'web', image: 'nginx:1' }],
      },
    });
    const states = (of: Pod): unknown =>
      [...(of.status?.initContainerStatuses ?? []), ...(of.status?.containerStatuses ?? [])].map(
        ({ state }) => Object.keys(state ?? {})[0],
      );
    expect(states(pod)).toEqual(['running', 'waiting', 'waiting']);
    await cluster.advance('3s');
    expect(states(await cluster.pods.get('web'))).toEqual(['terminated', 'running', 'waiting']);
    await cluster.advance('4s');
    const running = await cluster.pods.get('web');
    expect(states(running)).toEqual(['terminated', 'terminated', 'running']);
    expect(running.status?.phase).toBe('Running');
    expect(running.status?.conditions?.find(({ type }) => type === 'Initialized')?.status).toBe('True');
  });

  test('is ready when its script says so', async () => {
    await using cluster = await startNodes();
    const annotations = { 'sim.keelson.dev/started-after': '5s', 'sim.keelson.dev/ready-after': '20s' };
    await cluster.run({ metadata: { name: 'web', annotations } });
    const seen: unknown[] = [];
    for (const wait of ['0s', '5s', '15s'] as const) {
      await cluster.advance(wait);
      const { started, ready } = (await cluster.pods.get('web')).status?.containerStatuses?.[0] ?? {};
      seen.push({ started, ready });
    }
    expect(seen).toEqual([
      { started: false, ready: false },
      { started: true, ready: false },
      { started: true, ready: true },
    ]);
  });

  test('that exits by itself completes and keeps its status', async () => {
    await using cluster = await startNodes();
    const annotations = { 'sim.keelson.dev/exit-code': '0', 'sim.keelson.dev/exit-after': '10s' };
    const spec = { restartPolicy: 'Never', containers: [{ name: 'web', image: 'busybox:1' }] } as const;
    await cluster.run({ metadata: { name: 'job', annotations }, spec: { ...spec, containers: [...spec.containers] } });
    await cluster.advance('11s');
    const done = await cluster.pods.get('job');
    expect(done.status).toMatchObject({ phase: 'Succeeded', podIP: '10.244.0.2' });
    expect(done.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    const ready = done.status?.conditions?.map(({ type, status, reason }) =>
      `${type}=${status} ${reason ?? ''}`.trim(),
    );
    expect(ready).toEqual([
      'PodReadyToStartContainers=False',
      'Initialized=True PodCompleted',
      'Ready=False PodCompleted',
      'ContainersReady=False PodCompleted',
      'PodScheduled=True',
    ]);
    await cluster.advance('1h');
    expect((await cluster.pods.get('job')).metadata.resourceVersion).toBe(done.metadata.resourceVersion);
  });

  test('is removed when it was deleted and has stopped, and its address is free', async () => {
    await using cluster = await startNodes();
    const annotations = { 'sim.keelson.dev/stop-after': '10s', 'sim.keelson.dev/stop-code': '3' };
    await cluster.run({ metadata: { name: 'web', annotations } });
    const { states, end } = cluster.follow('web');
    await cluster.pods.delete('web');
    await cluster.advance('9s');
    expect((await cluster.pods.get('web')).metadata.deletionGracePeriodSeconds).toBe(30);
    await cluster.advance('1s');
    await end();
    expect((await cluster.pods.list()).items).toEqual([]);
    const last = states.at(-1);
    expect(last?.metadata.deletionGracePeriodSeconds).toBe(0);
    expect(last?.status).toMatchObject({ phase: 'Failed', observedGeneration: 2 });
    expect(last?.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    expect(await cluster.events('web')).toContain('Normal Killing: Stopping container web');
  });

  test('that does not stop in time is killed, and earlier when it is deleted again', async () => {
    await using cluster = await startNodes();
    const annotations = { 'sim.keelson.dev/stop-after': 'never' };
    await cluster.run({ metadata: { name: 'slow', annotations } });
    await cluster.run({ metadata: { name: 'hurried', annotations } });
    await cluster.pods.delete('slow');
    await cluster.pods.delete('hurried');
    await cluster.advance('5s');
    await cluster.pods.delete('hurried', { gracePeriodSeconds: 8 });
    await cluster.advance('3s');
    expect((await cluster.pods.list()).items.map(({ metadata }) => metadata.name)).toEqual(['slow']);
    await cluster.advance('21s');
    expect((await cluster.pods.list()).items).toHaveLength(1);
    await cluster.advance('1s');
    expect((await cluster.pods.list()).items).toEqual([]);
  });

  test('that is deleted by force leaves nothing behind', async () => {
    await using cluster = await startNodes();
    const first = await cluster.run({ metadata: { name: 'web' } });
    await cluster.pods.delete('web', { gracePeriodSeconds: 0 });
    const second = await cluster.run({ metadata: { name: 'web' } });
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(second.status).toMatchObject({ phase: 'Running', podIP: '10.244.0.3' });
  });

  test('stays until its finalizer is removed', async () => {
    await using cluster = await startNodes();
    await cluster.run({ metadata: { name: 'web', finalizers: ['example.com/wait'] } });
    await cluster.pods.delete('web');
    await cluster.settle();
    const kept = await cluster.pods.get('web');
    expect(kept.status?.phase).toBe('Succeeded');
    await cluster.pods.update({ ...kept, metadata: { ...kept.metadata, finalizers: [] } });
    await cluster.settle();
    expect((await cluster.pods.list()).items).toEqual([]);
  });

  test('fails at its deadline', async () => {
    await using cluster = await startNodes();
    await cluster.run({
      metadata: { name: 'web' },
      spec: { activeDeadlineSeconds: 60, containers: [{ name: 'web', image: 'nginx:1' }] },
    });
    await cluster.advance('59s');
    expect((await cluster.pods.get('web')).status?.phase).toBe('Running');
    await cluster.advance('1s');
    expect((await cluster.pods.get('web')).status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
  });

  test('starts a container again whose image is changed, whatever its restart policy says', async () => {
    await using nodes = await startNodes();
    const containers = [{ name: 'web', image: 'nginx:1' }];
    const pod = await nodes.run({ metadata: { name: 'web' }, spec: { restartPolicy: 'Never', containers } });
    const [web] = pod.spec?.containers ?? [];
    await nodes.pods.patch('web', mergePatch({ spec: { containers: [{ ...web, image: 'nginx:2' }] } }));
    await nodes.advance('40s');
    const { status } = await nodes.pods.get('web');
    expect(status?.containerStatuses).toMatchObject([
      { restartCount: 1, image: 'docker.io/library/nginx:2', state: { running: {} }, lastState: { terminated: {} } },
    ]);
    expect(await nodes.events('web')).toContain('Normal Killing: Container web definition changed, will be restarted');
  });

  test('crashes when an annotation is changed accordingly', async () => {
    await using cluster = await startNodes();
    const pod = await cluster.run({ metadata: { name: 'web' } });
    const annotations = { 'sim.keelson.dev/exit-code': '7' };
    await cluster.pods.update({ ...pod, metadata: { ...pod.metadata, annotations } });
    await cluster.advance('1s');
    expect((await cluster.pods.get('web')).status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(7);
  });

  test('continues when an annotation is changed to an invalid value', async () => {
    await using cluster = await startNodes();
    const pod = await cluster.run({ metadata: { name: 'web', annotations: { 'sim.keelson.dev/exit-after': '1m' } } });
    const annotations = { 'sim.keelson.dev/exit-after': 'soon' };
    await cluster.pods.update({ ...pod, metadata: { ...pod.metadata, annotations } });
    await cluster.settle();
    expect(await cluster.events('web')).toContain(
      'Warning FailedSync: Cannot read annotation "sim.keelson.dev/exit-after": time: invalid duration "soon"',
    );
    expect((await cluster.pods.get('web')).status?.containerStatuses?.[0]?.state?.running).toBeDefined();
    await cluster.advance('1m');
    expect((await cluster.pods.get('web')).status?.containerStatuses?.[0]?.lastState?.terminated).toBeDefined();
  });

  test('whose container cannot be started records the reason, and backs off', async () => {
    await using cluster = await startNodes();
    const { states, end } = cluster.follow('web');
    await cluster.run({ metadata: { name: 'web', annotations: { 'sim.keelson.dev/start-fails': 'no such file' } } });
    await cluster.advance('11s');
    await end();
    expect(states.map(look).slice(2)).toEqual([
      'Running RunContainerError 0',
      'Running RunContainerError 1',
      'Running CrashLoopBackOff 1',
    ]);
    expect(states.at(-1)?.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
      message: 'no such file',
    });
  });

  test('with sidecars stops them last, in reverse order', async () => {
    await using cluster = await startNodes();
    const stopAfter = (name: string): [string, string] => [`sim.keelson.dev/stop-after.${name}`, '2s'];
    await cluster.run({
      metadata: { name: 'web', annotations: Object.fromEntries(['one', 'two', 'web'].map(stopAfter)) },
      spec: {
        initContainers: [
          { name: 'one', image: 'busybox:1', restartPolicy: 'Always' },
          { name: 'two', image: 'busybox:1', restartPolicy: 'Always' },
        ],
        containers: [{ name: 'web', image: 'nginx:1' }],
      },
    });
    const { states, end } = cluster.follow('web');
    await cluster.pods.delete('web');
    await cluster.advance('7s');
    await end();
    const { initContainerStatuses = [], containerStatuses = [] } = states.at(-1)?.status ?? {};
    const ends = [...containerStatuses, ...initContainerStatuses]
      .map(({ name, state }) => ({ name, at: state?.terminated?.finishedAt ?? '' }))
      .sort((left, right) => left.at.localeCompare(right.at));
    expect(ends.map(({ name }) => name)).toEqual(['web', 'two', 'one']);
  });

  test('with hostNetwork has the node’s address', async () => {
    await using cluster = await startNodes();
    const pod = await cluster.run({
      metadata: { name: 'web' },
      spec: { hostNetwork: true, containers: [{ name: 'web', image: 'nginx:1' }] },
    });
    expect(pod.status).toMatchObject({ phase: 'Running', podIP: '10.0.0.1', hostIP: '10.0.0.1' });
  });

  test('restarts all containers when a rule says so', async () => {
    await using cluster = await startNodes();
    const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } };
    await cluster.run({
      metadata: {
        name: 'web',
        annotations: { 'sim.keelson.dev/exit-code.web': '42,0', 'sim.keelson.dev/exit-after.web': '5s,never' },
      },
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'web', image: 'nginx:1', restartPolicy: 'Never', restartPolicyRules: [rule] },
          { name: 'other', image: 'nginx:1' },
        ],
      },
    });
    await cluster.advance('6s');
    const { status } = await cluster.pods.get('web');
    expect(status?.phase).toBe('Running');
    expect(
      status?.containerStatuses?.map(({ name, restartCount, state }) => [
        name,
        restartCount,
        Object.keys(state ?? {})[0],
      ]),
    ).toEqual([
      ['other', 1, 'running'],
      ['web', 1, 'running'],
    ]);
    expect(status?.conditions?.find(({ type }) => type === 'AllContainersRestarting')?.status).toBe('False');
  });
});

describe('a node that rejects a pod', () => {
  const cases = [
    {
      title: 'that asks for more than there is',
      spec: { containers: [{ name: 'web', image: 'nginx:1', resources: { requests: { cpu: '9' } } }] },
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 9000, used: 0, capacity: 8000",
    },
    {
      title: 'that wants another node',
      spec: { nodeSelector: { disk: 'ssd' }, containers: [{ name: 'web', image: 'nginx:1' }] },
      reason: 'NodeAffinity',
      message: "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    },
    {
      title: 'whose port is taken',
      spec: { containers: [{ name: 'web', image: 'nginx:1', ports: [{ containerPort: 80, hostPort: 8080 }] }] },
      reason: 'NodePorts',
      message:
        "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    },
  ];
  for (const { title, spec, reason, message } of cases) {
    test(`${title} fails it`, async () => {
      await using cluster = await startNodes();
      await cluster.run({
        metadata: { name: 'before' },
        spec: { containers: [{ name: 'a', image: 'nginx:1', ports: [{ containerPort: 80, hostPort: 8080 }] }] },
      });
      const pod = await cluster.run({ metadata: { name: 'web' }, spec });
      expect(pod.status).toMatchObject({ phase: 'Failed', reason, message });
      expect(await cluster.events('web')).toEqual([`Warning ${reason}: ${message.replace('Pod was rejected: ', '')}`]);
    });
  }
});

describe('a restarted node', () => {
  test('finds its pods unchanged', async () => {
    await using cluster = await startNodes();
    await cluster.run({ metadata: { name: 'web' } });
    await cluster.run({
      metadata: {
        name: 'crash',
        annotations: { 'sim.keelson.dev/exit-code': '1', 'sim.keelson.dev/exit-after': '1s' },
      },
    });
    await cluster.run({
      metadata: { name: 'many', annotations: { 'sim.keelson.dev/exit-after.b': '1s' } },
      spec: {
        initContainers: [
          { name: 'a', image: 'busybox:1' },
          { name: 's', image: 'busybox:1', restartPolicy: 'Always' },
        ],
        containers: [
          { name: 'web', image: 'nginx:1' },
          { name: 'b', image: 'nginx:1' },
        ],
      },
    });
    await cluster.run({
      metadata: { name: 'job', annotations: { 'sim.keelson.dev/exit-code': '0' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'web', image: 'nginx:1' }] },
    });
    await cluster.advance('60s');
    const before = (await cluster.pods.list()).items;
    expect(before.map(look)).toEqual([
      'Running CrashLoopBackOff 3',
      'Succeeded Completed 0',
      expect.stringMatching(/^Running/),
      'Running running 0',
    ]);

    await cluster.stopNodes();
    await cluster.startNodes();
    const after = (await cluster.pods.list()).items;
    expect(after).toEqual(before);

    await cluster.advance('10m');
    const { status } = await cluster.pods.get('crash');
    expect(status?.containerStatuses?.[0]?.restartCount).toBeGreaterThan(4);
    expect((await cluster.pods.get('web')).metadata.resourceVersion).toBe(
      before.find(({ metadata }) => metadata.name === 'web')?.metadata.resourceVersion,
    );
  });

  test('does not reuse the addresses of existing pods', async () => {
    await using cluster = await startNodes();
    const first = await cluster.run({ metadata: { name: 'first' } });
    await cluster.stopNodes();
    await cluster.startNodes();
    const second = await cluster.run({ metadata: { name: 'second' } });
    expect(first.status?.podIP).toBe('10.244.0.2');
    expect(second.status?.podIP).toBe('10.244.0.3');
  });

  test('ends pods that were deleted while it was down', async () => {
    await using cluster = await startNodes();
    await cluster.run({ metadata: { name: 'web' } });
    await cluster.stopNodes();
    await cluster.pods.delete('web');
    await cluster.advance('5s');
    await cluster.startNodes();
    expect((await cluster.pods.list()).items).toEqual([]);
  });
});
