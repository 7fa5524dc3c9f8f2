import { typeWarnings } from '../../../admission/index.ts';
import { builtInControllers, SIMULATED_DRIVER, simulatedDriver, volumeSidecars } from '../../../controllers/index.ts';
import type { ProgramPart } from '../../../kit/index.ts';
import type { OwnObject } from '../../bootstrap/own-object.ts';
import { standardStorageObjects } from '../../bootstrap/standard-storage.ts';
import type { Identity } from '../../in-process-client.ts';
import { TRUSTED } from '../identities.ts';
import type { ComposedProgram, ProgramContext } from '../program.ts';
import { hasSimulatedStorage, PROVISIONER_ACCOUNT } from '../simulated-storage.ts';
import type { ControllersOptions } from './options.ts';

/** The controllers beside an API server of the same process, with its keys and its knowledge of kinds. */
export function controllersInCluster({
  plane,
  options,
  isShared,
}: ProgramContext<ControllersOptions>): ComposedProgram {
  const { controllers = true } = options;
  const { registry } = plane.server;
  const hasDeviceTaintRules = registry
    .resourcesOf('resource.k8s.io')
    .some(({ plural, version }) => plural === 'devicetaintrules' && version === 'v1beta2');
  const builtIn = builtInControllers({
    rootCertificate: plane.pki.authority.certificate,
    signToken: plane.legacyToken,
    signing: { authority: () => plane.pki.authority, clock: plane.certificateClock },
    hasOneServer: !isShared,
    settings: { hasDeviceTaintRules, ...options.controllerSettings },
    kindsChanged: (listener) => registry.onChange(listener),
    checkPolicyTypes: (policy) => typeWarnings(policy, registry),
    hasStorageVersionMigrations: registry.hasGroup('storagemigration.k8s.io'),
  });
  const sidecars = hasSimulatedStorage(options)
    ? volumeSidecars(simulatedDriver(), { handlesVolumesInUse: false }).map((part) => ({
        ...part,
        account: PROVISIONER_ACCOUNT,
      }))
    : [];
  return {
    identity: { user: 'system:kube-controller-manager', groups: [] },
    identityOf: controllerIdentity([...builtIn, ...sidecars]),
    parts: [...(typeof controllers === 'function' ? controllers(builtIn) : builtIn), ...sidecars],
  };
}

/** Each built-in controller is a service account, as kube-controller-manager's with `--use-service-account-credentials`. */
function controllerIdentity(builtIn: readonly ProgramPart[]): (writer: string) => Identity | undefined {
  const accounts = new Set(builtIn.map(({ account }) => account));
  const withoutAccount = new Set(builtIn.flatMap(({ name, account }) => (account === undefined ? [name] : [])));
  return (writer) => {
    if (withoutAccount.has(writer)) return undefined; // the program itself
    if (!accounts.has(writer)) return TRUSTED;
    return {
      user: `system:serviceaccount:kube-system:${writer}`,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
    };
  };
}

/** The default storage class, its driver, and what the sidecars may do. */
export function simulatedStorageObjects(options: ControllersOptions): readonly OwnObject[] {
  const storage = { provisioner: SIMULATED_DRIVER, account: PROVISIONER_ACCOUNT };
  return hasSimulatedStorage(options) ? standardStorageObjects(storage) : [];
}
