import type { Container } from '../../../api/types/core/v1.d.ts';
import {
  type Check,
  containersOf,
  distinct,
  naming,
  quoted,
  type SecuredPod,
  unlessOwnUsers,
  unlessWindows,
  type Violation,
} from './check.ts';

const DEFAULT_CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
const RESTRICTED_CAPABILITIES: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

/** Baseline: no privileged containers. */
export const privileged: Check = { id: 'privileged', revisions: [{ since: 0, judge: judgePrivileged }] };

/** Baseline: no capabilities beyond the default ones of container runtimes. */
export const capabilitiesBaseline: Check = {
  id: 'capabilities_baseline',
  revisions: [{ since: 0, judge: judgeAddedCapabilities }],
};

/** Restricted: all capabilities are dropped. */
export const capabilitiesRestricted: Check = {
  id: 'capabilities_restricted',
  revisions: [
    { since: 22, judge: judgeDroppedCapabilities, overrides: ['capabilities_baseline'] },
    { since: 25, judge: unlessWindows(judgeDroppedCapabilities), overrides: ['capabilities_baseline'] },
  ],
};

/** Restricted: processes cannot gain more privileges than their parent has. */
export const allowPrivilegeEscalation: Check = {
  id: 'allowPrivilegeEscalation',
  revisions: [
    { since: 8, judge: judgeEscalation },
    { since: 25, judge: unlessWindows(judgeEscalation) },
  ],
};

/** Baseline: /proc is masked; since 1.35 pods with user namespaces may see it unmasked. */
export const procMountBaseline: Check = {
  id: 'procMount',
  revisions: [
    { since: 0, judge: judgeProcMount },
    { since: 35, judge: unlessOwnUsers(judgeProcMount) },
  ],
};

/** Restricted: /proc is masked, even with user namespaces. */
export const procMountRestricted: Check = {
  id: 'procMount_restricted',
  revisions: [{ since: 35, judge: judgeProcMount, overrides: ['procMount'] }],
};

function judgePrivileged({ spec }: SecuredPod): Violation | undefined {
  const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${naming(bad)} must not set securityContext.privileged=true` };
}

function judgeEscalation({ spec }: SecuredPod): Violation | undefined {
  const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${naming(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

function judgeAddedCapabilities({ spec }: SecuredPod): Violation | undefined {
  const detail = addedBeyond(DEFAULT_CAPABILITIES, containersOf(spec));
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
}

function judgeDroppedCapabilities({ spec }: SecuredPod): Violation | undefined {
  const containers = containersOf(spec);
  const keeping = containers.filter(
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true,
  );
  const details = [
    keeping.length === 0 ? undefined : `${naming(keeping)} must set securityContext.capabilities.drop=["ALL"]`,
    addedBeyond(RESTRICTED_CAPABILITIES, containers),
  ].filter((detail) => detail !== undefined);
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

function addedBeyond(allowed: ReadonlySet<string>, containers: readonly Container[]): string | undefined {
  const moreOf = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability));
  const bad = containers.filter((container) => moreOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const more = quoted(distinct(bad.flatMap(moreOf)));
  return `${naming(bad)} must not include ${more} in securityContext.capabilities.add`;
}

function judgeProcMount({ spec }: SecuredPod): Violation | undefined {
  const bad = containersOf(spec).filter(
    ({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default',
  );
  if (bad.length === 0) return undefined;
  const types = distinct(bad.map(({ securityContext }) => securityContext?.procMount ?? ''));
  return {
    reason: 'procMount',
    detail: `${naming(bad)} must not set securityContext.procMount to ${quoted(types)}`,
  };
}
