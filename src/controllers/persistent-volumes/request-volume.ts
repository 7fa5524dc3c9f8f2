import {
  MIGRATED_TO,
  PROVISIONER,
  PROVISIONER_BETA,
  driverOf,
  isOwnPlugin,
  storageClassNameOf,
} from '../../api/meaning/index.ts';
import type { Observed, PersistentVolumeClaim, StorageClass } from '../../client/index.ts';
import type { BinderParts } from './binder-parts.ts';

type Claim = Observed<PersistentVolumeClaim>;

/** Requests a volume from the class's provisioner by annotating the claim with its name. */
export async function requestVolume(claim: Claim, parts: BinderParts): Promise<void> {
  const { classes, events } = parts;
  const name = storageClassNameOf(claim);
  const storageClass = classes.get(name);
  const problem = storageClass === undefined ? notFound(name) : problemOf(storageClass);
  if (storageClass === undefined || problem !== undefined) {
    events.event(claim, { type: 'Warning', reason: 'ProvisioningFailed', message: problem ?? '' });
    return;
  }
  const provisioner = driverOf(storageClass.provisioner) ?? storageClass.provisioner;
  const asked = await nameProvisioner(claim, provisioner, parts);
  if (provisioner === HOST_PATH) {
    const message = `Failed to create provisioner: provisioning in volume plugin ${JSON.stringify(HOST_PATH)} is disabled`;
    events.event(asked, { type: 'Warning', reason: 'ProvisioningFailed', message });
    return;
  }
  events.event(asked, {
    type: 'Normal',
    reason: 'ExternalProvisioning',
    message:
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the ` +
      'system administrator. If volume creation is delayed, please verify that the provisioner is running and ' +
      'correctly registered.',
  });
}

function notFound(name: string): string {
  return `storageclass.storage.k8s.io ${JSON.stringify(name)} not found`;
}

/**
 * Why no volume of the class can be provisioned. The `kubernetes.io` provisioners are gone, except those migrated to
 * CSI drivers.
 */
function problemOf({ provisioner }: Observed<StorageClass>): string | undefined {
  if (!isOwnPlugin(provisioner) || driverOf(provisioner) !== undefined) return undefined;
  if (provisioner === HOST_PATH) return undefined;
  return NOT_PROVISIONING.has(provisioner)
    ? 'no provisionable volume plugin matched'
    : `no volume plugin matched name: ${provisioner}`;
}

/** Known to kube-controller-manager, but disabled by default. */
const HOST_PATH = 'kubernetes.io/host-path';
const NOT_PROVISIONING = new Set(['kubernetes.io/nfs']);

async function nameProvisioner(claim: Claim, provisioner: string, { claims }: BinderParts): Promise<Claim> {
  if (claim.metadata.annotations?.[PROVISIONER] === provisioner) return claim;
  const { [MIGRATED_TO]: _, ...kept } = claim.metadata.annotations ?? {};
  const annotations = { ...kept, [PROVISIONER_BETA]: provisioner, [PROVISIONER]: provisioner };
  return await claims.update({ ...claim, metadata: { ...claim.metadata, annotations } } as PersistentVolumeClaim);
}
