import { quoteGo } from '../../../api/index.ts';
import type { TokenRequest } from '../../../api/types/authentication/v1.d.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../../api/types/core/v1.d.ts';
import type { CSIDriver } from '../../../api/types/storage/v1.d.ts';
import type { AdmissionAttributes, Authorizer, RequestInfo } from '../../../apiserver/index.ts';
import type { AdmissionParts } from '../admission-parts.ts';

/** Why a node may not get a token for this audience: no volume of the pod needs it, and no role allows it. */
export async function audienceProblem(
  request: AdmissionAttributes,
  pod: Pod,
  parts: AdmissionParts,
): Promise<string | undefined> {
  const { spec } = request.object as unknown as TokenRequest;
  const audiences = spec?.audiences ?? [];
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences';
  const [audience = ''] = audiences;
  if (await isReferenced(audience, pod, parts)) return undefined;
  if (parts.authorizer !== undefined && (await mayAsk(parts.authorizer, request, audience))) return undefined;
  const problem = `audience ${quoteGo(audience)} not found in pod spec volume`;
  return `${problem}, ${request.user.name} is not authorized to request tokens for this audience`;
}

async function isReferenced(audience: string, pod: Pod, parts: AdmissionParts): Promise<boolean> {
  for (const volume of pod.spec?.volumes ?? []) {
    const sources = volume.projected?.sources ?? [];
    if (sources.some(({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? '') === audience))
      return true;
    const driver = await driverOf(volume, pod, parts);
    if (driver?.spec.tokenRequests?.some((token) => token.audience === audience) === true) return true;
  }
  return false;
}

async function driverOf(volume: Volume, pod: Pod, { objects }: AdmissionParts): Promise<CSIDriver | undefined> {
  const name = volume.csi?.driver ?? (await driverOfClaim(volume, pod, objects));
  return name === undefined ? undefined : objects.of<CSIDriver>('storage.k8s.io', 'csidrivers').get('', name);
}

async function driverOfClaim(
  { name, persistentVolumeClaim, ephemeral }: Volume,
  { metadata }: Pod,
  objects: AdmissionParts['objects'],
): Promise<string | undefined> {
  const made = ephemeral === undefined ? undefined : `${metadata?.name ?? ''}-${name}`;
  const claimName = persistentVolumeClaim?.claimName ?? made;
  if (claimName === undefined) return undefined;
  const claims = objects.of<PersistentVolumeClaim>('', 'persistentvolumeclaims');
  const claim = await claims.get(metadata?.namespace ?? '', claimName);
  const volume = await objects.of<PersistentVolume>('', 'persistentvolumes').get('', claim?.spec?.volumeName ?? '');
  return volume?.spec?.csi?.driver;
}

async function mayAsk(authorizer: Authorizer, request: AdmissionAttributes, audience: string): Promise<boolean> {
  const { user, signal, namespace, name } = request;
  const info: RequestInfo = {
    isResource: true,
    path: '',
    verb: 'request-serviceaccounts-token-audience',
    group: '',
    version: 'v1',
    namespace,
    resource: audience,
    subresource: '',
    name,
    subpath: '',
    parts: [audience, name],
  };
  return (await authorizer.authorize({ user, info, signal })).verdict === 'allow';
}
