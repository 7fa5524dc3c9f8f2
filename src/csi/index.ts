// What other folders may use: the Container Storage Interface, both sides.
export * from './published.ts';
export { type CsiNodeOptions, type CsiOnNode, openCsiNode } from './node/open-csi-node.ts';
export type { VolumeMachine } from './node/volume-machine.ts';
export { type CsiCapabilities, CsiClient, type CsiClientOptions, type CsiIdentity } from './client/csi-client.ts';
export {
  CsiControllers,
  type CsiControllerSettings,
  type CsiControllersOptions,
  driverParts,
} from './controller/csi-controllers.ts';
export { DriverConnection, type DriverConnectionOptions } from './controller/driver-connection.ts';
export {
  type FolderQuotas,
  folderQuotas,
  LOCAL_DRIVER,
  LocalStorage,
  type LocalStorageOptions,
} from './local/index.ts';
