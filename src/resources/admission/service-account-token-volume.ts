import type { Container, PodSpec, ServiceAccount, Volume, VolumeMount } from '../../api/types/core/v1.d.ts';
import type { Random } from '../../base/index.ts';

const PREFIX = 'kube-api-access-';
const PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour, and as much as clients that do not renew in time are late: seconds that only warn. */
const TOKEN_SECONDS = 3607;

/** Whether containers get a token unasked: the pod decides, else its account, else yes. */
export function isAutomounted(spec: PodSpec, account: ServiceAccount): boolean {
  return spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
}

/** The spec with the account's token in every container that has nothing else mounted there. */
export function withTokenVolume(spec: PodSpec, random: Random): PodSpec {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  if (!containers.some(lacksToken)) return spec;
  const volumes = spec.volumes ?? [];
  const own = volumes.find(({ name }) => name.startsWith(PREFIX));
  const name = own?.name ?? PREFIX + random.nameSuffix(5);
  const mount: VolumeMount = { name, readOnly: true, mountPath: PATH };
  const withMount = (container: Container): Container =>
    lacksToken(container)
      ? { ...container, volumeMounts: [...(container.volumeMounts ?? []), { ...mount }] }
      : container;
  return {
    ...spec,
    ...(own === undefined ? { volumes: [...volumes, tokenVolume(name)] } : {}),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withMount) }),
    containers: (spec.containers ?? []).map(withMount),
  };
}

function lacksToken({ volumeMounts = [] }: Container): boolean {
  return !volumeMounts.some(({ mountPath }) => mountPath === PATH);
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 0o644,
    },
  };
}
