// The user that a container runs as and its privileges, from the security contexts of the pod and of the container.
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { type ContainerSpec, describePod } from '../life/index.ts';
import type {
  IdMapping,
  Image,
  LinuxContainerSecurityContext,
  LinuxSandboxSecurityContext,
  NamespaceOption,
  SecurityProfile,
  SelinuxOption,
} from '../runtime/index.ts';
import { ContainerConfigError } from './config-error.ts';

type PodSecurity = NonNullable<NonNullable<Observed<Pod>['spec']>['securityContext']>;

const RUNTIME_DEFAULT = { type: 'RuntimeDefault' } as const;

/** The sandbox itself always has the runtime's seccomp profile, so that containers may have stricter ones. */
export function sandboxSecurity(pod: Observed<Pod>, userNamespace: IdMapping | undefined): LinuxSandboxSecurityContext {
  const { securityContext = {}, containers = [], initContainers = [] } = pod.spec ?? {};
  const isPrivileged = [...containers, ...initContainers].some((each) => each.securityContext?.privileged === true);
  return {
    privileged: isPrivileged,
    seccomp: profile('RuntimeDefault'),
    ...shared(pod, securityContext, userNamespace),
  };
}

export interface ContainerSecurityParts {
  /** The agent's folder on the machine, where local profiles are. */
  readonly root: string;
  /** The ids of the pod's user namespace. */
  readonly userNamespace: IdMapping | undefined;
  /** The id of the container whose processes an ephemeral container sees. */
  readonly targetId: string | undefined;
  /** Whether containers that name no seccomp profile get the runtime's; default false. */
  readonly seccompDefault?: boolean | undefined;
}

export function containerSecurity(
  pod: Observed<Pod>,
  container: ContainerSpec,
  { root, userNamespace, targetId, seccompDefault = false }: ContainerSecurityParts,
): LinuxContainerSecurityContext {
  const ofPod: PodSecurity = pod.spec?.securityContext ?? {};
  const own = container.securityContext ?? {};
  const wanted = own.seccompProfile ?? ofPod.seccompProfile ?? (seccompDefault ? RUNTIME_DEFAULT : undefined);
  const appArmor = own.appArmorProfile ?? ofPod.appArmorProfile;
  return {
    privileged: own.privileged === true,
    seccomp: seccompProfile(wanted, `${root}/seccomp`),
    ...(appArmor === undefined ? {} : { apparmor: profile(appArmor.type, appArmor.localhostProfile) }),
    addCapabilities: own.capabilities?.add ?? [],
    dropCapabilities: own.capabilities?.drop ?? [],
    readonlyRootfs: own.readOnlyRootFilesystem === true,
    noNewPrivs: own.allowPrivilegeEscalation === false,
    isProcMasked: own.procMount !== 'Unmasked',
    ...withTarget(shared(pod, { ...ofPod, ...definedOf(own) }, userNamespace), targetId),
  };
}

function withTarget<T extends Shared>(context: T, targetId: string | undefined): T {
  if (targetId === undefined) return context;
  return { ...context, namespaceOptions: { ...context.namespaceOptions, pid: 'TARGET', targetId } };
}

/** Rejects a container with `runAsNonRoot` whose pod or image makes it run as root. */
export function verifyNonRoot(pod: Observed<Pod>, container: ContainerSpec, image: Image | undefined): void {
  const { runAsNonRoot, runAsUser } = { ...pod.spec?.securityContext, ...definedOf(container.securityContext ?? {}) };
  if (runAsNonRoot !== true || (runAsUser !== undefined && runAsUser !== 0)) return;
  const where = `(pod: "${describePod(pod)}", container: ${container.name})`;
  if (runAsUser === 0) throw new ContainerConfigError(`container's runAsUser breaks non-root policy ${where}`);
  if (image?.uid === 0)
    throw new ContainerConfigError(`container has runAsNonRoot and image will run as root ${where}`);
  const { username = '' } = image ?? {};
  if (image?.uid === undefined && username !== '') {
    const problem = `image has non-numeric user (${username}), cannot verify user is non-root`;
    throw new ContainerConfigError(`container has runAsNonRoot and ${problem} ${where}`);
  }
}

type Shared = Omit<LinuxSandboxSecurityContext, 'privileged' | 'seccomp'>;

function shared(
  pod: Observed<Pod>,
  { runAsUser, runAsGroup, seLinuxOptions }: DeepReadonly<core.SecurityContext>,
  userNamespace: IdMapping | undefined,
): Shared {
  const { fsGroup, supplementalGroups = [], supplementalGroupsPolicy } = pod.spec?.securityContext ?? {};
  return {
    namespaceOptions: { ...namespaces(pod), ...(userNamespace === undefined ? {} : { userNamespace }) },
    ...(runAsUser === undefined ? {} : { runAsUser }),
    ...(runAsGroup === undefined ? {} : { runAsGroup }),
    ...(seLinuxOptions === undefined ? {} : { selinuxOptions: selinux(seLinuxOptions) }),
    supplementalGroups: [...(fsGroup === undefined ? [] : [fsGroup]), ...supplementalGroups],
    supplementalGroupsPolicy: supplementalGroupsPolicy === 'Strict' ? 'Strict' : 'Merge',
  };
}

function namespaces({ spec }: Observed<Pod>): NamespaceOption {
  return {
    network: spec?.hostNetwork === true ? 'NODE' : 'POD',
    pid: spec?.hostPID === true ? 'NODE' : spec?.shareProcessNamespace === true ? 'POD' : 'CONTAINER',
    ipc: spec?.hostIPC === true ? 'NODE' : 'POD',
  };
}

function seccompProfile(wanted: PodSecurity['seccompProfile'], folder: string): SecurityProfile {
  if (wanted?.type !== 'Localhost') return profile(wanted?.type ?? 'Unconfined');
  const { localhostProfile = '' } = wanted;
  if (localhostProfile === '')
    throw new ContainerConfigError('localhostProfile must be set if seccompProfile type is Localhost.');
  return profile('Localhost', `${folder}/${localhostProfile}`);
}

function profile(type: string, localhostRef = ''): SecurityProfile {
  return { profileType: type === 'RuntimeDefault' || type === 'Localhost' ? type : 'Unconfined', localhostRef };
}

function selinux({ user = '', role = '', type = '', level = '' }: DeepReadonly<core.SELinuxOptions>): SelinuxOption {
  return { user, role, type, level };
}

/** Drops members that are undefined, which would override others. */
function definedOf<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
