import type { Container, EphemeralContainer, PodSpec, ServiceAccount } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';
/** What Go reads as true. */
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Whether an account limits its pods to the secrets that it lists. */
export function limitsSecrets({ metadata }: Whole<ServiceAccount>): boolean {
  return TRUE.has(metadata.annotations?.[ENFORCE] ?? '');
}

/** The first secret in a pod that its account does not list, as a reason to refuse it. */
export function unlistedSecret(spec: PodSpec, account: Whole<ServiceAccount>): string | undefined {
  const listed = new Set((account.secrets ?? []).map(({ name }) => name));
  const { name: owner = '' } = account.metadata;
  for (const { secret } of spec.volumes ?? []) {
    if (secret === undefined || listed.has(secret.secretName)) continue;
    return `volume with ${unlisted(secret.secretName, owner)}`;
  }
  return (
    unlistedInContainers(spec.initContainers, account, 'init container') ??
    unlistedInContainers(spec.containers, account, 'container') ??
    unlistedPullSecret(spec, account)
  );
}

/** The same for containers of a sort. */
export function unlistedInContainers(
  containers: readonly (Container | EphemeralContainer)[] | undefined,
  account: Whole<ServiceAccount>,
  sort: string,
): string | undefined {
  const listed = new Set((account.secrets ?? []).map(({ name }) => name));
  const { name: owner = '' } = account.metadata;
  for (const { name, env = [], envFrom = [] } of containers ?? []) {
    for (const { name: variable, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef;
      if (secret === undefined || listed.has(secret.name)) continue;
      return `${sort} ${name} with envVar ${variable} referencing ${unlisted(secret.name, owner)}`;
    }
    for (const { secretRef } of envFrom) {
      if (secretRef === undefined || listed.has(secretRef.name)) continue;
      return `${sort} ${name} with envFrom referencing ${unlisted(secretRef.name, owner)}`;
    }
  }
  return undefined;
}

function unlistedPullSecret(spec: PodSpec, account: Whole<ServiceAccount>): string | undefined {
  const listed = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  for (const [index, { name = '' }] of (spec.imagePullSecrets ?? []).entries()) {
    if (listed.has(name)) continue;
    const owner = account.metadata.name ?? '';
    return `imagePullSecrets[${index}].name="${name}" is not allowed because service account ${owner} does not reference that imagePullSecret`;
  }
  return undefined;
}

function unlisted(secret: string | undefined, owner: string): string {
  return `secret.secretName="${secret ?? ''}" is not allowed because service account ${owner} does not reference that secret`;
}
