import type { ServedMethod } from '../../wire/grpc/index.ts';
import type { CsiDriverDefinition } from '../kit/driver-definition.ts';
import {
  Identity as methods,
  PluginCapability_Service_Type as Service,
  PluginCapability_VolumeExpansion_Type as Expansion,
} from '../protocol/csi-v1.ts';
import { served } from './served-method.ts';

/** Who the driver is, and which of the other services it has. */
export function identityMethods(driver: CsiDriverDefinition): readonly ServedMethod[] {
  const { name, version, controller, node } = driver;
  return [
    served(methods.getPluginInfo, async () => ({ name, vendorVersion: version })),
    served(methods.getPluginCapabilities, async () => ({
      capabilities: [
        ...(controller === undefined ? [] : [{ service: { type: Service.CONTROLLER_SERVICE } }]),
        ...(controller?.snapshotGroup === undefined ? [] : [{ service: { type: Service.GROUP_CONTROLLER_SERVICE } }]),
        ...(node?.topology === undefined ? [] : [{ service: { type: Service.VOLUME_ACCESSIBILITY_CONSTRAINTS } }]),
        ...(controller?.expand === undefined ? [] : [{ volumeExpansion: { type: Expansion.ONLINE } }]),
      ],
    })),
    served(methods.probe, async () => ({ ready: { value: (await driver.probe?.()) ?? true } })),
  ];
}
