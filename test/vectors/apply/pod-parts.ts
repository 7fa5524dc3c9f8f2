import type { Chance } from './chance.ts';

type Part = Record<string, unknown>;

/** A random pod spec that Kubernetes accepts: a container `c1`, and whatever else comes. */
export function podSpec(chance: Chance): Part {
  const names = ['c1', ...chance.some(['c2', 'c3'])];
  return {
    containers: shuffled(chance, names).map((name) => container(chance, name)),
    ...chance.members(
      {
        volumes: () => [
          { name: 'v1', ...volumeSource(chance) },
          ...chance.some(['v2', 'v3']).map((name) => ({ name, ...volumeSource(chance) })),
        ],
        nodeSelector: () => ({ disk: chance.pick(['ssd', 'hdd']), ...(chance.percent(50) ? { zone: 'a' } : {}) }),
        tolerations: () => chance.some(['a', 'b', 'c'], 1).map((key) => ({ key, operator: 'Exists' })),
        imagePullSecrets: () => chance.some(['s1', 's2', 's3'], 1).map((name) => ({ name })),
        hostAliases: () =>
          chance.some(['10.0.0.1', '10.0.0.2'], 1).map((ip) => ({ ip, hostnames: [chance.pick(['h1', 'h2'])] })),
        topologySpreadConstraints: () => spread(chance),
        securityContext: () =>
          chance.members({
            runAsUser: () => chance.between(1, 3),
            fsGroup: () => 7,
            runAsNonRoot: () => true,
            supplementalGroups: () => [1, 2],
          }),
        affinity: () => ({
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: chance.between(1, 3), preference: { matchExpressions: [{ key: 'k', operator: 'Exists' }] } },
            ],
          },
        }),
        terminationGracePeriodSeconds: () => chance.between(1, 40),
        dnsPolicy: () => chance.pick(['ClusterFirst', 'Default']),
        serviceAccountName: () => chance.pick(['sa1', 'sa2']),
        hostname: () => 'h',
        readinessGates: () => chance.some(['g1.io/a', 'g1.io/b'], 1).map((conditionType) => ({ conditionType })),
      },
      22,
    ),
  };
}

function container(chance: Chance, name: string): Part {
  return {
    name,
    image: chance.pick(['i:1', 'i:2', 'i:3']),
    ...chance.members(
      {
        env: () => chance.some(['E1', 'E2', 'E3'], 1).map((key) => envVar(chance, key)),
        ports: () => ports(chance),
        args: () => chance.some(['a', 'b', 'c'], 1),
        command: () => ['run', chance.pick(['x', 'y'])],
        resources: () => chance.members({ limits: () => quantities(chance), requests: () => ({ cpu: '10m' }) }, 60),
        livenessProbe: () => ({
          httpGet: { path: chance.pick(['/a', '/b']), port: chance.pick([80, 'http']) },
          ...chance.members({ periodSeconds: () => chance.between(5, 7) }),
        }),
        securityContext: () =>
          chance.members({
            privileged: () => true,
            capabilities: () => ({ add: chance.some(['NET_ADMIN', 'SYS_TIME'], 1) }),
            runAsUser: () => 3,
          }),
        imagePullPolicy: () => chance.pick(['Always', 'IfNotPresent']),
        workingDir: () => '/w',
        envFrom: () => [{ configMapRef: { name: chance.pick(['cm1', 'cm2']) } }],
        terminationMessagePath: () => '/dev/x',
      },
      25,
    ),
  };
}

function envVar(chance: Chance, name: string): Part {
  if (chance.percent(70)) return { name, value: chance.pick(['1', '2', '3']) };
  return { name, valueFrom: { configMapKeyRef: { name: 'cm', key: chance.pick(['k1', 'k2']) } } };
}

/** Port numbers repeat with other protocols, which may be left out when they are TCP. */
function ports(chance: Chance): Part[] {
  return chance.some(
    [
      { containerPort: 80 },
      { containerPort: 80, protocol: 'UDP' },
      { containerPort: 443, protocol: 'TCP', name: chance.pick(['https', 'tls']) },
    ],
    1,
  );
}

export function quantities(chance: Chance): Part {
  return chance.members(
    { cpu: () => chance.pick(['100m', '0.2', '1']), memory: () => chance.pick(['64Mi', '128Mi']) },
    70,
  );
}

function volumeSource(chance: Chance): Part {
  return chance.pick<() => Part>([
    () => ({ emptyDir: {} }),
    () => ({ emptyDir: { medium: 'Memory' } }),
    () => ({ configMap: { name: chance.pick(['cm1', 'cm2']) } }),
    () => ({ secret: { secretName: 's', items: chance.some(['a', 'b'], 1).map((key) => ({ key, path: key })) } }),
    () => ({ hostPath: { path: '/p' } }),
  ])();
}

function spread(chance: Chance): Part[] {
  return chance
    .some(
      [
        { topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
        { topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
        { topologyKey: 'host', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
      1,
    )
    .map((constraint) => ({
      ...constraint,
      maxSkew: chance.between(1, 3),
      labelSelector: { matchLabels: { a: 'b' } },
    }));
}

function shuffled<T>(chance: Chance, items: readonly T[]): T[] {
  return chance.some(items, items.length);
}
