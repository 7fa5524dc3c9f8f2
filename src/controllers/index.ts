// What other folders may import: the built-in controllers.
import type { ProgramPart } from '../kit/index.ts';
import { attachDetachController, type AttachDetachOptions } from './attach-detach/attach-detach-controller.ts';
export type { AttachableSource, DirectAttacher, OpenDirectAttacher } from './attach-detach/direct-attacher.ts';
import { bootstrapSigner } from './bootstrap-tokens/bootstrap-signer.ts';
import { tokenCleaner } from './bootstrap-tokens/token-cleaner.ts';
import { csrApproving, csrCleaner, csrSigning, type SigningAuthority } from './certificates/index.ts';
import { clusterRoleAggregation } from './clusterrole-aggregation/clusterrole-aggregation.ts';
import { daemonSetController } from './daemonset/daemonset-controller.ts';
import { ephemeralVolumeController } from './ephemeral-volume/ephemeral-volume-controller.ts';
import { cronJobController } from './cronjob/cronjob-controller.ts';
import { deploymentController } from './deployment/deployment-controller.ts';
import { deviceTaintEviction, type DeviceTaintEvictionOptions } from './device-taint-eviction/device-taint-eviction.ts';
import { disruptionController } from './disruption/disruption-controller.ts';
import { endpointSliceMirroringController } from './endpointslice-mirroring/mirroring-controller.ts';
import { endpointsController } from './endpoints/endpoints-controller.ts';
import { endpointSliceController } from './endpointslice/endpoint-slice-controller.ts';
import { garbageCollector } from './garbage-collector/garbage-collector.ts';
import {
  horizontalPodAutoscalerController,
  type HorizontalPodAutoscalerOptions,
} from './horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts';
import { jobController } from './job/job-controller.ts';
import { namespaceController } from './namespace/namespace-controller.ts';
import { nodeIpamController, type NodeIpamOptions } from './node-ipam/node-ipam-controller.ts';
import { nodeLifecycleController, type NodeLifecycleOptions } from './node-lifecycle/node-lifecycle.ts';
import {
  persistentVolumeBinder,
  type PersistentVolumeBinderOptions,
} from './persistent-volumes/persistent-volume-binder.ts';
import { podGc, type PodGcOptions } from './pod-gc/pod-gc.ts';
import { type CheckPolicyTypes, policyStatus } from './policy-status.ts';
import { replicaSetController } from './replicaset/index.ts';
import { replicationControllerController } from './replication-controller.ts';
import { resourceClaimController } from './resource-claim/resource-claim-controller.ts';
import { resourceQuotaController, type ResourceQuotaOptions } from './resourcequota/resource-quota-controller.ts';
import { rootCaPublisher } from './root-ca-publisher.ts';
import { serviceAccountTokenCleaner, type TokenCleanerOptions } from './service-account-token-cleaner.ts';
import { serviceCidrController } from './service-cidr/service-cidr-controller.ts';
import { serviceLbController } from './service-lb/service-lb-controller.ts';
import { type SecretToken, serviceAccountTokens } from './service-account-tokens.ts';
import { serviceAccountController } from './service-account-controller.ts';
import { attributesClassProtection, claimProtection, volumeProtection } from './storage-protection/index.ts';
import { statefulSetController } from './statefulset/statefulset-controller.ts';
import { storageVersionMigrator } from './storage-version-migrator/storage-version-migrator.ts';
import { controllerName } from './choose-controllers.ts';
import { countRunning } from './running-controllers.ts';
import { ttlController } from './ttl/ttl-controller.ts';
import { ttlAfterFinishedController } from './ttl-after-finished/ttl-after-finished.ts';
import { taintEvictionController } from './taint-eviction/taint-eviction.ts';
import { volumeExpandController } from './volume-expand/volume-expand-controller.ts';

export * from './volume-provisioner/index.ts';
export type { CheckPolicyTypes } from './policy-status.ts';
export { volumeSidecars } from './volume-sidecars/volume-sidecars.ts';
export { chooseControllers, controllerListProblems } from './choose-controllers.ts';

export interface BuiltInControllersOptions {
  /** PEM of the CA of the API server's certificate. */
  readonly rootCertificate: string;
  /** Whether this is the only API server of its store; default false. */
  readonly hasOneServer?: boolean;
  /** Calls a listener when the served kinds change; available only in the API server's process. */
  readonly kindsChanged?: (listener: () => void) => Disposable;
  /** Whether the server serves StorageVersionMigrations, which Kubernetes 1.36 does not by default; default false. */
  readonly hasStorageVersionMigrations?: boolean;
  /** Type-checks the expressions of policies; without it they are not checked. */
  readonly checkPolicyTypes?: CheckPolicyTypes;
  /** Signs certificates for the `kubernetes.io` signers; without it they are not signed. */
  readonly signing?: SigningAuthority;
  /** Issues tokens for service account token Secrets; without it they get none. */
  readonly signToken?: (token: SecretToken) => string;
  readonly settings?: ControllerSettings;
}

/** Settings that correspond to kube-controller-manager's flags. */
export interface ControllerSettings
  extends
    AttachDetachOptions,
    DeviceTaintEvictionOptions,
    HorizontalPodAutoscalerOptions,
    NodeLifecycleOptions,
    NodeIpamOptions,
    PersistentVolumeBinderOptions,
    PodGcOptions,
    ResourceQuotaOptions,
    TokenCleanerOptions,
    Pick<SigningAuthority, 'clusterSigningDuration'> {
  /** Maximum concurrency of controllers, by their names in `--controllers`; default: upstream's. */
  readonly concurrency?: Readonly<Record<string, number>>;
}

/** The controllers of kube-controller-manager that are implemented. */
export function builtInControllers(options: BuiltInControllersOptions): readonly ProgramPart[] {
  const { concurrency = {} } = options.settings ?? {};
  return allControllers(options).map((part) => {
    const name = controllerName(part) ?? part.name;
    const own = concurrency[name];
    const counted = countRunning(name, part);
    return own === undefined ? counted : { ...counted, concurrency: own };
  });
}

function allControllers(options: BuiltInControllersOptions): readonly ProgramPart[] {
  const {
    rootCertificate,
    hasOneServer = false,
    kindsChanged,
    hasStorageVersionMigrations = false,
    checkPolicyTypes,
    signing,
    signToken,
    settings,
  } = options;
  return [
    as('service-account-controller', serviceAccountController()),
    ...(signToken === undefined ? [] : [serviceAccountTokens({ rootCertificate, sign: signToken })]),
    as('root-ca-cert-publisher', rootCaPublisher({ certificate: rootCertificate })),
    as('deployment-controller', deploymentController()),
    as('replicaset-controller', replicaSetController()),
    as('replication-controller', replicationControllerController()),
    as('statefulset-controller', statefulSetController()),
    as('daemon-set-controller', daemonSetController()),
    as('job-controller', jobController()),
    as('cronjob-controller', cronJobController()),
    as('ttl-after-finished-controller', ttlAfterFinishedController()),
    as('disruption-controller', disruptionController()),
    as('horizontal-pod-autoscaler', horizontalPodAutoscalerController(settings)),
    as('endpointslicemirroring-controller', endpointSliceMirroringController()),
    as('endpointslice-controller', endpointSliceController()),
    as('endpoint-controller', endpointsController()),
    as('namespace-controller', namespaceController(hasOneServer ? { settleMs: 0 } : {})),
    as('generic-garbage-collector', garbageCollector(kindsChanged === undefined ? {} : { kindsChanged })),
    as('resourcequota-controller', resourceQuotaController({ ...settings, kindsChanged })),
    as('pod-garbage-collector', podGc(settings)),
    as('node-controller', nodeLifecycleController(settings)),
    as('node-controller', taintEvictionController()),
    ...((settings?.clusterCidrs ?? []).length === 0 ? [] : [as('node-controller', nodeIpamController(settings ?? {}))]),
    as('ttl-controller', ttlController()),
    as('legacy-service-account-token-cleaner', serviceAccountTokenCleaner(settings)),
    as('ephemeral-volume-controller', ephemeralVolumeController()),
    as('device-taint-eviction-controller', deviceTaintEviction(settings)),
    as('resource-claim-controller', resourceClaimController()),
    as('service-cidrs-controller', serviceCidrController()),
    as('service-controller', serviceLbController()),
    as('clusterrole-aggregation-controller', clusterRoleAggregation()),
    as('persistent-volume-binder', persistentVolumeBinder(settings)),
    as('attachdetach-controller', attachDetachController(settings)),
    as('expand-controller', volumeExpandController()),
    as('pvc-protection-controller', claimProtection()),
    as('pv-protection-controller', volumeProtection()),
    as('volumeattributesclass-protection-controller', attributesClassProtection()),
    as('bootstrap-signer', bootstrapSigner()),
    as('token-cleaner', tokenCleaner()),
    as('certificate-controller', csrApproving()),
    as('certificate-controller', csrCleaner()),
    ...(signing === undefined ? [] : [as('certificate-controller', csrSigning({ ...signing, ...settings }))]),
    ...(checkPolicyTypes === undefined
      ? []
      : [as('validatingadmissionpolicy-status-controller', policyStatus(checkPolicyTypes))]),
    ...(hasStorageVersionMigrations ? [as('storage-version-migrator-controller', storageVersionMigrator())] : []),
  ];
}

/** The part with the service account that its bootstrap role is bound to. */
function as(account: string, part: ProgramPart): ProgramPart {
  return { ...part, account };
}
