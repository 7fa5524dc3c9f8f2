import { admission, type App, app, extensionServer, type ObjectOf, Pod, resource } from 'keelson';
import { z } from 'zod';

/**
 * What Kubernetes had until 1.24, in short: what pods may do to their node. A pod is admitted if one policy allows it.
 */
export const PodSecurityPolicy = resource('policy.example.dev/v1beta1', 'PodSecurityPolicy', {
  scope: 'Cluster',
  plural: 'podsecuritypolicies',
  shortNames: ['psp'],
  spec: z.object({
    privileged: z.boolean().default(false),
    allowPrivilegeEscalation: z.boolean().default(true),
    hostNetwork: z.boolean().default(false),
    hostPID: z.boolean().default(false),
    hostIPC: z.boolean().default(false),
    readOnlyRootFilesystem: z.boolean().default(false),
    /** `*` allows all. */
    allowedCapabilities: z.array(z.string()).default([]),
    /** Kinds of volumes such as `configMap`; `*` allows all. */
    volumes: z.array(z.string()).default([]),
    runAsUser: z.object({ rule: z.enum(['RunAsAny', 'MustRunAsNonRoot']) }).default({ rule: 'RunAsAny' }),
  }),
  columns: {
    Priv: (policy) => policy.spec.privileged,
    RunAsUser: (policy) => policy.spec.runAsUser.rule,
  },
});
export type PodSecurityPolicy = ObjectOf<typeof PodSecurityPolicy>;

type Policy = PodSecurityPolicy['spec'];
type PodSpec = NonNullable<Pod['spec']>;
type Container = PodSpec['containers'][number];

const podSecurity = admission(Pod, {
  name: 'podsecurity.policy.example.dev',
  failurePolicy: 'Fail', // no pod is admitted unchecked
  operations: ['CREATE', 'UPDATE'],
  reads: [PodSecurityPolicy],
  validate(pod, { objects }) {
    const policies = objects(PodSecurityPolicy)
      .list()
      .toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
    if (policies.length === 0) return 'no providers available to validate pod request';
    const problems: string[] = [];
    for (const { spec } of policies) {
      const found = problemsOf((pod.spec ?? { containers: [] }) as PodSpec, spec as Policy);
      if (found.length === 0) return undefined;
      problems.push(...found);
    }
    return `unable to validate against any pod security policy: [${[...new Set(problems)].join(', ')}]`;
  },
});

function problemsOf(spec: PodSpec, policy: Policy): string[] {
  const problems: string[] = [];
  for (const [field, name] of HOST_FIELDS) {
    if (spec[field] === true && !policy[field])
      problems.push(`spec.securityContext.${field}: Invalid value: true: ${name} is not allowed to be used`);
  }
  const kinds = (spec.volumes ?? []).map((volume) => Object.keys(volume).find((key) => key !== 'name') ?? 'emptyDir');
  for (const [index, kind] of kinds.entries()) {
    const isServiceAccountToken = kind === 'projected'; // every pod has it
    if (isServiceAccountToken || policy.volumes.includes('*') || policy.volumes.includes(kind)) continue;
    problems.push(`spec.volumes[${index}]: Invalid value: "${kind}": ${kind} volumes are not allowed to be used`);
  }
  const { securityContext } = spec;
  const lists = { initContainers: spec.initContainers ?? [], containers: spec.containers };
  for (const [list, containers] of Object.entries(lists)) {
    for (const [index, container] of containers.entries())
      problems.push(...containerProblems({ securityContext, container, policy }, `spec.${list}[${index}]`));
  }
  return problems;
}

const HOST_FIELDS = [
  ['hostNetwork', 'Host network'],
  ['hostPID', 'Host PID'],
  ['hostIPC', 'Host IPC'],
] as const;

interface Checked {
  readonly securityContext: PodSpec['securityContext'];
  readonly container: Container;
  readonly policy: Policy;
}

function containerProblems({ securityContext: pods = {}, container, policy }: Checked, path: string): string[] {
  const { securityContext: own = {} } = container;
  const at = `${path}.securityContext`;
  const added = own.capabilities?.add ?? [];
  const allows = (capability: string): boolean =>
    policy.allowedCapabilities.includes('*') || policy.allowedCapabilities.includes(capability);
  const user = own.runAsUser ?? pods.runAsUser;
  const isNonRoot = (own.runAsNonRoot ?? pods.runAsNonRoot) === true || (user !== undefined && user !== 0);
  const mustBeNonRoot = policy.runAsUser.rule === 'MustRunAsNonRoot';
  return [
    own.privileged === true && !policy.privileged
      ? `${at}.privileged: Invalid value: true: Privileged containers are not allowed`
      : '',
    own.allowPrivilegeEscalation !== false && !policy.allowPrivilegeEscalation
      ? `${at}.allowPrivilegeEscalation: Invalid value: true: Allowing privilege escalation for containers is not allowed`
      : '',
    policy.readOnlyRootFilesystem && own.readOnlyRootFilesystem !== true
      ? `${at}.readOnlyRootFilesystem: Invalid value: false: ReadOnlyRootFilesystem must be set to true`
      : '',
    mustBeNonRoot && !isNonRoot ? `${at}.runAsNonRoot: Required value: must be true` : '',
    ...added
      .filter((capability) => !allows(capability))
      .map((capability) => `${at}.capabilities.add: Invalid value: "${capability}": capability may not be added`),
  ].filter((problem) => problem !== '');
}

export function podSecurityApp(port = 0): App {
  return app('pod-security-policy', [], {
    server: extensionServer({ admission: [podSecurity], port }),
    resources: [PodSecurityPolicy],
  });
}
