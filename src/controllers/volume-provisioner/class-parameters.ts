// What the parameters of a StorageClass mean: file system, secrets, and what is left for the driver.
import type { Observed, PersistentVolumeClaim } from '../../client/index.ts';
import {
  RESERVED_PREFIX,
  type SecretParameters,
  type SecretReference,
  secretReference,
  type TemplateTokens,
} from './secret-reference.ts';
import { NotReadyError } from './volume-driver.ts';

type Texts = Readonly<Record<string, string>>;
type Claim = Observed<PersistentVolumeClaim>;

const FILE_SYSTEM = `${RESERVED_PREFIX}fstype`;

export const PROVISIONER_SECRET: SecretParameters = {
  title: 'Provisioner',
  key: 'provisioner-secret',
  old: { name: 'csiProvisionerSecretName', namespace: 'csiProvisionerSecretNamespace' },
};

/** The secrets that a volume remembers, by the field that names each. */
const VOLUME_SECRETS = {
  controllerPublishSecretRef: {
    title: 'ControllerPublish',
    key: 'controller-publish-secret',
    old: { name: 'csiControllerPublishSecretName', namespace: 'csiControllerPublishSecretNamespace' },
  },
  nodeStageSecretRef: {
    title: 'NodeStage',
    key: 'node-stage-secret',
    old: { name: 'csiNodeStageSecretName', namespace: 'csiNodeStageSecretNamespace' },
  },
  nodePublishSecretRef: {
    title: 'NodePublish',
    key: 'node-publish-secret',
    old: { name: 'csiNodePublishSecretName', namespace: 'csiNodePublishSecretNamespace' },
  },
  controllerExpandSecretRef: { title: 'ControllerExpand', key: 'controller-expand-secret' },
  nodeExpandSecretRef: { title: 'NodeExpand', key: 'node-expand-secret' },
} as const satisfies Readonly<Record<string, SecretParameters>>;

const MODIFY_SECRET: SecretParameters = { title: 'ControllerModify', key: 'controller-modify-secret' };

const KNOWN = new Set([
  FILE_SYSTEM,
  ...[
    'secret',
    PROVISIONER_SECRET.key,
    MODIFY_SECRET.key,
    ...Object.values(VOLUME_SECRETS).map(({ key }) => key),
  ].flatMap((key) => [`${RESERVED_PREFIX}${key}-name`, `${RESERVED_PREFIX}${key}-namespace`]),
]);

/** What a volume's secrets are, once it exists. */
export interface VolumeSecrets {
  readonly provisioner?: SecretReference;
  readonly modify?: SecretReference;
  /** Fields of the volume's source. */
  readonly fields: Readonly<Partial<Record<keyof typeof VOLUME_SECRETS, SecretReference>>>;
}

/** The file system that the parameters name; undefined for none. */
export function fileSystemOf(parameters: Texts): string | undefined {
  const named = Object.entries(parameters).filter(([name]) => name.toLowerCase() === 'fstype' || name === FILE_SYSTEM);
  if (named.length > 1)
    throw new NotReadyError(`fstype specified in parameters with both "fstype" and "${FILE_SYSTEM}" keys`);
  return named[0]?.[1];
}

/** The parameters without those for Kubernetes. */
export function driverParameters(parameters: Texts): Texts {
  const unknown = Object.keys(parameters).find((name) => name.startsWith(RESERVED_PREFIX) && !KNOWN.has(name));
  if (unknown !== undefined)
    throw new NotReadyError(
      `failed to strip CSI Parameters of prefixed keys: found unknown parameter key "${unknown}" with reserved namespace ${RESERVED_PREFIX}`,
    );
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !name.startsWith(RESERVED_PREFIX)));
}

/** The secrets that the parameters name for a claim's volume. */
export function secretsFor(claim: Claim, volume: string, parameters: Texts): VolumeSecrets {
  const tokens = claimTokens(claim, volume);
  const provisioner = secretReference(PROVISIONER_SECRET, parameters, tokens);
  const modify = secretReference(MODIFY_SECRET, parameters, tokens);
  const fields = Object.entries(VOLUME_SECRETS).flatMap(([field, which]) => {
    const reference = secretReference(which, parameters, tokens);
    return reference === undefined ? [] : [[field, reference]];
  });
  return {
    ...(provisioner === undefined ? {} : { provisioner }),
    ...(modify === undefined ? {} : { modify }),
    fields: Object.fromEntries(fields),
  };
}

/** What templates of secrets may say about a claim and its volume. */
export function claimTokens(
  { metadata }: { readonly metadata: Pick<Claim['metadata'], 'name' | 'namespace' | 'annotations'> },
  volume: string,
): TemplateTokens {
  const { name, namespace = '', annotations = {} } = metadata;
  const both = { 'pv.name': volume, 'pvc.namespace': namespace };
  const annotated = Object.entries(annotations).map(([key, value]) => [`pvc.annotations['${key}']`, value]);
  return { namespace: both, name: { ...both, 'pvc.name': name, ...Object.fromEntries(annotated) } };
}
