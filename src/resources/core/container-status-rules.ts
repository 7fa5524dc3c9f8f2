import {
  asJson,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../api/index.ts';
import type { Container, ContainerStatus, Pod, PodSpec, ResourceStatus } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';

interface Transition {
  readonly now: readonly ContainerStatus[];
  readonly was: readonly ContainerStatus[];
  readonly containers: readonly Container[];
  /** Undefined for containers that never restart. */
  readonly spec: PodSpec | undefined;
}

/** A terminated container that must not restart cannot run again. */
export function checkTransitions({ now, was, containers, spec }: Transition, field: string): FieldError[] {
  return was.flatMap(({ name, state }, index) => {
    if (state?.terminated === undefined) return [];
    const next = now.find((status) => status.name === name);
    if (next === undefined || next.state?.terminated !== undefined) return [];
    const container = containers.find((candidate) => candidate.name === name);
    const { exitCode } = state.terminated;
    if (spec !== undefined && container !== undefined && mayRestart(container, exitCode, spec)) return [];
    return [forbiddenField(`${field}[${index}].state`, 'may not be transitioned to non-terminated state')];
  });
}

/** A restart rule of any container may restart all of them. */
export function couldAllRestart(spec: PodSpec): boolean {
  const restartsAll = ({ restartPolicyRules }: Container): boolean =>
    restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') === true;
  return spec.initContainers?.some(restartsAll) === true || spec.containers?.some(restartsAll) === true;
}

function mayRestart(container: Container, exitCode: number, spec: PodSpec): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const isListed = (exitCodes?.values ?? []).includes(exitCode);
    const applies = exitCodes?.operator === 'NotIn' ? !isListed : isListed;
    if (applies) return action === 'Restart' || action === 'RestartAllContainers';
  }
  const policy = container.restartPolicy ?? spec.restartPolicy;
  if (policy === 'Always') return true;
  return policy === 'OnFailure' && exitCode !== 0;
}

const LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

/** Checks users, then devices, then mounts, each of them in all three lists of statuses. */
export function checkContainerStatuses({ spec, status }: Whole<Pod>): FieldError[] {
  if (!LISTS.some((list) => status[list]?.some(hasDetails) === true)) return [];
  const each = (
    check: (status: ContainerStatus, field: string) => FieldError[],
    names = LISTS as readonly (typeof LISTS)[number][],
  ): FieldError[] =>
    names.flatMap((list) => (status[list] ?? []).flatMap((item, index) => check(item, `status.${list}[${index}]`)));
  const devices = (list: (typeof LISTS)[number], containers: readonly Container[] = []): FieldError[] => {
    const byName = new Map(containers.map((container) => [container.name ?? '', container]));
    return each((item, field) => checkDevices(item, field, byName), [list]);
  };
  return [
    ...each((item, field) => checkUser(item, `${field}.user.linux`, spec)),
    ...devices('containerStatuses', spec.containers),
    ...devices('initContainerStatuses', spec.initContainers),
    ...each(
      ({ allocatedResourcesStatus = [] }, field) =>
        allocatedResourcesStatus.length === 0
          ? []
          : [forbiddenField(`${field}.allocatedResourcesStatus`, 'must not be specified in container status')],
      ['ephemeralContainerStatuses'],
    ),
    ...each(checkMounts),
  ];
}

/** Whether a node reports more of a container than its state, which is all that most reports have. */
function hasDetails({ user, allocatedResourcesStatus, volumeMounts }: ContainerStatus): boolean {
  return user !== undefined || allocatedResourcesStatus !== undefined || volumeMounts !== undefined;
}

const MAX_ID = 2_147_483_647;

function checkUser({ user }: ContainerStatus, field: string, { os }: PodSpec): FieldError[] {
  const name: string = os?.name ?? 'linux';
  if (user?.linux === undefined) return [];
  if (name === 'windows') return [forbiddenField(field, 'cannot be set for a windows pod')];
  if (name !== 'linux') return [];
  const { uid = 0, gid = 0, supplementalGroups = [] } = user.linux;
  const check = (id: number, at: string): FieldError[] =>
    id >= 0 && id <= MAX_ID ? [] : [invalidValue(at, id, `must be between 0 and ${MAX_ID}, inclusive`)];
  return [
    ...check(uid, `${field}.uid`),
    ...check(gid, `${field}.gid`),
    ...supplementalGroups.flatMap((id, index) => check(id, `${field}.supplementalGroups[${index}]`)),
  ];
}

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const MAX_MESSAGE = 1024;

function checkDevices(
  status: ContainerStatus,
  field: string,
  containers: ReadonlyMap<string, Container>,
): FieldError[] {
  const container = containers.get(status.name ?? '');
  return (status.allocatedResourcesStatus ?? []).flatMap((resource, index) => {
    const at = `${field}.allocatedResourcesStatus[${index}]`;
    return [...(container === undefined ? [] : checkDeviceName(resource, at, container)), ...checkHealth(resource, at)];
  });
}

function checkDeviceName({ name = '' }: ResourceStatus, field: string, { resources }: Container): FieldError[] {
  if (!name.startsWith('claim:')) {
    if (resources?.requests?.[name] !== undefined) return [];
    return [invalidValue(`${field}.name`, name, "must match one of the container's resource requests")];
  }
  const names = (resources?.claims ?? []).map((claim) =>
    (claim.request ?? '') === '' ? `claim:${claim.name}` : `claim:${claim.name}/${claim.request}`,
  );
  if (names.includes(name)) return [];
  const format = "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return [
    invalidValue(`${field}.name`, name, `must match one of the container's resource claims in a format ${format}`),
  ];
}

function checkHealth({ resources = [] }: ResourceStatus, field: string): FieldError[] {
  const seen = new Set<string>();
  return resources.flatMap(({ resourceID = '', health = '', message }, index) => {
    const at = `${field}.resources[${index}]`;
    const errors: FieldError[] = [];
    if (!HEALTH.includes(health)) errors.push(notSupported(`${at}.health`, asJson(health ?? ''), HEALTH));
    if (message === '') errors.push(required(`${at}.message`, 'must be non-empty if specified'));
    else if (message !== undefined && Buffer.byteLength(message) > MAX_MESSAGE) {
      errors.push(tooLong(`${at}.message`, MAX_MESSAGE));
    }
    if (seen.has(resourceID)) errors.push(duplicate(`${at}.resourceID`, resourceID));
    seen.add(resourceID);
    return errors;
  });
}

const MAX_IMAGE = 256;

/** The path is the one in upstream's messages, which the API does not have. */
function checkMounts({ volumeMounts = [] }: ContainerStatus, field: string): FieldError[] {
  return volumeMounts.flatMap(({ volumeStatus }, index) => {
    const at = `${field}.volumeMounts[${index}].volumeStatus.imageVolumeStatus.imageRef`;
    const { image } = volumeStatus ?? {};
    if (image === undefined) return [];
    const { imageRef = '' } = image;
    if (imageRef === '') return [required(at, 'imageRef must not be empty')];
    return Buffer.byteLength(imageRef) > MAX_IMAGE ? [tooLong(at, MAX_IMAGE)] : [];
  });
}
