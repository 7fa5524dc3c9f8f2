import type { Observed, Pod } from '../../client/index.ts';
import type { ClaimedDevice, NodeDevices } from '../backend/index.ts';
import type { ContainerSpec, DeviceView } from '../life/index.ts';

/** The devices of a pod's containers as their statuses show them (KEP-4680): those of plugins, then those of claims. */
export function deviceViews(
  pod: Observed<Pod>,
  devices: Pick<NodeDevices, 'given' | 'claimed'>,
): (container: string) => readonly DeviceView[] {
  const containers = new Map(pod.spec?.containers.map((each) => [each.name, each])); // a pod may have thousands
  return (name) => {
    const ofPlugins = devices.given(pod.metadata.uid, name).map(({ resource, id, isHealthy }): DeviceView => ({
      ...{ resource, id, message: '' },
      health: isHealthy ? 'Healthy' : 'Unhealthy',
    }));
    const container = containers.get(name);
    return container === undefined ? ofPlugins : [...ofPlugins, ...claimViews(pod, container, devices)];
  };
}

/** The claim of extended resources is left out: the container names the resources, and no claim. */
function claimViews(
  pod: Observed<Pod>,
  container: ContainerSpec,
  devices: Pick<NodeDevices, 'claimed'>,
): readonly DeviceView[] {
  const wanted = container.resources?.claims ?? [];
  if (wanted.length === 0) return [];
  const claimed = new Map(devices.claimed(pod, container).map((claim) => [claim.name, claim]));
  return wanted.flatMap(({ name, request = '' }) => {
    const resource = request === '' ? `claim:${name}` : `claim:${name}/${request}`;
    const [main = ''] = request.split('/');
    const isMeant = ({ requests }: ClaimedDevice): boolean =>
      main === '' || requests.length === 0 || requests.includes(main);
    const views = (claimed.get(name)?.devices ?? [])
      .filter(isMeant)
      .map(({ driver, pool, device, cdiDevices: [cdiDevice], health, message }): DeviceView => ({
        ...{ resource, health, message },
        id: cdiDevice ?? `${driver}/${pool}/${device}`,
      }));
    return [...new Map(views.toReversed().map((view) => [view.id, view])).values()].toReversed();
  });
}
